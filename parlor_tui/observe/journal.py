"""The journal: one JSON object a line, in files that are put by at a size; written, read, and followed.

`journal.jsonl` is the newest file; `journal-000007-4711.jsonl` one that was put by, as the seventh, by process 4711.
Several terminals may write at the same time: lines are appended as a whole, and putting by is one renaming.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, cast, get_args

from parlor_tui.appending import after_torn, append
from parlor_tui.observe.stages import VOICE_TO_VOICE

Kind = Literal["turn", "core", "notice"]
KINDS: tuple[Kind, ...] = get_args(Kind)
WORDS = ("said", "reply")
"""Fields that hold what was said; they are in the journal only if the user wants it."""
_MOST_NUMBER = 1e15
_TOO_BIG = 2
"""A file that cannot be put by grows to so many times its size at most."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the journal. `at` is the time of day, with its zone; `fields` all that the line holds, as it was read.

    The properties are for a `turn`. Where a field is absent, or is not what it should be, they are empty.
    """

    at: datetime
    kind: Kind
    fields: Mapping[str, Any]

    def text(self, name: str) -> str:
        """The text in the field `name`, or ""."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        """The finite number in the field `name`."""
        return _number(self.fields.get(name))

    def group(self, name: str) -> Mapping[str, Any]:
        """The fields within the field `name`."""
        value = self.fields.get(name)
        return value if isinstance(value, dict) else {}

    @property
    def stages_ms(self) -> dict[str, float]:
        """The stages of the turn by their names."""
        numbers = {name: _number(ms) for name, ms in self.group("stages_ms").items()}
        return {name: ms for name, ms in numbers.items() if ms is not None}

    @property
    def total_ms(self) -> float | None:
        """From voice to voice; for a reply that was not heard, all its stages together; None without any."""
        stages = self.stages_ms
        return stages.get(VOICE_TO_VOICE, sum(stages.values()) if stages else None)


def line(at: datetime, kind: Kind, **fields: Any) -> bytes:
    """A line of the journal; a field that is None or empty is left out, and so is a number that is not finite."""
    kept = {name: value for name, value in (_known(fields) or {}).items() if value not in ("", {}, [])}
    return json.dumps({"at": at.isoformat(timespec="milliseconds"), "kind": kind, **kept}).encode() + b"\n"


def parse(raw: bytes) -> Entry | None:
    """The entry of a line; None for one that was torn, or is none."""
    try:
        told = json.loads(raw.decode())
        at = datetime.fromisoformat(told["at"])
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    if not isinstance(told, dict) or told.get("kind") not in KINDS or at.tzinfo is None:
        return None
    return Entry(at, cast(Kind, told["kind"]), told)


def wordless(entry: Entry) -> bytes:
    """The entry as a line, without any word that was said."""
    return json.dumps({name: value for name, value in entry.fields.items() if name not in WORDS}).encode() + b"\n"


class JournalFile:
    """Appends to the journal at `path`; used by one thread. No file is longer than `limit_bytes`, but for one line.

    `files` are kept in all, this one included.
    """

    def __init__(self, path: Path, limit_bytes: int, files: int) -> None:
        self._path = path
        self._limit_bytes = limit_bytes
        self._files = files

    def append(self, raw: bytes) -> None:
        """Add a line. Raises OSError with the file's name."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._make_room(len(raw))
        append(self._path, after_torn(self._path) + raw)

    def _make_room(self, more_bytes: int) -> None:
        try:
            size = self._path.stat().st_size
        except FileNotFoundError:
            return
        if size == 0 or size + more_bytes <= self._limit_bytes:
            return
        earlier = put_by(self._path)
        number = _number_of(earlier[-1]) + 1 if earlier else 1
        try:
            self._path.rename(self._path.with_name(f"{self._path.stem}-{number:06d}-{os.getpid()}.jsonl"))
        except FileNotFoundError:  # another terminal was quicker
            return
        except OSError:  # on Windows while somebody reads it: later, then
            if size + more_bytes > _TOO_BIG * self._limit_bytes:
                raise
            return
        earlier = put_by(self._path)
        for old in earlier[: max(0, len(earlier) - (self._files - 1))]:
            with contextlib.suppress(OSError):  # the next time, then
                old.unlink()


