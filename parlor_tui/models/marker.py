"""The mark beside checked files: which sha256 they had, and their sizes and times then.

`{NAME: [SHA256, TIME_NS]}` of files that are as the catalogue pins them; `{NAME: [SHA256, TIME_NS, SIZE, REVISION]}` of
those that are as the hub stated them when they were got.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.models.base import Cancelled, ModelFile

MARKER = ".verified"
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class _Mark:
    sha256: str
    time_ns: int
    size_bytes: int = 0
    revision: str = ""


def sha256_of(path: Path, cancelled: threading.Event | None = None) -> str:
    """The file's sha256 in hex. Raises OSError; Cancelled soon after `cancelled` is set."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
            if cancelled is not None and cancelled.is_set():
                raise Cancelled("cancelled")
    return digest.hexdigest()


def write_marker(folder: Path, files: Sequence[ModelFile], revision: str = "") -> None:
    """Mark `files` as checked just now; safe against a crash half-way. Raises OSError.

    `revision` is that of files which are not as pinned but as the hub stated them.
    """
    marks = {
        file.name: [file.sha256, (folder / file.name).stat().st_mtime_ns]
        + ([file.size_bytes, revision] if revision else [])
        for file in files
    }
    new = folder / f"{MARKER}.{os.getpid()}"
    with new.open("w", encoding="utf-8") as out:
        json.dump(marks, out)
        out.flush()
        os.fsync(out.fileno())
    new.replace(folder / MARKER)


def as_stated(folder: Path, files: Sequence[ModelFile]) -> tuple[tuple[ModelFile, ...], str]:
    """`files` as the mark says that the hub stated them, and their revision; as they are, and "", if it does not."""
    marks = _marks(folder)
    stated = [marks[file.name] for file in files if file.name in marks]
    if len(stated) < len(files) or not all(mark.revision for mark in stated):
        return tuple(files), ""
    changed = (ModelFile(file.name, mark.size_bytes, mark.sha256) for file, mark in zip(files, stated, strict=True))
    return tuple(changed), stated[0].revision


def is_whole(folder: Path, files: Sequence[ModelFile]) -> bool:
    """Whether every one of `files` was checked against the sha256 it has now, and has its size."""
    marks = _marks(folder)
    try:
        return all(
            file.name in marks
            and marks[file.name].sha256 == file.sha256
            and (folder / file.name).stat().st_size == file.size_bytes
            for file in files
        )
    except OSError:
        return False


def changed_files(folder: Path, files: Sequence[ModelFile]) -> list[ModelFile]:
    """Those of `files` that were written to since they were checked."""
    marks = _marks(folder)
    return [
        file
        for file in files
        if file.name not in marks or (folder / file.name).stat().st_mtime_ns != marks[file.name].time_ns
    ]


def _marks(folder: Path) -> dict[str, _Mark]:
    """What the mark says; nothing if there is none or it is damaged."""
    try:
        marks = json.loads((folder / MARKER).read_text(encoding="utf-8"))
        return {str(name): _mark(*values) for name, values in marks.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _mark(sha256: object, time_ns: int, size_bytes: int = 0, revision: object = "") -> _Mark:
    return _Mark(str(sha256), int(time_ns), int(size_bytes), str(revision))
