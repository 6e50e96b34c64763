"""The core looks after its machine: once a second while somebody is connected, seldom while nobody is."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable

from parlor_tui.engines.device_memory import OWN_MEMORY_BYTES
from parlor_tui.events import MachineRead, Reading, now_s
from parlor_tui.probes.base import Probe
from parlor_tui.probes.choose import open_probes
from parlor_tui.usage import OwnUse

_log = logging.getLogger(__name__)
EVERY_S = 1.0
IDLE_EVERY_S = 5.0
STALE_S = 15.0
"""What was seen longer ago, three looks while nobody is connected, tells nothing of the machine now."""
_CHILDREN_EVERY_S = 15.0
"""Looking for them costs a look at every process of the machine."""

Watcher = Callable[[MachineRead], None]


class Watching:
    """Tells every watcher what the machine does. To be used from one event loop; the looking has a thread of its own.

    `memory_percent` is the share of the memory that may be in use. `open_probe` is called on that thread. What was
    begun to be seen longer than `stale_s` ago is not known any more: watchers are told a reading of nothing then.
    """

    def __init__(
        self,
        memory_percent: float,
        *,
        open_probe: Callable[[], Probe] = open_probes,
        every_s: float = EVERY_S,
        idle_every_s: float = IDLE_EVERY_S,
        stale_s: float = STALE_S,
    ) -> None:
        self.stale_s = stale_s
        self._memory_percent = memory_percent
        self._open_probe = open_probe
        self._every_s = every_s
        self._idle_every_s = idle_every_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watchers: list[Watcher] = []
        self._latest: tuple[MachineRead, float] | None = None
        self._gone: asyncio.TimerHandle | None = None
        self._changed = threading.Condition()
        self._closed = False

    def start(self) -> None:
        """Begin to look. Call once, in the event loop."""
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, name="machine", daemon=True).start()

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Tell `watcher` what was seen last, and all that is seen from now on. Returns the call that ends it."""
        with self._changed:
            self._watchers.append(watcher)
            self._changed.notify_all()
        if (latest := self.latest) is not None:
            watcher(latest)
        return lambda: self._watchers.remove(watcher)

    @property
    def latest(self) -> MachineRead | None:
        """What was seen last; None before the first look, and once that is stale."""
        if self._latest is None or now_s() - self._latest[1] > self.stale_s:
            return None
        return self._latest[0]

    def close(self) -> None:
        """Look no more. Does not wait."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _seen(self, event: MachineRead, at_s: float) -> None:
        self._latest = event, at_s
        if self._gone is not None:
            self._gone.cancel()
        self._gone = asyncio.get_running_loop().call_later(at_s + self.stale_s - now_s(), self._unseen)
        self._tell(event)

    def _unseen(self) -> None:
        if not self._closed:
            self._latest = None
            self._tell(MachineRead(Reading()))

    def _tell(self, event: MachineRead) -> None:
        for watcher in tuple(self._watchers):
            watcher(event)

    # --- on a thread of its own ---------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            own, children_due_s = OwnUse(), 0.0
            with contextlib.closing(self._open_probe()) as probe:
                while True:
                    at_s = now_s()
                    if at_s >= children_due_s:
                        own.find_children()
                        children_due_s = at_s + _CHILDREN_EVERY_S
                    self._later(read(probe.read(at_s), own, self._memory_percent), at_s)
                    if self._wait(at_s):
                        return
        except Exception:  # noqa: BLE001 - the edge of the thread: the talk goes on without figures of the machine
            _log.exception("the machine is no longer looked after")

    def _wait(self, since_s: float) -> bool:
        """Wait until it is time to look again; whether it is over instead."""
        with self._changed:
            while not self._closed:
                left_s = since_s + (self._every_s if self._watchers else self._idle_every_s) - now_s()
                if left_s <= 0:
                    return False
                self._changed.wait(left_s)
            return True

    def _later(self, event: MachineRead, at_s: float) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is there to be told
                self._loop.call_soon_threadsafe(self._seen, event, at_s)


def read(reading: Reading, own: OwnUse, memory_percent: float) -> MachineRead:
    """`reading`, with what the core takes and the budget that it keeps to."""
    own_memory = (reading.gpu_memory_total_mb or 0.0) * 1e6 >= OWN_MEMORY_BYTES
    total_mb = reading.gpu_memory_total_mb if own_memory else reading.ram_total_mb
    return MachineRead(
        reading,
        core_mb=own.resident_mb(),
        children_mb=own.children_mb(),
        budget_mb=None if total_mb is None else total_mb * memory_percent / 100,
        own_memory=own_memory,
    )
