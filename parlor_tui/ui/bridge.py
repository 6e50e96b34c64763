"""The bounded queue between the assistant's threads and the screen.

Any thread puts events in; the screen takes all of them out a few times a second. What repeats is merged on the way:
of a meter only the newest value counts, the pieces of a reply join, a caption that corrects itself replaces the one
before. Everything else is a fact: facts keep their order and are never dropped.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace

from parlor_tui.counts import Count, count
from parlor_tui.events import (
    CameraFrame,
    Caption,
    EchoLevel,
    Event,
    Loading,
    MachineSeen,
    MicLevel,
    ModelComing,
    ReplyAudioArrived,
    ReplyText,
    SpeakerLevel,
)

FACTS_LIMIT = 4096
"""Facts waiting at most: hundreds of turns, reached only if the screen no longer draws."""


def merged(last: Event, new: Event) -> Event | None:
    """The one event that says what `last` and then `new` say, or None if both are needed."""
    match last, new:
        case ReplyText(final=False), ReplyText() if last.turn == new.turn:
            return replace(new, delta=last.delta + new.delta)
        case Caption(final=False), Caption() if last.turn == new.turn:
            return new
        case ReplyAudioArrived(), ReplyAudioArrived() if last.turn == new.turn:
            return replace(new, samples=last.samples + new.samples)
        case (Loading(), Loading()) | (ModelComing(), ModelComing()):
            return new
    return None


class Bridge:
    """Takes events from any thread (`put`), gives them to one (`drain`)."""

    def __init__(self, limit: int = FACTS_LIMIT) -> None:
        self._limit = limit
        self._facts: deque[Event] = deque()
        self._meters: dict[type[Event], Event] = {}
        self._changed = threading.Condition()
        self._drainer: int | None = None
        self._closed = False

    def put(self, event: Event) -> None:
        """Add an event. Returns at once, unless the queue is full: then it waits until the screen has caught up.

        The thread that drains never waits. After `close` events are discarded: nobody is there to read them.
        """
        with self._changed:
            if isinstance(event, MicLevel | SpeakerLevel | EchoLevel | CameraFrame | MachineSeen):
                if not self._closed:
                    self._meters[type(event)] = event
                return
            waited = False
            while not self._closed:
                if self._facts and (joined := merged(self._facts[-1], event)) is not None:
                    self._facts[-1] = joined
                    return
                if len(self._facts) < self._limit or self._drainer == threading.get_ident():
                    self._facts.append(event)
                    return
                if not waited:
                    waited = True
                    count(Count.SCREEN_WAITS)
                self._changed.wait()

    def drain(self) -> list[Event]:
        """Everything put in since the last call: the facts in order, then the newest value of each meter."""
        with self._changed:
            self._drainer = threading.get_ident()
            if not self._facts and not self._meters:
                return []
            taken = [*self._facts, *self._meters.values()]
            self._facts.clear()
            self._meters.clear()
            self._changed.notify_all()
        return taken

    def close(self) -> None:
        """Discard what comes from now on, and let go of every thread that waits in `put`."""
        with self._changed:
            self._closed = True
            self._facts.clear()
            self._meters.clear()
            self._changed.notify_all()
