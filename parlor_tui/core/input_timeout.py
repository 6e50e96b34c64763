"""Audio that was sent and is never completed: dropped once nothing was heard of it for 2 s.

`Unfinished` decides, and is pure; `InputTimeout` looks at the clock for it in the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from parlor_tui.core.tasks import Tasks
from parlor_tui.events import now_s

LONGEST_WAIT_S = 2.0
LOOK_EVERY_S = 0.25


class Unfinished:
    """How long nothing was heard of audio that waits for its end. Times are seconds on one clock.

    Between two looks no more than two usual intervals count: where this process itself did not run (it was suspended,
    or busy), the client may well have sent something that nobody has read yet.
    """

    def __init__(self) -> None:
        self._silent_s = 0.0
        self._looked_s: float | None = None

    def came(self) -> None:
        """The client sent something."""
        self._silent_s = 0.0
        self._looked_s = None

    def look(self, at_s: float, *, held: bool) -> bool:
        """Whether nothing came for too long. Time in which it is `held` is no time to wait for anything."""
        since_s = 0.0 if self._looked_s is None else min(at_s - self._looked_s, 2 * LOOK_EVERY_S)
        self._looked_s = at_s
        self._silent_s = 0.0 if held else self._silent_s + since_s
        return self._silent_s >= LONGEST_WAIT_S


class InputTimeout:
    """Watches one client's audio as long as there is any.

    `is_held`: the client waits for this side, or its user pauses. `drop` is called when the audio is to be dropped.
    """

    def __init__(
        self, tasks: Tasks, waits: Callable[[], bool], is_held: Callable[[], bool], drop: Callable[[], None]
    ) -> None:
        self._tasks = tasks
        self._waits = waits
        self._is_held = is_held
        self._drop = drop
        self._unfinished = Unfinished()
        self._watching = False

    def came(self) -> None:
        """The client sent audio, or said something of the audio that it sent."""
        self._unfinished.came()
        if not self._watching and self._waits():
            self._watching = True
            self._tasks.spawn(self._watch())

    async def _watch(self) -> None:
        try:
            while self._waits():
                if self._unfinished.look(now_s(), held=self._is_held()):
                    self._drop()
                    return
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            self._watching = False
