"""A machine that does nothing but take time: devices (lanes) with one job at a time, in the order in which they came.

The grain is what is asked for at once: one token written, one prompt read, one picture or sound encoded, one call of
the voice. A job that was begun runs to its end and holds its lane; one that still waits can be called off.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from parlor_tui.events import now_s

Device = Literal["gpu", "encoder", "captions", "end_of_turn"]
"""`gpu`: language model, image encoder and voice. The others are parts of the CPU that nobody else uses."""

_LOOK_EVERY_S = 0.005
"""So often a job that waits asks whether it is still wanted."""
_KEPT_SPANS = 4096


class Clock(Protocol):
    """Tells the time and lets it pass."""

    def now_s(self) -> float:
        """Seconds, monotonic."""

    def wait_until(self, at_s: float) -> None:
        """Return at `at_s`; at once if that is over."""


class RealClock:
    """The machine's own clock."""

    def now_s(self) -> float:
        """See Clock."""
        return now_s()

    def wait_until(self, at_s: float) -> None:
        """See Clock."""
        while (left_s := at_s - now_s()) > 0:
            time.sleep(left_s)


@dataclass(frozen=True, slots=True)
class Span:
    """Work done on a device."""

    device: Device
    what: str
    begin_s: float
    end_s: float


@dataclass(slots=True)
class Lane:
    """One device's jobs. Pure: times come in. Each job joins, is next when those before it left, begins, leaves.

    `free_s`: when the work that was begun last is over.
    """

    free_s: float = 0.0
    _queue: deque[object] = field(default_factory=deque)

    def join(self) -> object:
        """Queue up; the ticket."""
        ticket = object()
        self._queue.append(ticket)
        return ticket

    def is_next(self, ticket: object) -> bool:
        """Whether those before it are gone."""
        return self._queue[0] is ticket

    def begin(self, ticket: object, ready_s: float, work_s: float) -> tuple[float, float]:
        """From when to when its work is done, having been `ready_s`. Raises ValueError if it is not its turn."""
        if not self.is_next(ticket):
            raise ValueError("others are before it")
        begin_s = max(ready_s, self.free_s)
        self.free_s = begin_s + work_s
        return begin_s, self.free_s

    def leave(self, ticket: object) -> None:
        """It is over, or was called off."""
        self._queue.remove(ticket)


class Machine:
    """The lanes, and threads that wait in them."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or RealClock()
        self._changed = threading.Condition()
        self._lanes: dict[Device, Lane] = {}
        self.spans: deque[Span] = deque(maxlen=_KEPT_SPANS)
        """What was done last, in the order in which it was begun."""

    def now_s(self) -> float:
        """The time on the machine's clock."""
        return self._clock.now_s()

    def work(
        self,
        device: Device,
        what: str,
        work_s: float,
        *,
        ready_s: float | None = None,
        unwanted: Callable[[], bool] = lambda: False,
    ) -> float | None:
        """Wait for `device`, then hold it for `work_s`; when that was over. None if it was called off before it began.

        `ready_s`: when it could have begun, if it came late only because threads wake up late.
        """
        with self._changed:
            lane = self._lanes.setdefault(device, Lane())
            ticket = lane.join()
        try:
            with self._changed:
                while not lane.is_next(ticket):
                    if unwanted():
                        return None
                    self._changed.wait(_LOOK_EVERY_S)
                begin_s, end_s = lane.begin(ticket, self._clock.now_s() if ready_s is None else ready_s, work_s)
                self.spans.append(Span(device, what, begin_s, end_s))
            self._clock.wait_until(end_s)
            return end_s
        finally:
            with self._changed:
                lane.leave(ticket)
                self._changed.notify_all()
