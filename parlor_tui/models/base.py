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
class Progress:
    """How far getting `model` is. `total_bytes` is 0 where there is nothing to count."""

    model: str
    source: str
    done_bytes: int
    total_bytes: int
    text: str


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
