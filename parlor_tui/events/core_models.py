"""How far the core is with its models, and which others it offers."""

from __future__ import annotations

from dataclasses import dataclass

from parlor_tui.events.base import ModelOutcome


@dataclass(frozen=True, slots=True)
class CoreHello:
    """First word of the core on a new link: who it is. What its engine can do is known once it is loaded."""

    session_id: str
    profile: str
    model: str
    demo_grade: bool


@dataclass(frozen=True, slots=True)
class CoreLoading:
    """Progress until the core is ready. `total_bytes` is 0 where there is nothing to count."""

    text: str
    done_bytes: int = 0
    total_bytes: int = 0


@dataclass(frozen=True, slots=True)
class CoreReady:
    """Every model of the profile is loaded and warmed up; `load_ms` is how long that took in the core.

    `profile` and `model` are what was loaded in the end; `hears` and `sees`: the model does so by itself. `voices` are
    those that it can speak with.
    """

    load_ms: float
    profile: str
    model: str
    hears: bool
    sees: bool
    voices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoreFailed:
    """The core cannot become ready. `missing` tells a thing that can be got from a fault."""

    message: str
    missing: bool


@dataclass(frozen=True, slots=True)
class CoreOffer:
    """A more capable model than the one in use can be got: `name` in the catalogue, `model` as people know it.

    `lines` are the offer in plain words: what comes, its size and licence, and the room on the disk. `left_bytes` still
    have to come, `came_bytes` of an earlier try are here already; `fits`: the disk has room for the rest.
    """

    name: str
    model: str
    lines: tuple[str, ...]
    left_bytes: int
    came_bytes: int
    free_bytes: int
    licences: tuple[str, ...]
    fits: bool


@dataclass(frozen=True, slots=True)
class CoreFetching:
    """How far getting what was offered is, in words too: `name` is the model that comes now.

    `total_bytes` is 0 where there is nothing to count.
    `bytes_per_s` is 0 until it is known, `left_s` None until it can be told.
    """

    name: str
    text: str
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_s: float = 0.0
    left_s: float | None = None


@dataclass(frozen=True, slots=True)
class CoreFetched:
    """Getting the offered model is over; `text` says so in one line, for a failure with what to do.

    What came of one that failed or was cancelled is kept, and gone on from. One that was got is used by the next core.
    """

    name: str
    model: str
    outcome: ModelOutcome
    text: str