def put_by(path: Path) -> list[Path]:
    """The files of the journal at `path` that were put by, oldest first. Raises OSError."""
    form = re.compile(rf"{re.escape(path.stem)}-\d{{6,12}}-\d+\.jsonl")
    try:
        names = [entry.name for entry in os.scandir(path.parent) if form.fullmatch(entry.name)]
    except FileNotFoundError:
        return []
    return sorted((path.with_name(name) for name in names), key=lambda file: (_number_of(file), file.name))


def tail(path: Path, most_bytes: int) -> list[bytes]:
    """The last whole lines of the journal at `path`, `most_bytes` of them at most. Raises OSError."""
    kept = b""
    for file in (path, *reversed(put_by(path)[-1:])):
        with contextlib.suppress(FileNotFoundError), file.open("rb") as opened:
            began = max(0, opened.seek(0, os.SEEK_END) - (most_bytes - len(kept)))
            opened.seek(began)
            part = opened.read(most_bytes - len(kept))
            kept = part + (b"" if part.endswith(b"\n") else b"\n") + kept
            if began:
                return kept.splitlines(keepends=True)[1:]
    return kept.splitlines(keepends=True)


class Follower:
    """Reads the newest file of the journal at `path`, which may not be there yet, as it grows and is put by.

    Every method, and the constructor, raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = _place(path)
        self._known = self._put_by_but(self._place)
        self._offset = 0
        self._rest = b""

    def earlier(self) -> Iterator[bytes]:
        """The lines of the files that were put by before it began to follow."""
        for file in self._known:
            with contextlib.suppress(FileNotFoundError), file.open("rb") as opened:
                yield from opened

    def fresh(self, *, rest: bool = False) -> Iterator[bytes]:
        """The lines that were added since the last call; with `rest` also the last one, if its end is missing yet."""
        place = _place(self._path)
        if place != self._place:
            for old in self._put_by_but(place):
                if old not in self._known:
                    yield from self._switched(_place(old))
                    yield from self._grown(old)
            yield from self._switched(place)
            self._known = self._put_by_but(place)
        if place is not None:
            yield from self._grown(self._path)
        if rest and self._rest:
            yield self._rest

    def _put_by_but(self, place: int | None) -> list[Path]:
        """What was put by, but for the file `place`, which may have been just now."""
        return [file for file in put_by(self._path) if place is None or _place(file) != place]

    def _switched(self, place: int | None) -> Iterator[bytes]:
        """From now on the file `place` is read; of the one before, what is left."""
        if place != self._place:
            if self._rest:
                yield self._rest
            self._place, self._offset, self._rest = place, 0, b""

    def _grown(self, file: Path) -> Iterator[bytes]:
        with contextlib.suppress(FileNotFoundError), file.open("rb") as opened:
            if os.fstat(opened.fileno()).st_ino != self._place:  # it was put by this moment
                return
            if opened.seek(0, os.SEEK_END) < self._offset:
                self._offset, self._rest = 0, b""
            opened.seek(self._offset)
            for raw in opened:
                self._offset += len(raw)
                whole, self._rest = self._rest + raw, b""
                if whole.endswith(b"\n"):
                    yield whole
                else:
                    self._rest = whole


def _place(path: Path) -> int | None:
    """What a file is known by, whatever its name becomes."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _number_of(file: Path) -> int:
    return int(file.stem.rsplit("-", 2)[1])


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST_NUMBER:
        return None
    return float(value)


def _known(value: Any) -> Any:
    """`value` without what is None or no finite number, at any depth."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        known = {str(name): _known(one) for name, one in value.items()}
        return {name: one for name, one in known.items() if one is not None}
    return value
