"""The scene of an incident, written down: what is known, and what was going on."""

from __future__ import annotations

import faulthandler
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from parlor_tui import __version__
from parlor_tui.appending import append
from parlor_tui.logfile import old_log
from parlor_tui.observe.incidents import HEAD, WORDS_FILE, Cause, let_go, names
from parlor_tui.observe.journal import WORDS, Entry, parse, tail, wordless
from parlor_tui.observe.scrubbing import scrubbed
from parlor_tui.observe.versions import package_versions

MOST_INCIDENTS = 20
MOST_FILE_BYTES = 200_000
"""Nine files of this size stay below 2 MB."""
JOURNAL_MINUTES = 10
_PART = ".part-"
_ABANDONED_S = 3600.0


@dataclass(frozen=True, slots=True)
class Scene:
    """What is known of an incident. `what` is one line; `facts` go into its head; `settings` is TOML.

    `tuning` holds the live settings by their `section.key`, `probes` the newest reading of the machine. `journal` and
    `log` are files that are read when the scene is kept.
    """

    at: datetime
    cause: Cause
    what: str
    facts: Mapping[str, Any]
    settings: str
    tuning: Mapping[str, Any]
    probes: Mapping[str, Any]
    journal: Path
    log: Path


def keep(folder: Path, scene: Scene, most: int = MOST_INCIDENTS) -> str:
    """Keep the scene in a new folder in `folder`, and let others go if there are more than `most`; its name.

    Takes about a tenth of a second. Raises OSError; what was written until then is gone again.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=_PART, dir=folder))
    try:
        for name, content in _contents(scene).items():
            append(part / name, _clean(content))
        name = _renamed(part, folder, f"{scene.at:%Y-%m-%d-%H%M%S}", scene.cause)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        raise
    _let_go(folder, name, most)
    return name


def _contents(scene: Scene) -> dict[str, str]:
    entries = _last_minutes(scene.journal, scene.at)
    head = {"at": scene.at.isoformat(timespec="milliseconds"), "cause": scene.cause, "what": scene.what}
    versions = {
        "parlor-tui": __version__,
        "python": sys.version,
        "platform": platform.platform(),
        "packages": package_versions(),
    }
    contents = {
        HEAD: _json(head | dict(scene.facts)),
        "journal.jsonl": _newest(wordless(entry) for entry in entries),
        "settings.toml": scene.settings,
        "tuning.json": _json(scene.tuning),
        "versions.json": _json(versions),
        "probes.json": _json(scene.probes),
        "native.log": _log_tail(scene.log),
        "stacks.txt": _stacks(),
    }
    if any(word in entry.fields for entry in entries for word in WORDS):
        contents[WORDS_FILE] = _newest(json.dumps(entry.fields).encode() + b"\n" for entry in entries)
    return contents


def _last_minutes(journal: Path, at: datetime) -> list[Entry]:
    """The newest entries of the journal, back to `JOURNAL_MINUTES` before `at`."""
    entries = map(parse, tail(journal, 2 * MOST_FILE_BYTES))
    since = at - timedelta(minutes=JOURNAL_MINUTES)
    return [entry for entry in entries if entry is not None and entry.at >= since]


def _newest(lines: Iterable[bytes]) -> str:
    """The last of `lines`, as many as fit into a file."""
    kept: deque[bytes] = deque()
    size = 0
    for line in lines:
        kept.append(line)
        size += len(line)
        while size > MOST_FILE_BYTES:
            size -= len(kept.popleft())
    return b"".join(kept).decode()


def _log_tail(log: Path) -> str:
    """The end of the log, which may just have been put by."""
    new = _end_of(log, MOST_FILE_BYTES)
    old = _end_of(old_log(log), MOST_FILE_BYTES - len(new)) if len(new) < MOST_FILE_BYTES else b""
    return (old + new).decode("utf-8", errors="replace")


def _end_of(file: Path, most_bytes: int) -> bytes:
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, opened.seek(0, os.SEEK_END) - most_bytes))
            return opened.read(most_bytes)
    except OSError as error:
        return b"" if isinstance(error, FileNotFoundError) else f"({file}: {error.strerror})\n".encode()


def _stacks() -> str:
    """What every thread of this process is doing."""
    with tempfile.TemporaryFile() as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        return file.read().decode("utf-8", errors="replace")


def _json(value: object) -> str:
    return json.dumps(value, indent=1, default=str) + "\n"


def _clean(text: str) -> bytes:
    """The end of `text`, as much as fits into a file, scrubbed line by line: sound waits for no long search."""
    lines = text[-MOST_FILE_BYTES:].splitlines(keepends=True)
    clean = "".join(scrubbed(line, Path.home()) for line in lines)
    return clean.encode("utf-8", errors="replace")[-MOST_FILE_BYTES:]


def _renamed(part: Path, folder: Path, base: str, cause: Cause) -> str:
    for number in range(1, 1000):
        name = f"{base}-{cause}" + ("" if number == 1 else f"-{number}")
        if not (folder / name).exists():
            part.rename(folder / name)
            return name
    raise FileExistsError(f"{folder}: too many incidents of this second")


def _let_go(folder: Path, new: str, most: int) -> None:
    """Delete what is too much; see `incidents.let_go`."""
    for old in let_go(names(folder), new, most):
        shutil.rmtree(folder / old, ignore_errors=True)
    for part in folder.glob(f"{_PART}*"):
        if time.time() - part.stat().st_mtime > _ABANDONED_S:
            shutil.rmtree(part, ignore_errors=True)
