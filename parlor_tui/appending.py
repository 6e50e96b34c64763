"""Lines added to a file: for its owner alone, past every buffer of this process, and never behind half a line."""

from __future__ import annotations

import os
from pathlib import Path


def append(file: Path, content: bytes) -> None:
    """Append to `file`, which is made if it is absent: it survives a kill. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(file, flags, 0o600)
    try:
        rest = memoryview(content)
        while rest:  # a full disk takes a part first, and fails with the next
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        error.filename = str(file)
        raise
    finally:
        os.close(descriptor)


def after_torn(file: Path) -> bytes:
    """A line's end, if the last line of `file` has none. Raises OSError."""
    try:
        with file.open("rb") as opened:
            if opened.seek(0, os.SEEK_END) == 0:
                return b""
            opened.seek(-1, os.SEEK_END)
            return b"" if opened.read(1) == b"\n" else b"\n"
    except FileNotFoundError:
        return b""
