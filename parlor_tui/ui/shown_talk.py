"""The talk on the screen as a conversation that can be exported, also where nothing of it is kept. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from parlor_tui.conversations.record import Conversation, Turn
from parlor_tui.ui.entries import Entry, LineEntry, TurnEntry

When = Callable[[float], datetime]
"""From `now_s` time to the time of day and date."""


def conversation_of(entries: Sequence[Entry], when: When, profile: str = "", model: str = "") -> Conversation:
    """The turns since the last rule."""
    rules = [index for index, entry in enumerate(entries) if isinstance(entry, LineEntry) and entry.rule]
    current = entries[rules[-1] + 1 :] if rules else entries
    taken = [entry for entry in current if isinstance(entry, TurnEntry) and (entry.caption or entry.reply)]
    began = when(taken[0].at_s).isoformat(timespec="seconds") if taken else ""
    turns = tuple(_turn(entry, number, when) for number, entry in enumerate(taken, 1))
    return Conversation("", began, profile, model, turns)


def _turn(entry: TurnEntry, number: int, when: When) -> Turn:
    took_ms = entry.voice_to_voice_ms
    return Turn(
        number,
        "" if entry.earlier else when(entry.at_s).isoformat(timespec="seconds"),
        "typed" if entry.typed else "voice",
        entry.caption,
        entry.reply,
        entry.heard,
        "interrupted" if entry.heard is not None else "completed",
        {} if took_ms is None else {"voice_to_voice": took_ms},
        entry.output_tokens,
    )
