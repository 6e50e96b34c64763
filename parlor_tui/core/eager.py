"""What is done about a pause of the user's before anybody knows whether the turn is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import FinalCaption
from parlor_tui.core.memory import Item
from parlor_tui.core.reply import Reply
from parlor_tui.events import CoreEvent, EagerDropped, InputTaken, ReplyAudio, ReplyDelta, ReplyDone, now_s

Emit = Callable[[CoreEvent], None]


class Gate:
    """Holds the events of a reply back until it is opened, and lets them through from then on.

    `ready` is called once there is something to be heard (or read, where nothing is `spoken`), or the reply is over
    without that.
    """

    def __init__(self, emit: Emit, ready: Callable[[], None], *, spoken: bool) -> None:
        self._emit = emit
        self._awaited = (ReplyAudio if spoken else ReplyDelta, ReplyDone)
        self._on_ready = ready
        self.ready = False
        self._held: list[tuple[CoreEvent, float]] | None = []

    def __call__(self, event: CoreEvent) -> None:
        """Take an event."""
        if self._held is None:
            self._emit(event)
        else:
            self._held.append((event, now_s()))
            if not self.ready and isinstance(event, self._awaited):
                self.ready = True
                self._on_ready()

    def open(self) -> None:
        """Let out what was held back, in its order; what tells how long ago it was tells so still."""
        held, self._held = self._held or [], None
        for event, at_s in held:
            if isinstance(event, InputTaken):
                event = replace(event, ago_ms=event.ago_ms + (now_s() - at_s) * 1000)  # noqa: PLW2901
            self._emit(event)


@dataclass(slots=True)
class Ahead:
    """One pause: what was said up to it, its caption, and the reply that may have been begun, unheard.

    `samples` are mono at 16 kHz. `item` is not part of the talk's memory before the turn is committed.
    """

    turn: int
    pause: int
    item: Item
    samples: NDArray[np.float32]
    caption: asyncio.Task[FinalCaption]
    reply: Reply | None = None
    gate: Gate | None = None
    began_s: float = field(default_factory=now_s)

    @property
    def ran_ms(self) -> float:
        """How long the reply has been under way."""
        return (now_s() - self.began_s) * 1000

    @property
    def answering(self) -> bool:
        """A reply is being made, and cannot be heard yet."""
        return self.gate is not None and not self.gate.ready

    def drop(self, emit: Emit) -> None:
        """The user went on: the reply ends, and nobody hears of it but as a count."""
        if self.reply is not None:
            self.reply.cancel()
            self.reply = self.gate = None
            emit(EagerDropped(self.turn, round(self.ran_ms, 1)))
