"""Conversations that are begun, taken up again, and kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parlor_tui.events.base import Event


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A turn of a conversation that is taken up again: what was said, and what was heard of the reply.

    `when` is the day and time of it, in words; `unheard` the rest of a reply that was cut off.
    """

    said: str
    heard: str
    unheard: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationBegun(Event):
    """The model remembers nothing from before but `earlier`: nothing, or the conversation `name` taken up again.

    What was typed up to `asked_at_s` and waits to be sent is not sent any more.
    """

    asked_at_s: float
    name: str = ""
    earlier: tuple[EarlierTurn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingChanged(Event):
    """What is kept of the talk from now on; `name` is that of the conversation it is kept as, once there is one."""

    record: Literal["off", "text", "text+audio"]
    name: str = ""
