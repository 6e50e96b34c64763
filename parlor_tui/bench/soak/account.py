"""Takes every event of a soak in, on the assistant's thread, for the one who talks."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from typing import TypeVar

from parlor_tui.bench.soak.kinds import KINDS
from parlor_tui.bench.soak.ledger import Ledger
from parlor_tui.bench.soak.plan import Moment
from parlor_tui.bench.soak.remembering import Remembering
from parlor_tui.bench.soak.trials import Trial
from parlor_tui.bench.watching import Watch
from parlor_tui.events import CameraFrame, DeviceUsed, EchoLevel, Event, Failed, MachineSeen, Notice, Ready, now_s
from parlor_tui.link.back_off import FORGIVEN_AFTER_S
from parlor_tui.link.client_events import ClientEvent

_KEPT_EVENTS = 4000
"""Far more than a turn has."""
_KEPT_LINES = 40
_TRAILS_S = 5.0
"""So long after one device is back, another that the same fault took away may come back, too."""
_SHORT_LIVES = 3
"""A core that died so often without having been of use is left alone for a while: after six it is given up on."""
Told = TypeVar("Told")


class Account:
    """`listener` and `told` are for the assistant; the others for one thread, which talks.

    `deaths`: cores that were lost because of a fault; `unexpected`: why others were; `links`: links made anew. `used`:
    how often a device came into use, `unasked`: why it did anew without a fault of that device.
    """

    def __init__(self) -> None:
        self.watch = Watch(kept=_KEPT_EVENTS)
        self.ledger = Ledger()
        self.remembering = Remembering()
        self.trials: list[Trial] = []
        self.deaths = self.links = 0
        self.unexpected: list[str] = []
        self.used: Counter[str] = Counter()
        self.unasked: deque[str] = deque(maxlen=_KEPT_LINES)
        self.failed: deque[str] = deque(maxlen=_KEPT_LINES)
        self.ready_s = 0.0
        self._lock = threading.Lock()
        self._trial: Trial | None = None
        self._died_of_trial = False
        self._short_lives = 0
        self._troubles: dict[str, str] = {}

    # --- the assistant's ----------------------------------------------------------------------------------------------

    def listener(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, EchoLevel | MachineSeen | CameraFrame):
            return
        with self._lock:
            self.ledger.take(event)
            self.remembering.take(event)
            if self._trial is not None:
                self._trial.take(event)
            if isinstance(event, Notice) and event.key and event.text:
                self._troubles[event.key] = event.text
            match event:
                case Ready():
                    self.ready_s = event.at_s
                case Notice(key="core") if event.text:
                    self._core_lost(event)
                case DeviceUsed() if event.label:
                    self._used(event)
                case Failed():
                    self.failed.append(event.text)
                case _:
                    pass
        self.watch.listener(event)

    def told(self, event: ClientEvent) -> None:
        """The core is told so."""
        with self._lock:
            self.remembering.told(event)

    # --- for the one who talks ----------------------------------------------------------------------------------------

    def begin(self, name: str, moment: Moment) -> Trial:
        """A fault happens now."""
        with self._lock:
            trial = Trial(KINDS[name], moment, now_s())
            self.trials.append(trial)
            self._trial, self._died_of_trial = trial, False
            self.ledger.fault_begins(trial.kind, trial.at_s)
            return trial

    def take_back(self) -> None:
        """It did not happen after all."""
        with self._lock:
            self.trials.pop()
            self.ledger.fault_ends(now_s())
            self._trial = None

    def end(self) -> None:
        """The fault is over, or never will be."""
        with self._lock:
            self.ledger.fault_ends(now_s())
            self._trial = None

    def ask(self, what: Callable[[Ledger], Told]) -> Told:
        """Ask the ledger, or tell it, while no event comes in."""
        with self._lock:
            return what(self.ledger)

    def fits(self, name: str) -> bool:
        """Whether this fault can be got over now: a core that dies again and again is given up on, as it is to be."""
        if not KINDS[name].ends_core:
            return True
        with self._lock:
            return self._short_lives < _SHORT_LIVES or self._useful_s(now_s()) >= FORGIVEN_AFTER_S

    # --- inside -------------------------------------------------------------------------------------------------------

    def _useful_s(self, at_s: float) -> float:
        return at_s - self.ready_s if self.ready_s else 0.0

    def _used(self, event: DeviceUsed) -> None:
        self.used[event.kind] += 1
        newest = self.trials[-1] if self.trials else None
        lately = newest is not None and (newest is self._trial or event.at_s - (newest.over_s or 0.0) < _TRAILS_S)
        kind = newest.kind if newest is not None and lately else None
        asked = kind is not None and (kind.part == event.kind or kind.name == "sound-hung")
        if self.used[event.kind] > 1 and not asked:
            self.unasked.append(self._troubles.get(event.kind, f"the {event.kind} was opened anew"))

    def _core_lost(self, notice: Notice) -> None:
        if "linking again" in notice.text:
            self.links += 1
            if self._trial is None or self._trial.kind.name != "link-cut":
                self.unexpected.append(notice.text)
            return
        self._short_lives = 0 if self._useful_s(notice.at_s) >= FORGIVEN_AFTER_S else self._short_lives + 1
        self.ready_s = 0.0
        if self._trial is not None and self._trial.kind.ends_core and not self._died_of_trial:
            self.deaths += 1
            self._died_of_trial = True
        else:
            self.unexpected.append(notice.text)
