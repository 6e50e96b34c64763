"""A session of a core whose models never come."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.profiles import LITE, OnProgress, Parts
from parlor_tui.core.session import Session
from parlor_tui.events import CoreError, CoreEvent
from parlor_tui.settings import Tuning

SECOND = bytes(2 * 16_000)
"""A second of sound, as the session takes it."""


@dataclass(frozen=True, slots=True)
class Unloaded:
    """The session, and everything it told."""

    core: InferenceCore
    session: Session
    told: list[CoreEvent]

    def errors(self) -> list[CoreError]:
        return [event for event in self.told if isinstance(event, CoreError)]


@asynccontextmanager
async def unloaded(parts: Parts | None = None) -> AsyncIterator[Unloaded]:
    """Nobody is left waiting at its end for what the models were to do. With `parts` they come after all."""
    over = threading.Event()

    def load(progress: OnProgress, cancelled: threading.Event) -> Parts:
        progress("waiting for nothing", 0, 0)
        if parts is not None:
            return parts
        over.wait(30)
        raise RuntimeError("ended")

    told: list[CoreEvent] = []
    core = InferenceCore(LITE, load, 2, on_wedged=lambda _: None)
    core.start()
    session = Session(core, told.append, Tuning())
    session.update(input_rate_hz=16_000)
    try:
        yield Unloaded(core, session, told)
    finally:
        await session.close()
        core.close()
        assert (core.replying, core.waiting) == (0, 0)
        over.set()
