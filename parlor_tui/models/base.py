"""What the parts of the model store share: the pinned file, the faults, the progress, how long to wait for a source."""

# ruff: noqa: N818 - a fault is called by what is the matter, as in `except DiskFull`

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

STALL_S = 30.0
"""A source from which nothing came for this long has stalled; one that flows slowly has not."""


class ModelError(Exception):
    """Something about a model did not work. The message is one line: what, where, what to do.

    `missing` tells what can be got, or be got later, from a fault.
    """

    missing = False


class ModelMissing(ModelError):
    """The model is not here, or not as it was published; it can be got."""

    missing = True


class ModelUnavailable(ModelError):
    """No source could give the model. The message names each source and its reason."""

    missing = True


class DiskFull(ModelError):
    """There is too little room for the model."""


class ModelBusy(ModelError):
    """Another process is getting the model, or has it open, and does not let go."""


class Cancelled(ModelError):
    """The user no longer wants the model; what came so far is kept where it can be gone on from."""


class SourceFault(Exception):
    """A source cannot give the files. The message is the reason, in a few words."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model as it was published: its size and sha256 (hex) are those of exactly one content."""

    name: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Stated:
    """What a source has in place of the files that were asked for, as its publisher states them, and their revision."""

    files: tuple[ModelFile, ...]
    revision: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far getting `model` is. `total_bytes` is 0 where there is nothing to count.

    `bytes_per_s` is the speed of the last seconds, 0 until it is known; `left_s` the time that the rest takes at that
    speed, None until it can be told. `text` says all of it in words.
    """

    model: str
    source: str
    done_bytes: int
    total_bytes: int
    text: str
    bytes_per_s: float = 0.0
    left_s: float | None = None


@dataclass(frozen=True, slots=True)
class Got:
    """A model that was wanted and what is used: itself, or its stand-in and `why` it cannot be had."""

    wanted: str
    used: str
    why: str = ""

    @property
    def notice(self) -> str:
        """One line for the user if a stand-in is used, else empty."""
        return f"{self.why}; {self.used} stands in for it" if self.used != self.wanted else ""


@dataclass(frozen=True, slots=True)
class Watch:
    """What a source is watched with while it works.

    `connect_s`: the source has this long to answer at all; `stall_s`: the longest time in which nothing comes.
    `report(done_bytes, total_bytes)` is called a few times a second at most. Setting `cancelled` ends the work.
    """

    connect_s: float
    stall_s: float
    cancelled: threading.Event
    report: Callable[[int, int], None]


def in_words(size_bytes: int) -> str:
    """A size as people read it: `92.4 MB`."""
    if size_bytes >= 1_000_000_000:
        return f"{size_bytes / 1e9:.1f} GB"
    if size_bytes >= 1_000_000:
        return f"{size_bytes / 1e6:.1f} MB"
    return f"{max(size_bytes, 0) / 1e3:.0f} kB"


def in_time(seconds: float) -> str:
    """A length of time as people read it: `45 s`, `12 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
