"""The user's turns, as the terminal tells them: speech, captions, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from parlor_tui.events.base import Event, TurnStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted(Event):
    """The user began to speak (the first frame over the threshold)."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStopped(Event):
    """The user fell silent. `dropped`: it was too short to be speech, and no turn comes of it."""

    turn: int
    last_speech_at_s: float
    dropped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseJudged(Event):
    """The user paused: `wait_ms` of silence will end the turn. `why` is the reason in a word or two.

    `finished` is how likely (0..1) it sounds over, None if unknown.
    """

    turn: int
    wait_ms: int
    why: str
    finished: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption(Event):
    """What the user said, whole text each time; `final` once it will not change."""

    turn: int
    text: str
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaTaken(Event):
    """At `at_s` the model had taken in this turn's sound or picture, after `took_ms` of encoding."""

    turn: int
    kind: Literal["sound", "picture"]
    took_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCommitted(Event):
    """The user's turn is over and the reply is being made. `last_speech_at_s` is None for a typed turn.

    `pictured`: the camera's picture went along; whether the model looked at it, `MediaTaken` tells.
    """

    turn: int
    last_speech_at_s: float | None
    pictured: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDone(Event):
    """A turn is over. Stage names are those of `observe.stages`; a stage that did not happen is absent."""

    turn: int
    status: TurnStatus
    heard: str
    reply: str
    stages_ms: Mapping[str, float]
    output_tokens: int
    eager_ms: float = 0.0
    """How long before it was asked for the reply had begun."""
    writing_ms: float = 0.0
    """Between the reply's first token and its last, where they were written; 0 where nobody measured it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain(Event):
    """The core died before a word of the reply was heard: the next core answers the turn; what was written is void."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOver(Event):
    """The file that stands in for the microphone is over; silence follows."""
