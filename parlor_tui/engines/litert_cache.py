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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.engines.backend_choice import MEMORY_FILE, library_version
from parlor_tui.settings import APP

INDEX_FILE = "models.json"
_OURS = (INDEX_FILE, MEMORY_FILE)
_STAMP = re.compile(r"_(\d{6,})_(\d+)(?=\D|$)")
_SHADERS = "program_cache"


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
        owners = _read_owners(folder)
        stamp = stamp_of(keep)
        outdated = stamp in owners and owners[stamp].library != library_version()
        owners[stamp] = Owner(str(keep.resolve()), at_unix_s, library_version())
        entries = _entries(folder, owners)
        current = {name for name, owner in owners.items() if _still_there(name, owner)}
        gone = to_remove(entries, limit_bytes, keep=stamp, stale=frozenset(owners) - current)
        gone += [entry.name for entry in entries if outdated and stamp_in(entry.name) == stamp]
        for name in gone:
            with contextlib.suppress(
                OSError
            ):  # Windows keeps what another process has open; the next start tries again
                (folder / name).unlink()
        _write_owners(folder, {name: owner for name, owner in owners.items() if name in current})
        return folder
    except OSError:
        return None


def to_remove(
    entries: Sequence[Entry], limit_bytes: int, *, keep: str, stale: frozenset[str] = frozenset()
) -> list[str]:
    """The names of the entries that go.

    `keep` is the stamp of the model about to be loaded, `stale` are the stamps of models that are no longer there.
    """
    gone = [entry.name for entry in entries if stamp_in(entry.name) in stale - {keep}]
    left = [entry for entry in entries if entry.name not in set(gone)]
    total_bytes = sum(entry.size_bytes for entry in left)
    others = [entry for entry in left if stamp_in(entry.name) != keep]
    shaders = [entry for entry in left if stamp_in(entry.name) == keep and _SHADERS in entry.name]
    for entry in [*sorted(others, key=lambda entry: (entry.used_unix_s, entry.name)), *shaders]:
        if total_bytes <= limit_bytes:
            break
        gone.append(entry.name)
        total_bytes -= entry.size_bytes
    return gone


def stamp_of(model: Path) -> str:
    """What the library tells the entries of `model` by. Raises OSError if there is no such file."""
    about = model.stat()
    return f"{model.name}_{int(about.st_mtime)}_{about.st_size}"


def stamp_in(name: str) -> str:
    """The stamp of the model that the entry `name` belongs to; empty if the name has none."""
    found = None
    for found in _STAMP.finditer(name):  # noqa: B007 - the last one: a model's own name may look like a stamp
        pass
    if found is None:
        return ""
    before = name[: found.start()]
    model = re.match(r".*\.litertlm(?=\.|$)", before)
    return f"{model[0] if model else before}{found[0]}"


def _still_there(stamp: str, owner: Owner) -> bool:
    """Whether the model is as it was, and the library still the one that wrote the entries."""
    try:
        return stamp_of(Path(owner.path)) == stamp and owner.library == library_version()
    except OSError:
        return False


def _entries(folder: Path, owners: Mapping[str, Owner]) -> list[Entry]:
    found: list[Entry] = []
    for path in folder.iterdir():
        if path.name.startswith(_OURS) or not path.is_file():
            continue
        with contextlib.suppress(OSError):  # another process was quicker to delete it
            about = path.stat()
            owner = owners.get(stamp_in(path.name))
            used_unix_s = max(about.st_mtime, owner.used_unix_s) if owner else about.st_mtime
            found.append(Entry(path.name, about.st_size, used_unix_s))
    return found


def _read_owners(folder: Path) -> dict[str, Owner]:
    owners: dict[str, Owner] = {}
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, KeyError):
        for stamp, told in json.loads((folder / INDEX_FILE).read_text(encoding="utf-8")).items():
            owners[stamp] = Owner(str(told["path"]), float(told["used_unix_s"]), str(told["library"]))
    return owners


def _write_owners(folder: Path, owners: Mapping[str, Owner]) -> None:
    told = {
        stamp: {"path": owner.path, "used_unix_s": owner.used_unix_s, "library": owner.library}
        for stamp, owner in owners.items()
    }
    new = folder / f"{INDEX_FILE}.{os.getpid()}"
    new.write_text(json.dumps(told, indent=1), encoding="utf-8")
    new.replace(folder / INDEX_FILE)
