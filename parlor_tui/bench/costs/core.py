"""A core like any other, whose models only take time: `python -P -m parlor_tui.bench.costs.core [--costs m3-pro]`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from parlor_tui.bench.costs.costs import COSTS, NAME
from parlor_tui.bench.costs.parts import PROFILE, SimulatedLoader
from parlor_tui.bench.costs.script import Script
from parlor_tui.core.inference import InferenceCore
from parlor_tui.link import server
from parlor_tui.settings import Settings, SettingsError, load


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until stdin is closed, as `parlor-tui core` does. The exit code: 2 for options that cannot be used."""
    parser = argparse.ArgumentParser(prog="parlor_tui.bench.costs.core", allow_abbrev=False)
    parser.add_argument("--costs", choices=sorted(COSTS), default=NAME)
    parser.add_argument("--said", type=Path, metavar="FILE", help="the utterances that will be said (.npz)")
    parser.add_argument("--config", type=Path, metavar="FILE")
    given = parser.parse_args(argv)
    try:
        settings = load(given.config)
        script = Script.read(given.said) if given.said is not None else Script()
    except (SettingsError, OSError, ValueError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    return _serve(settings, SimulatedLoader(settings, COSTS[given.costs], script))


def _serve(settings: Settings, loader: SimulatedLoader) -> int:
    answers = server._private_stdout()
    try:
        token = str(json.loads(sys.stdin.readline())["token"])
    except (ValueError, KeyError, TypeError):
        answers.write("no token on stdin\n")
        answers.flush()
        return 2

    def announce(bound_port: int) -> None:
        answers.write(json.dumps({"port": bound_port}) + "\n")
        answers.flush()

    core = InferenceCore(PROFILE, loader, settings.core.max_requests, server._end_wedged)
    serving = server.CoreServer(core, settings, token)
    asyncio.run(server._serve(core, None, serving, 0, announce, follow_stdin=True))
    sys.stderr.flush()
    os._exit(0)  # threads may wait for work that is simulated


if __name__ == "__main__":
    sys.exit(main())
