"""How fast bytes come and how long the rest takes, from what has come so far. Pure: time is passed in."""

from __future__ import annotations

import math

SMOOTHED_S = 5.0
"""Speed is that of about the last so many seconds: steady to look at, and a change is seen soon."""
KNOWN_S = 1.0
"""Nothing is said before this much was seen: the first moments of a connection say little."""


class Rate:
    """A smoothed speed. What was there at the first `add` did not come while watching and does not count."""

    def __init__(self) -> None:
        self._done_bytes = 0
        self._seen_s: float | None = None
        self._watched_s = 0.0
        self._smoothed = 0.0

    def add(self, done_bytes: int, at_s: float) -> None:
        """Tell that `done_bytes` are there at `at_s`. Fewer than before, or an earlier time, start anew."""
        if self._seen_s is None or done_bytes < self._done_bytes or at_s < self._seen_s:
            self._done_bytes, self._seen_s, self._watched_s, self._smoothed = done_bytes, at_s, 0.0, 0.0
            return
        passed_s = at_s - self._seen_s
        if passed_s <= 0:
            return
        kept = math.exp(-passed_s / SMOOTHED_S)
        self._smoothed = kept * self._smoothed + (1 - kept) * (done_bytes - self._done_bytes) / passed_s
        self._done_bytes, self._seen_s = done_bytes, at_s
        self._watched_s += passed_s

    @property
    def bytes_per_s(self) -> float:
        """The speed; 0 until it is known."""
        if self._watched_s < KNOWN_S:
            return 0.0
        return self._smoothed / (1 - math.exp(-self._watched_s / SMOOTHED_S))

    def left_s(self, total_bytes: int) -> float | None:
        """How long the rest of `total_bytes` takes at this speed; None if that cannot be told."""
        speed = self.bytes_per_s
        return max(total_bytes - self._done_bytes, 0) / speed if speed >= 1 else None
