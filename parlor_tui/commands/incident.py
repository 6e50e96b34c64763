"""`parlor-tui incident`: list, show and pack the scenes that were kept."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from parlor_tui.commands.journal import told
from parlor_tui.conversations.export import plain
from parlor_tui.observe import incidents
from parlor_tui.observe.incidents import FILES, WORDS_FILE
from parlor_tui.observe.journal import parse
from parlor_tui.settings import Settings, incidents_beside, log_file

DONE = 0
_LAST_LINES = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `parlor-tui incident`."""
    actions = parser.add_subparsers(dest="incident_action", metavar="ACTION")
    listing = actions.add_parser("list", help="every incident, the newest first")
    show = actions.add_parser("show", help="print what is known of one")
    pack = actions.add_parser("pack", help="put one into a .tar.gz that can be sent to the maintainers")
    pack.add_argument("--out", type=Path, metavar="F", help="where to; by default its name, in this folder")
    pack.add_argument("--words", action="store_true", help="also what was said, if the journal held words")
    for one in (listing, show):
        one.add_argument("--json", action="store_true", help="print one JSON object")
    for one in (show, pack):
        one.add_argument("name", metavar="NAME", help="its name as `list` prints it, the beginning of it, or `last`")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Do what was asked for. Raises IncidentError, OSError."""
    folder = incidents_beside(log_file())
    match arguments.incident_action:
        case "show":
            return _show(folder, incidents.find(folder, arguments.name), as_json=arguments.json)
        case "pack":
            return _pack(folder, incidents.find(folder, arguments.name), arguments.out, words=arguments.words)
        case _:
            return _list(folder, settings, as_json=getattr(arguments, "json", False))


def _list(folder: Path, settings: Settings, *, as_json: bool) -> int:
    listed = [incidents.load(folder, name) for name in incidents.names(folder)]
    if as_json:
        kept = [{"name": one.name, "what": one.text("what"), "bytes": one.size_bytes} for one in listed]
        sys.stdout.write(json.dumps({"folder": str(folder), "incidents": kept}) + "\n")
    elif listed:
        width = max(len(one.name) for one in listed)
        sys.stdout.writelines(
            f"{one.name:<{width}}  {one.size_bytes / 1000:>6.0f} kB  {_line(one.text('what'))}\n" for one in listed
        )
    else:
        off = "" if settings.journal.enabled else "; none is kept: set journal.enabled = true"
        sys.stderr.write(f"parlor-tui: there is no incident in {folder}{off}\n")
    return DONE


def _show(folder: Path, name: str, *, as_json: bool) -> int:
    incident = incidents.load(folder, name)
    if as_json:
        files = {file: _text(folder / name / file) for file in incident.files}
        sys.stdout.write(json.dumps({"name": name, "head": dict(incident.head), "files": files}) + "\n")
        return DONE
    lines = [name, *(f"  {key}: {value}" for key, value in incident.head.items())]
    lines += ["", f"in {folder / name}:", *(f"  {file:<14} {FILES[file]}" for file in incident.files)]
    entries = [entry for entry in map(parse, _text(folder / name / "journal.jsonl").encode().splitlines()) if entry]
    lines += _part("the journal before it", [told(entry) for entry in entries])
    lines += _part("the end of the log", _text(folder / name / "native.log").splitlines())
    lines += ["", f"to send it to the maintainers: parlor-tui incident pack {name}"]
    sys.stdout.writelines(f"{_line(line)}\n" for line in lines)
    return DONE


def _part(title: str, lines: list[str]) -> list[str]:
    return ["", f"{title}:", *(f"  {line}" for line in lines[-_LAST_LINES:] or ["(nothing)"])]


def _pack(folder: Path, name: str, out: Path | None, *, words: bool) -> int:
    target = (out or Path(f"parlor-incident-{name}.tar.gz")).expanduser()
    packed = incidents.pack(folder, name, target, words=words)
    if words and WORDS_FILE not in packed:
        sys.stderr.write("parlor-tui: no words were kept with it (setting journal.words); the rest is packed\n")
    print(target.absolute())
    return DONE


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _line(text: str) -> str:
    return " ".join(plain(text).split("\n"))
