"""What a device told its listener."""

from __future__ import annotations

import threading

from parlor_tui.events import now_s


class Told:
    """Collects what it is called with; one can wait for the first of it."""

    def __init__(self) -> None:
        self.words: list[str | None] = []
        self.at_s: list[float] = []
        self._first = threading.Event()

    def __call__(self, words: str | None) -> None:
        self.words.append(words)
        self.at_s.append(now_s())
        self._first.set()

    def wait(self, seconds: float) -> bool:
        """Whether something was told within `seconds`."""
        return self._first.wait(seconds)
