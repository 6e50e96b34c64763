"""How the program is: its state, its core and models, and what the user should read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parlor_tui.events.base import Event, ModelOutcome, Severity, State


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged(Event):
    """The assistant's state is now `state`."""

    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading(Event):
    """Progress of loading or downloading; `total_bytes` is 0 where there is nothing to count."""

    text: str
    done_bytes: int = 0
    total_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreFound(Event):
    """A core answered: its profile and model."""

    profile: str
    model: str
    demo_grade: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready(Event):
    """One can talk or type now. `load_ms` is the core's own loading time; `hears`, `sees`: the model itself does.

    `voices` are those that replies can be spoken with.
    """

    profile: str
    model: str
    load_ms: float
    hears: bool = False
    sees: bool = False
    voices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffered(Event):
    """A more capable model can be got; the fields are those of `CoreOffer`.

    `declined`: the user said "not now" to it at some time, and is not to be asked again.
    """

    name: str
    model: str
    lines: tuple[str, ...]
    left_bytes: int
    came_bytes: int
    free_bytes: int
    licences: tuple[str, ...]
    fits: bool
    declined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComing(Event):
    """How far getting the offered model is; the fields are those of `CoreFetching`."""

    name: str
    text: str
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_s: float = 0.0
    left_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOver(Event):
    """An offer is over; `text` says so in one line. After all but `got` and `declined` it is made anew."""

    name: str
    outcome: ModelOutcome | Literal["declined"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Governed(Event):
    """The core does with less, or no longer does; the fields are those of `CoreGoverned`."""

    level: int
    reasons: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """One line the user should read. With a `key` it stands until the trouble of that name is over (`text` empty)."""

    text: str
    severity: Severity = "info"
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Event):
    """Something the user asked for did not work; one line: what, where, what to do. `missing`: a thing is absent."""

    text: str
    missing: bool = False
