"""The assistant's events as they come, for one who waits for some of them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from parlor_tui.events import Event, MicLevel, SpeakerLevel, State, StateChanged, now_s

Found = TypeVar("Found", bound=Event)


class Watch:
    """Keeps every event but levels; with `kept`, only so many of the last. `listener` is called by the assistant,
    everything else by the one who waits.
    """

    def __init__(self, kept: int | None = None) -> None:
        self._events: deque[Event] = deque(maxlen=kept)
        self._came = 0
        self._more = threading.Condition()
        self.state = State.LOADING
        self.state_since_s = now_s()

    def listener(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, MicLevel | SpeakerLevel):
            return
        with self._more:
            self._events.append(event)
            self._came += 1
            if isinstance(event, StateChanged):
                self.state, self.state_since_s = event.state, event.at_s
            self._more.notify_all()

    def mark(self) -> int:
        """Where the record is now, for `since`."""
        with self._more:
            return self._came

    def since(self, mark: int) -> list[Event]:
        """Every event after `mark` that is kept."""
        with self._more:
            return self._after(mark)

    def wait(
        self, mark: int, kind: type[Found], timeout_s: float, fits: Callable[[Found], bool] = lambda _: True
    ) -> Found | None:
        """The first event of `kind` after `mark` that `fits`; None if there is none within `timeout_s`."""
        until_s = now_s() + timeout_s
        with self._more:
            while True:
                found = first(self._after(mark), kind, fits)
                left_s = until_s - now_s()
                if found is not None or left_s <= 0:
                    return found
                self._more.wait(min(left_s, 0.5))  # in short pieces, so that Ctrl-C is noticed everywhere

    def _after(self, mark: int) -> list[Event]:
        return list(islice(self._events, max(0, len(self._events) - (self._came - mark)), None))


def first(events: Iterable[Event], kind: type[Found], fits: Callable[[Found], bool] = lambda _: True) -> Found | None:
    """The first of `events` that is of `kind` and `fits`."""
    return next((event for event in events if isinstance(event, kind) and fits(event)), None)
