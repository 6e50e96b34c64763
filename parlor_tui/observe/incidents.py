"""Incidents that were kept: found, read, packed. Each is a folder, `incidents/2026-11-30-182513-core-died/`.

It holds the files of `FILES`. None of them holds a word that was said but `words.jsonl`, which is there only if the
journal holds words.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from parlor_tui.observe import alarm
from parlor_tui.whole_file import whole_file

Cause = Literal["core-died", "core-gave-up", "slow", "errors", "assistant-failed"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
HEAD, WORDS_FILE = "incident.json", "words.jsonl"
FILES: Mapping[str, str] = {
    HEAD: "what happened, when, and to what",
    "journal.jsonl": "the last minutes of the journal, without words",
    WORDS_FILE: "the same with what was said: packed only with --words",
    "settings.toml": "the settings as they were read",
    "tuning.json": "the live settings that were in use",
    "versions.json": "Python, system and packages",
    "probes.json": "the newest reading of the machine, and how old it was",
    "native.log": "the end of the log: what the core and its libraries printed; where one was that hung",
    "stacks.txt": "what each thread of the terminal was doing",
}
ALARMS_SHARE = 0.25
"""Of all places. An alarm is a figure, which the journal has as well; a crash's traces are nowhere else."""
_ALARMS = get_args(alarm.Cause)
_NAME = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}-\d{{6}}-({'|'.join(CAUSES)})(-\d{{1,3}})?")


class IncidentError(Exception):
    """What was asked of an incident cannot be done; one line. `missing`: there is no such one."""

    def __init__(self, text: str, *, missing: bool = False) -> None:
        super().__init__(text)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Incident:
    """One that was kept. `head` is what its `incident.json` holds; `size_bytes` that of all its files."""

    name: str
    head: Mapping[str, Any]
    files: tuple[str, ...]
    size_bytes: int

    def text(self, name: str) -> str:
        """The text in the field `name` of its head, or ""."""
        value = self.head.get(name)
        return value if isinstance(value, str) else ""


def names(folder: Path) -> list[str]:
    """The names of all, newest first. Raises OSError."""
    try:
        return sorted((entry.name for entry in os.scandir(folder) if _NAME.fullmatch(entry.name)), reverse=True)
    except FileNotFoundError:
        return []


def cause_of(name: str) -> Cause:
    """What an incident of this name was kept for."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"{name!r} names no incident")
    return cast(Cause, found[1])


def let_go(known: Sequence[str], new: str, most: int) -> list[str]:
    """Which of the incidents `known`, newest first, make room for `new`, which is one of them, so that `most` stay.

    One after the other, the oldest of the most numerous cause: of the alarms if they hold more than their share of the
    places, else of the crashes. So no alarm takes a crash's place once alarms have their share, and no crash that comes
    again and again the places of all others. Never the new one, which has an old date if the clock was set back.
    """
    kept, gone = list(known), list[str]()
    while len(kept) > max(1, most):
        alarms = [name for name in kept if cause_of(name) in _ALARMS]
        others = [name for name in kept if name not in alarms]
        asked = alarms if len(alarms) > ALARMS_SHARE * most else others
        counts = Counter(map(cause_of, asked))
        going = [name for name in asked if name != new] or [name for name in kept if name != new]
        gone.append(max(reversed(going), key=lambda name: counts[cause_of(name)]))
        kept.remove(gone[-1])
    return gone


def find(folder: Path, text: str) -> str:
    """The name of the one that `text` means: a name, the only one that begins so, or `last`.

    Raises IncidentError if there is none, or several; OSError.
    """
    known = names(folder)
    if text in known:
        return text
    found = known[:1] if text == "last" else [name for name in known if text and name.startswith(text)]
    if not found:
        raise IncidentError(f"{text}: there is no such incident in {folder}", missing=True)
    if len(found) > 1:
        raise IncidentError(f"{text}: {len(found)} incidents begin so: {', '.join(found[:3])}, ...")
    return found[0]


def load(folder: Path, name: str) -> Incident:
    """The incident `name`; its head is empty if that cannot be read. Raises OSError."""
    there = [file for file in FILES if (folder / name / file).is_file()]
    size = sum((folder / name / file).stat().st_size for file in there)
    try:
        head = json.loads((folder / name / HEAD).read_bytes())
    except (OSError, ValueError, RecursionError):
        head = {}
    return Incident(name, head if isinstance(head, dict) else {}, tuple(there), size)


def pack(folder: Path, name: str, out: Path, *, words: bool) -> list[str]:
    """Write the incident's files as the .tar.gz `out`, for the user alone, whole or not at all; which files they are.

    `words`: also what was said. Raises IncidentError; OSError for an incident that cannot be read.
    """
    import tarfile

    packed = [file for file in load(folder, name).files if words or file != WORDS_FILE]
    try:
        with whole_file(out) as opened, tarfile.open(fileobj=opened, mode="w:gz") as archive:
            for file in packed:
                archive.add(folder / name / file, f"{name}/{file}", filter=_nobodys)
    except OSError as error:
        absent = isinstance(error, FileNotFoundError)
        raise IncidentError(f"{out}: cannot be written: {error.strerror or error}", missing=absent) from None
    return packed


def _nobodys(info: Any) -> Any:
    """A file of an archive, without who it belongs to here."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info
