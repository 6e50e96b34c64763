"""Whether a new core is told what the talk was about, and whether all of it is kept. Pure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from parlor_tui.conversations.record import Turn
from parlor_tui.events import CoreFound, Event, TurnDone
from parlor_tui.link.client_events import ClientEvent, CreateItem, UpdateSession

LAST_TURNS = 20
"""So many of the last turns are looked for among what a core is told: it is told more."""


class Remembering:
    """Follows one talk. `restored` counts how often a core was told of it, `forgotten` the turns that it was not told.

    `done` counts the turns that came to an end, by what was said and how they ended.
    """

    def __init__(self) -> None:
        self.restored = 0
        self.forgotten: list[str] = []
        self.done: Counter[tuple[str, str]] = Counter()
        self._said: deque[str] = deque(maxlen=LAST_TURNS)
        self._wanted: Counter[str] | None = None

    def take(self, event: Event) -> None:
        """Take one of the assistant's events."""
        match event:
            case CoreFound():
                self._told_enough()
                self._wanted = Counter(self._said)
            case TurnDone():
                self._told_enough()
                self.done[event.heard, event.status] += 1
                if event.heard:
                    self._said.append(event.heard)
            case _:
                pass

    def told(self, event: ClientEvent) -> None:
        """The core is told so."""
        if self._wanted is None or isinstance(event, UpdateSession):
            return
        if isinstance(event, CreateItem) and event.role == "user":
            self._wanted -= Counter([event.text])

    def finish(self) -> None:
        """The talk is over."""
        self._told_enough()

    def not_kept(self, kept: Iterable[Turn]) -> list[str]:
        """What was said in those turns that are not among `kept`. A turn without words leaves nothing to keep."""
        there = Counter((turn.said, turn.status) for turn in kept)
        return [said or "(no words)" for said, status in (self.done - there).elements() if status != "no_words"]

    def _told_enough(self) -> None:
        """What the newest core was told of the talk so far is told by now."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None and self._said:
            self.restored += 1
            self.forgotten += wanted.elements()
