"""A model file of the user's own: whether it is a whole `.litertlm`, told by its head, before an engine loads it.

The head: `LITERTLM`, the format's version as three numbers of 4 bytes, 4 bytes of nothing, and the 8-byte offset of the
head's end; from byte 32 to there a FlatBuffer, whose sections say where in the file each begins and ends. All numbers
are little-endian.
"""

from __future__ import annotations

import os
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.models.base import ModelError, ModelMissing, in_words

MAGIC = b"LITERTLM"
KNOWN_MAJOR = 1
"""Of another version of the format only the engine can tell whether a file is whole."""
TABLE_AT = 32
HEAD_BYTES = 1 << 20
"""A head longer than this is none: a real one is a few kB."""
_SECTIONS, _OBJECTS, _END = 1, 0, 2
"""Fields of the FlatBuffer's tables: the root's sections, their list, a section's end."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A `.litertlm` file that looks whole."""

    path: Path
    size_bytes: int


def local_model(path: Path) -> LocalModel:
    """The file at `path`. Raises ModelMissing if there is none, ModelError if it cannot be read or is not one."""
    try:
        file = path.expanduser()
        mode = file.stat().st_mode
        if stat.S_ISDIR(mode):
            raise ModelError(f"{path}: a folder; name the .litertlm file in it")
        if not stat.S_ISREG(mode):  # reading a pipe or a device might never end
            raise ModelError(f"{path}: not a file")
        with file.open("rb") as opened:
            head = opened.read(HEAD_BYTES)
            size_bytes = opened.seek(0, os.SEEK_END)
    except (FileNotFoundError, NotADirectoryError):
        raise ModelMissing(f"{path}: there is no such model file") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RuntimeError):  # a null byte in it, or the ~ of an unknown user
        raise ModelError(f"{str(path)!r}: not a path") from None
    if not head.startswith(MAGIC):
        raise ModelError(f"{path}: not a .litertlm file: it does not begin with {MAGIC.decode()}")
    try:
        (major,) = struct.unpack_from("<I", head, len(MAGIC))
        end = _end_of_sections(head) if major == KNOWN_MAJOR else 0
    except (struct.error, IndexError):
        raise ModelError(f"{path}: its head is damaged or cut short: copy or download it again") from None
    if end > size_bytes:
        raise ModelError(
            f"{path}: cut short: {in_words(size_bytes)} of {in_words(end)} are there: copy or download it again"
        )
    return LocalModel(file, size_bytes)


def _end_of_sections(head: bytes) -> int:
    """Where the last section ends, in bytes from the file's beginning. Raises struct.error, IndexError."""
    table_end: int = struct.unpack_from("<Q", head, 24)[0]
    table = head[TABLE_AT:table_end]
    root = _number(table, 0)
    holder = _pointed(table, _field(table, root, _SECTIONS))
    sections = _pointed(table, _field(table, holder, _OBJECTS))
    ends = [table_end]
    for number in range(_number(table, sections)):
        section = _pointed(table, sections + 4 + 4 * number)
        (end,) = struct.unpack_from("<Q", table, _field(table, section, _END))
        ends.append(end)
    return max(ends)


def _number(table: bytes, at: int) -> int:
    if at < 0:
        raise IndexError(at)
    return int(struct.unpack_from("<I", table, at)[0])


def _pointed(table: bytes, at: int) -> int:
    """Where the offset at `at` points to."""
    return at + _number(table, at)


def _field(table: bytes, at: int, number: int) -> int:
    """Where field `number` of the FlatBuffer table at `at` is. Raises IndexError if the table has no such field."""
    (back,) = struct.unpack_from("<i", table, at)
    layout = at - back
    if layout < 0:
        raise IndexError(layout)
    (layout_bytes,) = struct.unpack_from("<H", table, layout)
    place = 4 + 2 * number
    offset = struct.unpack_from("<H", table, layout + place)[0] if place + 2 <= layout_bytes else 0
    if offset == 0:
        raise IndexError(number)
    return at + int(offset)
