"""Real speed for files that stand in for devices, and the time that a real one has been still."""

from __future__ import annotations

from collections.abc import Callable

from parlor_tui.events import now_s

MOST_BEHIND_S = 2.0
"""A thread this late was suspended, not merely woken late: it goes on from now instead of catching up."""


class Pacer:
    """Ticks every `period_s` without drift: a late tick is followed at once by those that became due meanwhile."""

    def __init__(self, period_s: float, wait: Callable[[float], bool], clock: Callable[[], float] = now_s) -> None:
        """`wait(seconds)` waits, and returns True when the ticking is to end."""
        self._period_s = period_s
        self._wait = wait
        self._clock = clock
        self._start_s = clock()
        self._ticks = 0

    def tick(self) -> float | None:
        """Wait for the next tick; when it was due, or None when the ticking is to end."""
        self._ticks += 1
        due_s = self._start_s + self._ticks * self._period_s
        ahead_s = due_s - self._clock()
        if ahead_s < -MOST_BEHIND_S:
            self._start_s, self._ticks = self._clock(), 0
            due_s, ahead_s = self._start_s, 0.0
        return None if self._wait(max(0.0, ahead_s)) else due_s


class StallWatch:
    """How long a device has given no sign of life, as far as the watcher itself was awake to see one. Pure.

    On a machine with no core to spare (models are being loaded) device and watcher are late together; that is no loss.
    """

    LONGEST_STEP_S = 0.1

    def __init__(
        self, first_limit_s: float, limit_s: float, at_s: float, longest_step_s: float = LONGEST_STEP_S
    ) -> None:
        """The first sign may take `first_limit_s` to come, each later one `limit_s`.

        Between two checks `longest_step_s` at most count: who watches less often allows for more.
        """
        self._longest_step_s = longest_step_s
        self._limit_s = first_limit_s
        self._next_limit_s = limit_s
        self._still_s = 0.0
        self._checked_at_s = at_s

    def stalled(self, alive: bool, at_s: float) -> bool:
        """Has it been still for too long? `alive`: there was a sign since the last check."""
        step_s, self._checked_at_s = at_s - self._checked_at_s, at_s
        if alive:
            self._still_s, self._limit_s = 0.0, self._next_limit_s
        else:
            self._still_s += min(step_s, self._longest_step_s)
        return self._still_s > self._limit_s
