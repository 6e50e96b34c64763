"""How changes of settings go out, and what of them is said in the talk. Pure: time is passed in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from parlor_tui.events import Tuned
from parlor_tui.ui.tuning import KNOBS


class Pace:
    """Lets changes through at most every `every_s`: of what comes in between, the newest. Pure: time is passed in."""

    def __init__(self, every_s: float = 0.1) -> None:
        self.every_s = every_s
        self._waiting: dict[str, Any] = {}
        self._last_s = -math.inf

    def put(self, values: Mapping[str, Any]) -> None:
        """Have `values` go out."""
        self._waiting |= values

    def take(self, at_s: float) -> dict[str, Any]:
        """What may go out at `at_s`; empty if it is too early, or nothing waits."""
        if at_s - self._last_s < self.every_s or not self._waiting:
            return {}
        self._last_s = at_s
        taken, self._waiting = self._waiting, {}
        return taken

    @property
    def waits(self) -> bool:
        """Whether something could not go out yet."""
        return bool(self._waiting)


MARKED_AFTER_S = 1.0
"""So long after the last change it counts as made."""
_NAMED_AT_MOST = 3


class Marks:
    """Lines for the talk that say what was changed: one for a drag, not twenty. Pure: time is passed in."""

    def __init__(self) -> None:
        self._before: dict[str, Any] = {}
        self._values: Mapping[str, Any] = {}
        self._known: Mapping[str, Any] = {}
        self._preset = ""
        self._changed_at_s = 0.0

    def apply(self, event: Tuned, at_s: float) -> bool:
        """Take a change over; whether there will be something to say at `MARKED_AFTER_S` later."""
        known, self._known = self._known, event.values
        self._values = event.values
        if not event.changed:
            return False
        for name in event.changed:
            self._before.setdefault(name, known.get(name))
        self._preset, self._changed_at_s = event.preset, at_s
        return True

    def done(self, at_s: float) -> bool:
        """Whether there is something to say, and nothing was changed for `MARKED_AFTER_S`."""
        return bool(self._before) and at_s - self._changed_at_s >= MARKED_AFTER_S

    def take(self) -> str:
        """What is to be said, once; or nothing."""
        changed = [name for name, value in self._before.items() if self._values[name] != value]
        self._before = {}
        if not changed:
            return ""
        told = f"preset {self._preset}" if self._preset else " · ".join(_told(changed, self._values))
        return f"{told} from here on"


def _told(names: Iterable[str], values: Mapping[str, Any]) -> list[str]:
    known = [f"{KNOBS[name].label} {KNOBS[name].words(values[name])}" for name in names if name in KNOBS]
    other = [f"{name} {values[name]}" for name in names if name not in KNOBS]
    told = [*known, *other]
    more = len(told) - _NAMED_AT_MOST
    return told if more <= 0 else [*told[:_NAMED_AT_MOST], f"{more} more"]
