"""Real speed for files that stand in for devices, and the time that a real one has been still."""

from __future__ import annotations

from collections import deque
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
        self,
        first_limit_s: float,
        limit_s: float,
        at_s: float,
        longest_step_s: float = LONGEST_STEP_S,
        signs: int = 1,
    ) -> None:
        """Each of the first `signs` may take `first_limit_s` to come, each later one `limit_s`.

        Between two checks `longest_step_s` at most count: who watches less often allows for more.
        """
        self._signs = signs
        self._longest_step_s = longest_step_s
        self._limit_s = first_limit_s
        self._next_limit_s = limit_s
        self._still_s = 0.0
        self._checked_at_s = at_s

    def stalled(self, alive: bool, at_s: float) -> bool:
        """Has it been still for too long? `alive`: there was a sign since the last check."""
        step_s, self._checked_at_s = at_s - self._checked_at_s, at_s
        if alive:
            self._still_s = 0.0
            self._signs -= 1
            if self._signs <= 0:
                self._limit_s = self._next_limit_s
        else:
            self._still_s += min(step_s, self._longest_step_s)
        return self._still_s > self._limit_s


class RateWatch:
    """Notices that a stream which ran at its rate runs at another one: its device was set to that meanwhile. Pure.

    One that never ran at its rate is taken as it is, and so are losses, which differ from one moment to the next.
    """

    WINDOW_S = 0.4
    LONGEST_GAP_S = 0.25
    """After a longer one, a stall, it is measured from anew."""
    RIGHT, WRONG, ALIKE = 0.04, 0.06, 0.05
    RIGHT_WINDOWS, WRONG_WINDOWS = 5, 3
    RATES_HZ = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 176400, 192000)
    """What devices run at; on average it has to be one of them to `NEAR`."""
    NEAR = 0.015

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._right = 0
        self._wrong: deque[float] = deque(maxlen=self.WRONG_WINDOWS)
        self._began_s: float | None = None
        self._last_s = 0.0
        self._samples = 0

    def changed(self, samples: int, at_s: float) -> bool:
        """Does it run at another rate now? So many `samples` came, or went, since the last call; it is `at_s`."""
        if self._began_s is None or at_s - self._last_s > self.LONGEST_GAP_S:
            self._began_s = self._last_s = at_s
            self._samples = 0
            self._wrong.clear()
            return False
        self._last_s = at_s
        self._samples += samples
        length_s = at_s - self._began_s
        if length_s < self.WINDOW_S:
            return False
        ratio = self._samples / (length_s * self._rate_hz)
        self._began_s, self._samples = at_s, 0
        return self._judged(ratio)

    def _judged(self, ratio: float) -> bool:
        if abs(ratio - 1.0) > self.WRONG:
            self._wrong.append(ratio)
        else:
            self._right += abs(ratio - 1.0) < self.RIGHT
            self._wrong.clear()
        if len(self._wrong) < self.WRONG_WINDOWS or self._right < self.RIGHT_WINDOWS:
            return False
        mean = sum(self._wrong) / len(self._wrong)
        alike = all(abs(one / mean - 1.0) < self.ALIKE for one in self._wrong)
        return alike and any(abs(mean * self._rate_hz / rate_hz - 1.0) < self.NEAR for rate_hz in self.RATES_HZ)
