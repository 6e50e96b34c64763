"""Tells the core, for its figures, of each turn that is over: what only the terminal knows. Numbers, never words."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from parlor_tui.assistant.playback import Playback
from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.events import Event, Interrupted, ReplyYields, SpeakerLevel, TurnDone
from parlor_tui.link.client_events import ClientEvent, ReportTurn
from parlor_tui.observe.turn_report import InterruptedBy, TurnReport

_KEPT_REPORTS = 16
"""Of turns that were over while there was no core."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What was lost of the sound so far, since each device was opened: `overruns` of the microphone, and by queue."""

    overruns: int
    by_queue: Mapping[str, int]


class TurnReports:
    """Follows every event. `send` is given the reports; `has_core` says whether anybody is there to take them."""

    def __init__(
        self,
        playback: Playback,
        losses: Callable[[], Losses],
        has_core: Callable[[], bool],
        send: Callable[[ClientEvent], None],
    ) -> None:
        self._playback = playback
        self._losses = losses
        self._has_core = has_core
        self._send = send
        self._waiting: deque[TurnReport] = deque(maxlen=_KEPT_REPORTS)
        self._told = Losses(0, {})
        self._interrupted: tuple[int, InterruptedBy] = (0, "")
        self._held = False
        self._false_interruptions = 0
        self._buffered: list[float] = []

    def on_event(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case Interrupted():
                self._interrupted, self._held = (event.turn, event.by), False
            case ReplyYields(how="held"):
                self._held = True
            case ReplyYields(how="resumed"):
                self._false_interruptions += self._held
                self._held = False
            case SpeakerLevel():
                clock = self._playback.clock()
                if clock is not None:
                    self._buffered.append(clock.buffered_samples * 1000 / SPEAKER_RATE_HZ)
            case TurnDone():
                self._over(event)
            case _:
                pass

    def core_back(self) -> None:
        """There is a core: it hears of the turns that were over while there was none."""
        while self._waiting:
            self._send(ReportTurn(self._waiting.popleft()))

    def _over(self, done: TurnDone) -> None:
        report = self._report(done)
        self._held, self._false_interruptions, self._buffered = False, 0, []
        if self._has_core():
            self._send(ReportTurn(report))
        else:
            self._waiting.append(replace(report, core_lost=done.status == "failed"))

    def _report(self, done: TurnDone) -> TurnReport:
        turn, by = self._interrupted
        clock = self._playback.clock()
        before, now = self._told, self._losses()
        self._told = now
        grown = {name: _growth(before.by_queue.get(name, 0), count) for name, count in now.by_queue.items()}
        return TurnReport(
            done.turn,
            done.status,
            dict(done.stages_ms),
            interrupted_by=by if done.status == "interrupted" and turn == done.turn else "",
            false_interruptions=self._false_interruptions,
            underruns=clock.underruns if clock is not None else 0,
            overruns=_growth(before.overruns, now.overruns),
            overflows={name: count for name, count in grown.items() if count},
            buffered_ms=round(sum(self._buffered) / len(self._buffered), 1) if self._buffered else None,
        )


def _growth(before: int, now: int) -> int:
    """Of a count that begins anew with each device."""
    return now - before if now >= before else now
