"""The figures of one core, gathered from where they arise, as the pages of `http` show them. For one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from parlor_tui.core.inference import InferenceCore, LoadingEvent
from parlor_tui.core.profiles import label_of
from parlor_tui.core.watching import Watching
from parlor_tui.counts import counts
from parlor_tui.events import CoreFailed, CoreReady, now_s
from parlor_tui.link.http import Health
from parlor_tui.observe.metrics import CONTENT_TYPE, Levels, Metrics
from parlor_tui.settings import Settings


class Figures:
    """What `core` does, for whom, and what `watching` sees of its machine."""

    def __init__(self, core: InferenceCore, settings: Settings, watching: Watching | None) -> None:
        self.metrics = Metrics(self._levels)
        self._core = core
        self._watching = watching
        self._outboxes: list[asyncio.Queue[str]] = []
        self._began_s = now_s()
        self._status: Literal["ready", "loading", "failed"] = "loading"
        self._profile, self._model = core.profile.name, label_of(core.profile, settings)
        core.watch(self._loading)

    def follow(self, outbox: asyncio.Queue[str]) -> Callable[[], None]:
        """A client connects; what is told it goes through `outbox`. Returns the call that ends it."""
        self._outboxes.append(outbox)
        return lambda: self._outboxes.remove(outbox)

    def health(self) -> Health:
        """How the core is now."""
        return Health(self._status, self._profile, self._model, round(now_s() - self._began_s, 1))

    def page(self) -> tuple[bytes, str]:
        """All figures as Prometheus reads them, and the content type of that."""
        return self.metrics.text(), CONTENT_TYPE

    def _loading(self, event: LoadingEvent) -> None:
        match event:
            case CoreReady():
                self._status, self._profile, self._model = "ready", event.profile, event.model
            case CoreFailed():
                self._status = "failed"
            case _:
                pass

    def _levels(self) -> Levels:
        core = self._core
        return Levels(
            self._profile,
            self._model,
            ready=self._status == "ready",
            uptime_s=now_s() - self._began_s,
            terminals=len(self._outboxes),
            replying=core.replying,
            queued={"requests": core.waiting, "outbox": max((box.qsize() for box in self._outboxes), default=0)},
            counted=counts(),
            machine=None if self._watching is None else self._watching.latest,
        )
