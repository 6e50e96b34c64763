"""`parlor-tui observe export`: a dashboard for Grafana, and alerts and a scrape configuration for Prometheus."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from parlor_tui.commands.options import UsageError, port_number
from parlor_tui.settings import Settings

DONE = 0
NAMES = ("grafana.json", "alerts.yml", "prometheus.yml")
PORT = 8800
_TARGET = f'["127.0.0.1:{PORT}"]'
_AUTHORIZATION = """\
    authorization:
      type: Bearer
      credentials_file: "parlor.token"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `parlor-tui observe`."""
    actions = parser.add_subparsers(dest="observe_action", metavar="ACTION", required=True)
    export = actions.add_parser("export", help="write grafana.json, alerts.yml and prometheus.yml")
    export.add_argument("folder", type=Path, metavar="DIR", help="where to; it is made if it does not exist")
    export.add_argument(
        "--port",
        type=port_number,
        metavar="N",
        help=f"the core's port; by default that of the setting core.port, else {PORT}",
    )
    export.add_argument(
        "--token-file",
        type=Path,
        metavar="F",
        help="the file with the core's token; by default parlor.token in DIR, and none if core.metrics_open is on",
    )
    export.add_argument("--force", action="store_true", help="write over files that are there")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write the files and print where they are. Raises UsageError, and OSError where one cannot be written."""
    folder: Path = arguments.folder.expanduser()
    given: Path | None = arguments.token_file
    if given is None and not settings.core.metrics_open:
        given = Path("parlor.token")
    elif given is not None:
        given = given.expanduser().absolute()
    texts = exported(arguments.port or settings.core.port or PORT, given)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; give a folder")
    there = [name for name in texts if os.path.lexists(folder / name)]
    if there and not arguments.force:
        raise UsageError(f"{folder} holds {', '.join(there)} already, nothing is written; --force writes over that")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        _write(folder / name, text, over=arguments.force)
        print((folder / name).absolute())
    return DONE


def exported(port: int, token_file: Path | None) -> Mapping[str, str]:
    """The files' texts by their names: of a core on `port`, whose figures take the token in `token_file`, or none."""
    assets = files("parlor_tui.observe") / "assets"
    texts = {name: (assets / name).read_text(encoding="utf-8") for name in NAMES}
    token = "" if token_file is None else _AUTHORIZATION.replace('"parlor.token"', json.dumps(str(token_file)))
    scrape = texts["prometheus.yml"].replace(_AUTHORIZATION, token).replace(_TARGET, f'["127.0.0.1:{port}"]')
    return texts | {"prometheus.yml": scrape}


def _write(file: Path, text: str, *, over: bool) -> None:
    with file.open("w" if over else "x", encoding="utf-8", newline="\n") as out:
        out.write(text)
