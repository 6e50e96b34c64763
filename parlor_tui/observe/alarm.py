"""When a talk goes badly enough that the scene is kept. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from parlor_tui.events import Event, TurnDone
from parlor_tui.observe.history import quantile
from parlor_tui.observe.stages import VOICE_TO_VOICE

SLOW_MS = 4000.0
ERROR_SHARE = 0.05
TURNS = 20
"""So many turns have to have happened before anything is said of them."""
_ASKED_TURNS = 100
"""The share of errors is that of so many turns at most."""

Cause = Literal["slow", "errors"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """One of the conditions holds now and did not before; `text` says it in one line."""

    cause: Cause
    text: str


class Alarms:
    """Follows the turns of one talk."""

    def __init__(self) -> None:
        self._voice_to_voice_ms: deque[float] = deque(maxlen=TURNS)
        self._failed: deque[bool] = deque(maxlen=_ASKED_TURNS)
        self._holding: frozenset[Cause] = frozenset()

    def on_event(self, event: Event) -> list[Alarm]:
        """Take one event in; the conditions that hold from now on."""
        if not isinstance(event, TurnDone) or event.status in ("joined", "no_words"):
            return []
        if VOICE_TO_VOICE in event.stages_ms:
            self._voice_to_voice_ms.append(event.stages_ms[VOICE_TO_VOICE])
        self._failed.append(event.status == "failed")
        alarms = [alarm for alarm in (self._slow(), self._errors()) if alarm is not None]
        before, self._holding = self._holding, frozenset(alarm.cause for alarm in alarms)
        return [alarm for alarm in alarms if alarm.cause not in before]

    def _slow(self) -> Alarm | None:
        if len(self._voice_to_voice_ms) < TURNS:
            return None
        p95_ms = quantile(self._voice_to_voice_ms, 0.95)
        if p95_ms <= SLOW_MS:
            return None
        return Alarm("slow", f"of the last {TURNS} replies, one in twenty was heard only after {p95_ms / 1000:.1f} s")

    def _errors(self) -> Alarm | None:
        turns, failed = len(self._failed), sum(self._failed)
        if turns < TURNS or failed / turns <= ERROR_SHARE:
            return None
        return Alarm("errors", f"of the last {turns} turns, {failed} got no answer")
