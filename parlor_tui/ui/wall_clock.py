"""The time of day at which something happened, by the one clock of events. Nothing here draws."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from parlor_tui.events import now_s

_KEPT = 64
_JUMP = timedelta(seconds=2)
"""Two clocks of one machine drift apart by less than that between two looks."""


def _now() -> datetime:
    return datetime.now().astimezone()


class WallClock:
    """From `now_s` to date and time of day: also after the machine slept, which `now_s` may not count.

    `look` is to be called often: what happened before a jump of the clock keeps the time that it had.
    """

    def __init__(self, wall: Callable[[], datetime] = _now, steady_s: Callable[[], float] = now_s) -> None:
        self._wall = wall
        self._steady_s = steady_s
        self._looked_s = steady_s()
        self._zeros = deque([(self._looked_s, wall() - timedelta(seconds=self._looked_s))], maxlen=_KEPT)

    def look(self) -> None:
        """Notice that one clock went on without the other."""
        at_s = self._steady_s()
        zero = self._wall() - timedelta(seconds=at_s)
        if abs(zero - self._zeros[-1][1]) > _JUMP:
            self._zeros.append((self._looked_s, zero))
        self._looked_s = at_s

    def at(self, at_s: float) -> datetime:
        """When `at_s` was, as local time with its offset."""
        zeros = (zero for since_s, zero in reversed(self._zeros) if at_s > since_s)
        return next(zeros, self._zeros[0][1]) + timedelta(seconds=at_s)
