"""Which turn a caption of the core's belongs to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from parlor_tui.counts import Count, count

_MOST = 64
"""Far more turns than anybody has while the core is silent."""


class CaptionTurns:
    """Turns whose sound was committed, and the core's names for it. `committed` are those it is told of anew."""

    def __init__(self, committed: Iterable[int] = ()) -> None:
        self._unnamed: deque[int] = deque(committed, _MOST)
        self._turn_of_item: dict[str, int] = {}

    def committed(self, turn: int) -> None:
        """The sound of the turn goes to the core, which names it in order."""
        if len(self._unnamed) == _MOST:
            count(Count.CAPTIONS_UNNAMED)
        self._unnamed.append(turn)

    def named(self, item_id: str) -> None:
        """The core's name for the sound that it was sent first of those without one."""
        if self._unnamed:
            self._turn_of_item[item_id] = self._unnamed.popleft()
            while len(self._turn_of_item) > _MOST:
                del self._turn_of_item[next(iter(self._turn_of_item))]

    def turn_of(self, item_id: str, otherwise: int | None) -> int | None:
        """The turn of a caption that may still change; `otherwise` for a name that is not known yet."""
        return self._turn_of_item.get(item_id, otherwise)

    def settled(self, item_id: str) -> int | None:
        """The turn of a caption that is final; None if nobody waits for it any more."""
        return self._turn_of_item.pop(item_id, None)
