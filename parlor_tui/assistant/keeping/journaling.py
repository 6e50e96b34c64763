"""Keeps the journal and the incidents of a talk: from the assistant's events to lines, and to scenes that are kept.

Used by the assistant's thread; the disk is left to one of its own.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from parlor_tui.assistant.keeping.wall_time import wall_time
from parlor_tui.counts import Count, counts
from parlor_tui.events import (
    AskedAgain,
    AudioStopped,
    CoreFound,
    Event,
    Failed,
    Interrupted,
    MachineSeen,
    Notice,
    Ready,
    Severity,
    Tuned,
    TurnCommitted,
    TurnDone,
    now_s,
)
from parlor_tui.observe.alarm import Alarms
from parlor_tui.observe.disk_thread import DiskThread
from parlor_tui.observe.incidents import Cause
from parlor_tui.observe.journal import JournalFile, Kind, line
from parlor_tui.observe.scene import Scene, keep
from parlor_tui.settings import Settings, describe, incidents_beside, journal_beside

_OPEN_TURNS = 64
_UNTOLD = 8
_AGAIN_S = 60.0
"""Of one cause, one scene is kept in so long."""
_STALE_S = 15.0
"""The machine is looked at once a second: what was seen of it longer ago tells nothing of it now."""
_HEALTH = (
    "gpu_temperature_c",
    "cpu_temperature_c",
    "thermal_pressure",
    "throttled",
    "throttle_reason",
    "gpu_busy_percent",
    "gpu_memory_used_mb",
    "cpu_percent",
    "ram_used_mb",
)


@dataclass(slots=True)
class _Turn:
    """What is known of a turn before it is over."""

    source: str
    played_ms: float | None = None
    interrupted_by: str = ""
    asked_again: bool = False


class Journaling:
    """Follows one talk. `log` is where core and libraries print to; what is kept lies beside it.

    That no line can be kept is told by a notice of the key `journal`, which stands until one can; what became of a
    scene, once that is known.
    """

    def __init__(self, settings: Settings, log: Path, emit: Callable[[Event], None]) -> None:
        self._settings = settings
        self._emit = emit
        self._untold: deque[tuple[str, Severity, str]] = deque(maxlen=_UNTOLD)
        """Text, severity and key of what the disk's thread has to tell."""
        self._log = log
        self._path = journal_beside(log)
        self._file = JournalFile(self._path, settings.journal.size_mb * 1_000_000, settings.journal.files)
        self._disk = DiskThread("journal", self._in_trouble, self._works_again)
        self._alarms = Alarms()
        self._began_s = now_s()
        self._kept_at_s: dict[Cause, float] = {}
        self._turns: dict[int, _Turn] = {}
        self._profile = settings.core.profile
        self._model = ""
        self._tuning: Mapping[str, Any] = settings.tuning(self._profile).values()
        self._seen: MachineSeen | None = None
        self._lost_before = counts()
        self._cores = 0
        self._died = False

    def on_event(self, event: Event) -> None:
        """Take one of the assistant's events."""
        if not self._settings.journal.enabled:
            return
        match event:
            case Tuned():
                self._tuning = event.values
            case MachineSeen():
                self._seen = event
            case CoreFound(profile=profile, model=model):
                self._profile, self._model = profile, model
            case Ready():
                self._ready(event)
            case TurnCommitted():
                self._committed(event)
            case AskedAgain() if turn := self._turns.get(event.turn):
                turn.asked_again = True
            case AudioStopped() if turn := self._turns.get(event.turn):
                turn.played_ms = event.played_ms
            case Interrupted() if turn := self._turns.get(event.turn):
                turn.interrupted_by, turn.played_ms = event.by, event.played_ms
            case TurnDone():
                self._done(event)
            case Notice(key="journal"):
                pass  # it would be lost as well
            case Notice() if event.severity != "info" or not event.text:
                told = {"severity": event.severity, "key": event.key, "text": event.text}
                self._put(event.at_s, "notice", **told, over=True if not event.text else None)
            case Failed():
                self._put(event.at_s, "notice", severity="error", text=event.text)
            case _:
                pass
        self._look_out(event)

    def core_down(self, reason: str, then: Literal["start", "link", "stop"]) -> None:
        """The core is gone, or only the link to it; `reason` is empty if that was asked for, `then` what comes next."""
        if not self._settings.journal.enabled:
            return
        what = {"start": "died", "link": "link_lost", "stop": "gave_up"}[then] if reason else "replaced"
        told = {"what": what, "reason": reason, "profile": self._profile, "model": self._model}
        self._put(now_s(), "core", **told, lost=self._lost())
        if reason and then != "link":
            self._died = True
            self._keep("core-died" if then == "start" else "core-gave-up", reason)

    def tick(self) -> None:
        """Tell of trouble with the disk, and of scenes that were kept. To be called often."""
        while self._untold:
            text, severity, key = self._untold.popleft()
            self._emit(Notice(at_s=now_s(), text=text, severity=severity, key=key))

    def failed(self, error: Exception) -> None:
        """The assistant itself fails."""
        if self._settings.journal.enabled:
            self._keep("assistant-failed", type(error).__name__)  # what it says may hold what was said

    def close(self, timeout_s: float = 0.5) -> None:
        """Write what waits, for `timeout_s` at most, and end."""
        self._disk.close(timeout_s)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _ready(self, event: Ready) -> None:
        self._profile, self._model = event.profile, event.model
        restarts = self._cores if self._died else 0
        self._cores, self._died = self._cores + 1, False
        told = {"profile": event.profile, "model": event.model, "load_ms": round(event.load_ms, 1)}
        self._put(event.at_s, "core", what="ready", **told, restarts=restarts or None)

    def _committed(self, event: TurnCommitted) -> None:
        self._turns[event.turn] = _Turn("typed" if event.last_speech_at_s is None else "voice")
        for old in sorted(self._turns)[:-_OPEN_TURNS]:
            del self._turns[old]

    def _done(self, event: TurnDone) -> None:
        turn = self._turns.pop(event.turn, _Turn(""))
        words = {"said": event.heard, "reply": event.reply} if self._settings.journal.words else {}
        self._put(
            event.at_s,
            "turn",
            turn=event.turn,
            source=turn.source,
            status=event.status,
            stages_ms={name: round(ms, 1) for name, ms in event.stages_ms.items()},
            tokens=event.output_tokens,
            writing_ms=round(event.writing_ms, 1) or None,
            eager=event.eager_ms > 0,
            eager_ms=round(event.eager_ms, 1) or None,
            played_ms=None if turn.played_ms is None else round(turn.played_ms, 1),
            interrupted_by=turn.interrupted_by,
            asked_again=turn.asked_again or None,
            profile=self._profile,
            tuning=self._chosen(),
            health=self._health(),
            lost=self._lost(),
            **words,
        )

    def _look_out(self, event: Event) -> None:
        for alarm in self._alarms.on_event(event):
            self._keep(alarm.cause, alarm.text)

    def _chosen(self) -> dict[str, Any]:
        """The live settings that are not at their default."""
        defaults = Settings().tuning(self._profile).values()
        return {name: value for name, value in self._tuning.items() if value != defaults.get(name)}

    def _health(self) -> dict[str, Any]:
        """The newest reading of the machine, and what core and terminal take; nothing while it is not seen."""
        if self._seen is None or now_s() - self._seen.at_s > _STALE_S:
            return {}
        reading = self._seen.machine.reading
        health = {name: getattr(reading, name) for name in _HEALTH}
        health |= {"core_mb": self._seen.machine.core_mb, "terminal_mb": self._seen.terminal_mb}
        known = {name: value for name, value in health.items() if value not in (None, "")}
        return {name: round(value, 1) if isinstance(value, float) else value for name, value in known.items()}

    def _lost(self) -> dict[str, int]:
        """What this process lost since it was last told, by the names in `counts`; turns and cores have lines."""
        before, self._lost_before = self._lost_before, counts()
        told = [one for one in self._lost_before if one not in (Count.CORES_DIED, Count.TURNS_LOST)]
        return {name: more for name in told if (more := self._lost_before[name] - before[name])}

    def _put(self, at_s: float, kind: Kind, **fields: Any) -> None:
        raw = line(wall_time(at_s), kind, run=os.getpid(), **fields)
        self._disk.put(lambda: self._file.append(raw))

    def _keep(self, cause: Cause, what: str) -> None:
        """Have the scene kept, and told once it is; unless one of this cause just was."""
        at_s = now_s()
        if at_s - self._kept_at_s.get(cause, -_AGAIN_S) < _AGAIN_S:
            return
        self._kept_at_s[cause] = at_s
        facts = {
            "profile": self._profile,
            "model": self._model,
            "terminal": os.getpid(),
            "cores_started": self._cores,
            "up_s": round(at_s - self._began_s, 1),
            "open_turns": sorted(self._turns),
        }
        probes = {} if self._seen is None else asdict(self._seen) | {"age_s": round(at_s - self._seen.at_s, 1)}
        scene = Scene(
            at=wall_time(at_s),
            cause=cause,
            what=" ".join(what.split())[:500],
            facts=facts,
            settings=describe(self._settings),
            tuning=self._tuning,
            probes=probes,
            journal=self._path,
            log=self._log,
        )
        self._disk.once(partial(self._write, scene), partial(self._not_kept, scene))

    # --- on the disk's thread -----------------------------------------------------------------------------------------

    def _write(self, scene: Scene) -> None:
        keep(incidents_beside(self._log), scene)
        # Of a core's end the user was warned when it came; of an alarm this is the first word.
        severity: Severity = "info" if scene.cause in ("core-died", "core-gave-up") else "warning"
        self._untold.append((f"{scene.what}; the scene is kept: `parlor-tui incident show last`", severity, ""))

    def _not_kept(self, scene: Scene, why: str) -> None:
        self._untold.append((f"{scene.what}; the scene of it could not be kept: {why}", "warning", ""))

    def _in_trouble(self, why: str) -> None:
        self._untold.append((why, "warning", "journal"))

    def _works_again(self, lost: int) -> None:
        """The disk takes lines again, after so many found no room."""
        self._untold.append(("", "warning", "journal"))
        if lost:
            self._put(now_s(), "notice", severity="warning", text=f"{lost} lines before this one could not be kept")
