"""Replies, as the terminal tells them: their text, their sound, and what of it was heard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parlor_tui.events.base import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerCount(Event):
    """Replies that were begun at a pause, in this talk: `hits` were used, and had `saved_ms` of a start in all when
    they were asked for; `dropped` came to nothing after `wasted_ms` of work.
    """

    hits: int
    dropped: int
    saved_ms: float
    wasted_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyText(Event):
    """The next piece of the reply's text; the last one is empty and `final`, with the whole reply in `whole`."""

    turn: int
    delta: str
    final: bool = False
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyUnitReady(Event):
    """A clause or sentence of the reply was handed to the voice."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTimed(Event):
    """When the words of the unit `text` have been said: for each its end in `text`, in characters, and its `played_ms`.

    A reply's units come in order.
    """

    turn: int
    text: str
    ends_ms: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyAudioArrived(Event):
    """A block of the reply's speech arrived from the core."""

    turn: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyYields(Event):
    """The reply `turn` makes way for a voice that may be a turn: it is quieter, silent for now, or goes on in full."""

    turn: int
    how: Literal["dipped", "held", "resumed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStarted(Event):
    """The first sample of the reply became audible at `at_s`."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStopped(Event):
    """The speaker fell silent after `played_ms` of the reply."""

    turn: int
    played_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted(Event):
    """The reply was stopped after `played_ms` of it were heard; `HeardText` follows with the words."""

    turn: int
    by: Literal["voice", "key", "turn"]
    played_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardText(Event):
    """What the user heard of an interrupted reply, as the core will remember it."""

    turn: int
    heard: str
