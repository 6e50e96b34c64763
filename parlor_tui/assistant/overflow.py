"""What found no room in the inbox: counted, and told once there is room again."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from parlor_tui.counts import Count, count


@dataclass(frozen=True, slots=True)
class Lost:
    """So many blocks of sound (32 ms each), messages of the core, and others were dropped."""

    blocks: int = 0
    of_core: int = 0
    others: int = 0

    @property
    def any(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.blocks or self.of_core or self.others)

    def in_words(self) -> str:
        """What was lost, in one line for the user."""
        parts = [f"{self.blocks * 0.032:.1f} s of sound"] if self.blocks else []
        if messages := self.of_core + self.others:
            parts.append(f"{messages} message{'s' if messages > 1 else ''}")
        return f"this machine does not keep up: {' and '.join(parts)} lost"


class Overflow:
    """Counts from any thread; `take` gives what was counted since the last time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lost = Lost()

    def add(self, *, blocks: int = 0, of_core: int = 0, others: int = 0) -> None:
        """So much was dropped."""
        with self._lock:
            lost = self._lost
            self._lost = Lost(lost.blocks + blocks, lost.of_core + of_core, lost.others + others)
        for what, more in ((Count.INBOX_BLOCKS_LOST, blocks), (Count.INBOX_MESSAGES_LOST, of_core + others)):
            if more:
                count(what, more)

    def take(self) -> Lost:
        """What was dropped since the last call."""
        if not self._lost.any:
            return self._lost
        with self._lock:
            lost, self._lost = self._lost, Lost()
        return lost
