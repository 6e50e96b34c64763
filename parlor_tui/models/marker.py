"""The mark beside checked files: which sha256 they had, and their sizes and times then."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from parlor_tui.models.base import ModelFile

MARKER = ".verified"


def sha256_of(path: Path) -> str:
    """The file's sha256 in hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_marker(folder: Path, files: Sequence[ModelFile]) -> None:
    """Mark `files` as checked just now; safe against a crash half-way. Raises OSError."""
    marks = {file.name: [file.sha256, (folder / file.name).stat().st_mtime_ns] for file in files}
    new = folder / f"{MARKER}.{os.getpid()}"
    with new.open("w", encoding="utf-8") as out:
        json.dump(marks, out)
        out.flush()
        os.fsync(out.fileno())
    new.replace(folder / MARKER)


def is_whole(folder: Path, files: Sequence[ModelFile]) -> bool:
    """Whether every one of `files` was checked against the sha256 it has now, and has its size."""
    marks = _marks(folder)
    try:
        return all(
            marks.get(file.name, ("", 0))[0] == file.sha256 and (folder / file.name).stat().st_size == file.size_bytes
            for file in files
        )
    except OSError:
        return False


def changed_files(folder: Path, files: Sequence[ModelFile]) -> list[ModelFile]:
    """Those of `files` that were written to since they were checked."""
    marks = _marks(folder)
    return [file for file in files if (folder / file.name).stat().st_mtime_ns != marks.get(file.name, ("", 0))[1]]


def _marks(folder: Path) -> dict[str, tuple[str, int]]:
    """What the mark says; nothing if there is none or it is damaged."""
    try:
        marks = json.loads((folder / MARKER).read_text(encoding="utf-8"))
        return {str(name): (str(sha256), int(time_ns)) for name, (sha256, time_ns) in marks.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
