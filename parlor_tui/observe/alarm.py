"""When a talk goes badly enough that the scene is kept: once for each bad stretch, however long it is. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from parlor_tui.events import Event, TurnDone
from parlor_tui.observe.history import quantile
from parlor_tui.observe.stages import VOICE_TO_VOICE

SLOW_MS = 4000.0
SLOW_OVER_MS = 3000.0
ERROR_SHARE = 0.05
ERROR_OVER_SHARE = 0.025
"""From the limits down to these a bad stretch goes on: half the errors, and a second, which is what loads vary by."""
TURNS = 20
"""So many turns have to have happened before anything is said of them, and to be good in a row to end a bad stretch."""
_ASKED_TURNS = 100
"""The share of errors is that of so many turns at most."""

Cause = Literal["slow", "errors"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """A bad stretch begins; `text` says in one line what is bad."""

    cause: Cause
    text: str


class _Stretch:
    """Whether one figure is in a bad stretch: from above `limit` until it was at most `over` for `TURNS` turns."""

    def __init__(self, limit: float, over: float) -> None:
        self._limit = limit
        self._over = over
        self._good_turns = TURNS

    def begins(self, value: float) -> bool:
        """Take the figure after one more turn; whether a bad stretch begins with it."""
        was_good = self._good_turns >= TURNS
        if value > self._limit or (value > self._over and not was_good):
            self._good_turns = 0
        else:
            self._good_turns = min(TURNS, self._good_turns + 1)
        return was_good and self._good_turns == 0


class Alarms:
    """Follows the turns of one talk."""

    def __init__(self) -> None:
        self._voice_to_voice_ms: deque[float] = deque(maxlen=TURNS)
        self._failed: deque[bool] = deque(maxlen=_ASKED_TURNS)
        self._slow = _Stretch(SLOW_MS, SLOW_OVER_MS)
        self._errors = _Stretch(ERROR_SHARE, ERROR_OVER_SHARE)

    def on_event(self, event: Event) -> list[Alarm]:
        """Take one event in; the bad stretches that begin with it."""
        if not isinstance(event, TurnDone) or event.status in ("joined", "no_words"):
            return []
        alarms = []
        if VOICE_TO_VOICE in event.stages_ms:
            self._voice_to_voice_ms.append(event.stages_ms[VOICE_TO_VOICE])
            p95_ms = quantile(self._voice_to_voice_ms, 0.95) if len(self._voice_to_voice_ms) == TURNS else 0.0
            if self._slow.begins(p95_ms):
                seconds = f"{p95_ms / 1000:.1f} s"
                alarms.append(
                    Alarm("slow", f"of the last {TURNS} replies, one in twenty was heard only after {seconds}")
                )
        self._failed.append(event.status == "failed")
        turns, failed = len(self._failed), sum(self._failed)
        if self._errors.begins(failed / turns if turns >= TURNS else 0.0):
            alarms.append(Alarm("errors", f"of the last {turns} turns, {failed} got no answer"))
        return alarms
