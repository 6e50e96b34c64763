"""Replies that were interrupted, until the core has said what was heard of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.link.client_events import ClientEvent, TruncateItem

_KEPT = 8


@dataclass(slots=True)
class _Cut:
    """`told`: the core knows how much of it was heard, or need not know any more."""

    turn: int
    played_ms: float
    item_id: str
    told: bool = False


class Cuts:
    """Tells the core how much of a cut reply was heard, as soon as its item is known. Used by the talk alone."""

    def __init__(self, send: Callable[[ClientEvent], None], playback: Playback) -> None:
        self._send = send
        self._playback = playback
        self._cuts: dict[int, _Cut] = {}

    def add(self, turn: int, item_id: str, played_ms: float) -> None:
        """The reply of `turn` was cut after `played_ms`; `item_id` is "" as long as the core has not named it."""
        self._cuts[turn] = cut = _Cut(turn, played_ms, item_id)
        self._tell(cut)

    def named(self, turn: int, item_id: str) -> None:
        """The core's name for the reply of `turn`, if that was cut."""
        if item_id and (cut := self._cuts.get(turn)) is not None:
            cut.item_id = item_id
            self._tell(cut)

    def turn_of(self, item_id: str) -> int | None:
        """The turn of a cut reply by the core's name for it."""
        return next((cut.turn for cut in self._cuts.values() if cut.item_id == item_id), None)

    def core_lost(self) -> None:
        """Nobody knows them any more."""
        self._cuts.clear()

    def core_forgets(self) -> None:
        """The core is told to forget them: what was heard of them means nothing to it."""
        for cut in self._cuts.values():
            cut.told = True

    def let_old_go(self) -> None:
        """Keep the newest alone."""
        for turn in sorted(self._cuts)[:-_KEPT]:
            del self._cuts[turn]

    def _tell(self, cut: _Cut) -> None:
        if cut.item_id and not cut.told and self._playback.has_speaker:  # what is only shown was read
            cut.told = True
            self._send(TruncateItem(cut.item_id, round(cut.played_ms)))
