"""What the core makes of what a client says: items, captions, pauses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parlor_tui.events.base import Role


@dataclass(frozen=True, slots=True)
class InputCommitted:
    """The audio sent so far became the user item `item_id`."""

    item_id: str


@dataclass(frozen=True, slots=True)
class InputCleared:
    """The audio sent so far was thrown away."""


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item entered the conversation; `done` once nothing more will be added to it."""

    item_id: str
    role: Role
    text: str
    done: bool
    previous_item_id: str | None = None


@dataclass(frozen=True, slots=True)
class ItemDeleted:
    """The item is no longer part of the conversation."""

    item_id: str


@dataclass(frozen=True, slots=True)
class ItemTruncated:
    """The memory of reply `item_id` now ends where the user stopped hearing it."""

    item_id: str
    audio_end_ms: int
    heard_text: str


@dataclass(frozen=True, slots=True)
class CaptionPartial:
    """What the user seems to have said so far. The whole text each time: later ones may correct earlier ones."""

    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CaptionFinal:
    """What the user said; empty when there were no words. `audio_ms` is the length of the audio."""

    item_id: str
    text: str
    audio_ms: float


@dataclass(frozen=True, slots=True)
class TurnJudged:
    """What the core makes of the user's pause number `pause`: the words so far, in which language ("" if unknown).

    `finished` is how likely (0..1) the turn sounds over; None if nobody listened for that. `answering`: a reply is
    being made, unheard; `ReplyReady` follows.
    """

    turn: int
    pause: int
    text: str
    language: str = ""
    finished: float | None = None
    answering: bool = False


@dataclass(frozen=True, slots=True)
class InputTaken:
    """The model took a sound or a picture in by itself. `took_ms`: its encoder's time; `ago_ms`: how long it is over.

    `turn` is the number of the reply it was for; -1 while the user's turn is still under way.
    """

    turn: int
    kind: Literal["sound", "picture"]
    took_ms: float
    ago_ms: float
