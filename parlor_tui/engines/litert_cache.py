"""The folder in which LiteRT-LM keeps compiled weights and shaders: bounded, and rid of what no model needs any more.

The library names its files after the model's file, its time in seconds and its size in bytes, in either order:
    gemma-4-e2b.litertlm_1780971684_2588147712.vision_encoder.xnnpack_cache      weights, arranged for this processor
    gemma-4-e2b.litertlm_1780971684_2588147712_mldrift_weight_cache.bin          the same for a GPU
    gemma-4-e2b.litertlm_1780971684_2588147712_mldrift_program_cache.bin         compiled shaders
    gemma-4-e2b.litertlm.xnnpack_cache_1780971684_2588147712                     as older versions named them
It deletes none of them itself: a model that is downloaded anew leaves its old ones behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from parlor_tui.engines.backend_choice import MEMORY_FILE, library_version
from parlor_tui.settings import APP

INDEX_FILE = "models.json"
_OURS = (INDEX_FILE, MEMORY_FILE)
_STAMP = re.compile(r"_(\d{6,})_(\d+)(?=\D|$)")
_MODEL = re.compile(r".*\.litertlm(?=[._]|$)")
_SHADERS = "program_cache"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells the entries of a model apart: its file's name, time of change and size."""

    model: str
    changed_unix_s: int
    size_bytes: int

    def same(self, other: Stamp | None) -> bool:
        """Whether both are of one file. The library's seconds may be one off: it converts between two clocks."""
        return (
            other is not None
            and (self.model, self.size_bytes) == (other.model, other.size_bytes)
            and abs(self.changed_unix_s - other.changed_unix_s) <= 1
        )

    def among(self, others: Iterable[Stamp]) -> bool:
        """Whether it is the same as one of `others`."""
        return any(self.same(other) for other in others)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the cache. `used_unix_s`: when it was last needed, as far as that is known."""

    name: str
    size_bytes: int
    used_unix_s: float


@dataclass(frozen=True, slots=True)
class Owner:
    """The model that entries of one stamp belong to, as it was when it was last loaded, and by which library."""

    path: str
    used_unix_s: float
    library: str


def default_folder() -> Path:
    """The cache folder where none is given."""
    import platformdirs

    return Path(platformdirs.user_cache_path(APP, appauthor=False)) / "litert"


def prepare(folder: Path, limit_bytes: int, keep: Path, *, at_unix_s: float) -> Path | None:
    """Make the folder ready for the model at `keep`: what no model needs goes, then the oldest above `limit_bytes`.

    The entries of `keep` stay, except those of another version of the library, and shaders that bring the folder above
    the limit when nothing else is left to go (some drivers only ever add to them). None if there is to be no cache: the
    limit is 0, or the folder cannot be used; the model then loads slower.
    Other processes may use the folder. `at_unix_s` is the time by the clock on the wall, as files have it.
    """
    if limit_bytes <= 0:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = _read_owners(folder)
        stamp = stamp_of(keep)
        owners = {other: owner for other, owner in known.items() if not other.same(stamp)}
        stale = [other for other, owner in owners.items() if not _still_there(other, owner)]
        entries = _entries(folder, known)
        gone = to_remove(entries, limit_bytes, keep=stamp, stale=stale)
        if any(owner.library != library_version() for other, owner in known.items() if other.same(stamp)):
            gone += [entry.name for entry in entries if stamp.same(stamp_in(entry.name))]
        for name in gone:
            with contextlib.suppress(
                OSError
            ):  # Windows keeps what another process has open; the next start tries again
                (folder / name).unlink()
        for other in stale:
            del owners[other]
        _write_owners(folder, {**owners, stamp: Owner(str(keep.resolve()), at_unix_s, library_version())})
        return folder
    except OSError:
        return None


def to_remove(entries: Sequence[Entry], limit_bytes: int, *, keep: Stamp, stale: Collection[Stamp] = ()) -> list[str]:
    """The names of the entries that go.

    `keep` is the stamp of the model about to be loaded, `stale` are the stamps of models that are no longer there.
    """
    gone: list[str] = []
    others: list[Entry] = []
    shaders: list[Entry] = []
    total_bytes = 0
    for entry in entries:
        stamp = stamp_in(entry.name)
        mine = keep.same(stamp)
        if stamp is not None and not mine and stamp.among(stale):
            gone.append(entry.name)
            continue
        total_bytes += entry.size_bytes
        if not mine:
            others.append(entry)
        elif _SHADERS in entry.name:
            shaders.append(entry)
    for entry in [*sorted(others, key=lambda entry: (entry.used_unix_s, entry.name)), *shaders]:
        if total_bytes <= limit_bytes:
            break
        gone.append(entry.name)
        total_bytes -= entry.size_bytes
    return gone


def stamp_of(model: Path) -> Stamp:
    """What the library tells the entries of `model` by. Raises OSError if there is no such file."""
    about = model.stat()
    return Stamp(model.name, int(about.st_mtime), about.st_size)


def stamp_in(name: str) -> Stamp | None:
    """The stamp of the model that the entry `name` belongs to; None if the name has none."""
    found = list(_STAMP.finditer(name))
    if not found:
        return None
    last = found[-1]  # a model's own name may look like a stamp
    before = name[: last.start()]
    model = _MODEL.match(before)
    return Stamp(model[0] if model else before, int(last[1]), int(last[2]))


def _still_there(stamp: Stamp, owner: Owner) -> bool:
    """Whether the model is as it was, and the library still the one that wrote the entries."""
    try:
        return stamp.same(stamp_of(Path(owner.path))) and owner.library == library_version()
    except OSError:
        return False


def _entries(folder: Path, owners: Mapping[Stamp, Owner]) -> list[Entry]:
    found: list[Entry] = []
    for path in folder.iterdir():
        if path.name.startswith(_OURS) or not path.is_file():
            continue
        with contextlib.suppress(OSError):  # another process was quicker to delete it
            about = path.stat()
            stamp = stamp_in(path.name)
            used = [owner.used_unix_s for other, owner in owners.items() if other.same(stamp)]
            found.append(Entry(path.name, about.st_size, max([about.st_mtime, *used])))
    return found


def _read_owners(folder: Path) -> dict[Stamp, Owner]:
    owners: dict[Stamp, Owner] = {}
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        for told in json.loads((folder / INDEX_FILE).read_text(encoding="utf-8")):
            stamp = Stamp(str(told["model"]), int(told["changed_unix_s"]), int(told["size_bytes"]))
            owners[stamp] = Owner(str(told["path"]), float(told["used_unix_s"]), str(told["library"]))
    return owners


def _write_owners(folder: Path, owners: Mapping[Stamp, Owner]) -> None:
    told = [{**asdict(stamp), **asdict(owner)} for stamp, owner in owners.items()]
    new = folder / f"{INDEX_FILE}.{os.getpid()}"
    new.write_text(json.dumps(told, indent=1), encoding="utf-8")
    new.replace(folder / INDEX_FILE)
