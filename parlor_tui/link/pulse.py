"""Whether a core that says nothing is still worth waiting for. Pure: time and signs are passed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parlor_tui.usage import Signs

LOOK_EVERY_S = 0.2
"""How often the core is looked at."""
PING_EVERY_S = 0.25
"""How often it is asked for a sign of life."""

LOADING_LOOK_EVERY_S = 1.0
_AT_WORK = 0.02
"""Of one processor: more than a core takes that only looks after its machine, less than one that is starved of it."""

Verdict = Literal["alive", "busy", "stopped", "hung"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a core may be silent, in seconds, by what it does meanwhile.

    `stopped_s` if it was told to stand still, `idle_s` if it does nothing, `working_s` if it computes or reads (or the
    system does not tell): then a native call keeps it from answering. While models are loaded that is common, and
    takes up to `loading_work_s` (on two processors with six others at work 4.8 s were seen). `missed_s`: who looks that
    much too late was standing still itself (a machine that slept, a terminal that was stopped), and counts anew.
    `loading_idle_s` and `loading_s` are how long nothing new may be heard of the loading, idle and at work.
    """

    stopped_s: float = 1.0
    idle_s: float = 1.4
    working_s: float = 10.0
    loading_work_s: float = 60.0
    missed_s: float = 0.5
    loading_idle_s: float = 30.0
    loading_s: float = 900.0

    @property
    def suspicion_s(self) -> float:
        """A silence worth a look at the process, and how long that is looked at before it counts as idle."""
        return self.stopped_s / 2


class Pulse:
    """Judges the silence of one link. `look` is to be called every `LOOK_EVERY_S`."""

    def __init__(self, patience: Patience, at_s: float) -> None:
        self._patience = patience
        self._looked_s = at_s
        self._since_s = at_s
        self._first: tuple[float, float] | None = None

    def wants_signs(self, at_s: float, heard_s: float) -> bool:
        """Whether the silence since `heard_s` is long enough to look at the process."""
        return not self._is_late(at_s) and at_s - max(heard_s, self._since_s) >= self._patience.suspicion_s

    def look(self, at_s: float, heard_s: float, signs: Signs | None, *, loading: bool = False) -> Verdict:
        """What to make of the core, last heard at `heard_s`, whose process shows `signs` if one looked."""
        if self._is_late(at_s):
            self._since_s = at_s
        self._looked_s = at_s
        silent_s = at_s - max(heard_s, self._since_s)
        if silent_s < self._patience.suspicion_s or signs is None:
            self._first = None
            return "alive"
        if signs.stopped:
            return "stopped" if silent_s >= self._patience.stopped_s else "alive"
        self._first = self._first or (at_s, signs.work)
        since_s, work = self._first
        worked = signs.waits or signs.work - work > _AT_WORK * (at_s - since_s)
        if silent_s < self._patience.idle_s or at_s - since_s < self._patience.suspicion_s:
            return "alive"
        limit_s = self._patience.loading_work_s if loading else self._patience.working_s
        return "busy" if (worked or not signs.tells_waits) and silent_s < limit_s else "hung"

    def _is_late(self, at_s: float) -> bool:
        return at_s - self._looked_s > LOOK_EVERY_S + self._patience.missed_s


class LoadingWatch:
    """Judges a core that answers, and whose models are not there yet. `hangs` is to be called about once a second."""

    def __init__(self, patience: Patience, at_s: float) -> None:
        self._patience = patience
        self._looked_s = self._news_s = self._worked_s = at_s
        self._work: float | None = None

    def news(self, at_s: float) -> None:
        """It told something new of its loading."""
        self._news_s = self._worked_s = at_s

    def hangs(self, at_s: float, signs: Signs | None) -> bool:
        """Whether nothing will come of it. `signs` are those of the process and of all that it started."""
        gap_s, self._looked_s = at_s - self._looked_s, at_s
        if gap_s > LOADING_LOOK_EVERY_S + self._patience.missed_s:  # whoever looks stood still
            self._news_s = self._worked_s = at_s
        if signs is None or self._work is None or signs.work - self._work > _AT_WORK * gap_s:
            self._worked_s = at_s
        self._work = None if signs is None else signs.work
        idle = at_s - self._worked_s >= self._patience.loading_idle_s
        return idle or at_s - self._news_s >= self._patience.loading_s
