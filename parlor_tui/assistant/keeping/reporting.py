"""Tells the core, for its figures, what only the terminal knows: of each turn that is over, and all that it lost.

Numbers, never words.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping

from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.counts import OF_TERMINAL, Count, count, counts
from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.events import Event, Interrupted, ReplyYields, SpeakerLevel, TurnDone
from parlor_tui.link.client_events import ClientEvent, ReportCounts, ReportTurn
from parlor_tui.observe.turn_report import InterruptedBy, TerminalCounts, TurnReport

_KEPT_REPORTS = 16
"""Of turns that were over while there was no core."""


class TurnReports:
    """Follows every event. `send` is given the reports; `has_core` says whether anybody is there to take them.

    `overruns` is how often the microphone lost sound since it was opened.
    """

    def __init__(
        self,
        playback: Playback,
        overruns: Callable[[], int],
        has_core: Callable[[], bool],
        send: Callable[[ClientEvent], None],
    ) -> None:
        self._playback = playback
        self._overruns = overruns
        self._has_core = has_core
        self._send = send
        self._waiting: deque[TurnReport] = deque(maxlen=_KEPT_REPORTS)
        self._terminal = secrets.token_hex(8)
        self._overruns_told = 0
        self._counts_told: Mapping[str, int] = {}
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
        """There is a core: it hears what was counted, and of the turns that were over while there was none."""
        self._counts_told = {}
        self._tell_counts()
        while self._waiting:
            self._send(ReportTurn(self._waiting.popleft()))

    def _over(self, done: TurnDone) -> None:
        report = self._report(done)
        self._held, self._false_interruptions, self._buffered = False, 0, []
        if self._has_core():
            self._send(ReportTurn(report))
            self._tell_counts()
            return
        if done.status == "failed":
            count(Count.TURNS_LOST)
        if len(self._waiting) == _KEPT_REPORTS:
            count(Count.TURN_REPORTS_LOST)
        self._waiting.append(report)

    def _tell_counts(self) -> None:
        """What was counted, unless this core knows."""
        every = counts()
        counted = {str(what): every[what] for what in OF_TERMINAL}
        if counted != self._counts_told:
            self._counts_told = counted
            self._send(ReportCounts(TerminalCounts(self._terminal, counted)))

    def _report(self, done: TurnDone) -> TurnReport:
        turn, by = self._interrupted
        clock = self._playback.clock()
        overruns = self._overruns()
        before, self._overruns_told = self._overruns_told, overruns
        return TurnReport(
            done.turn,
            done.status,
            dict(done.stages_ms),
            interrupted_by=by if done.status == "interrupted" and turn == done.turn else "",
            false_interruptions=self._false_interruptions,
            underruns=clock.underruns if clock is not None else 0,
            overruns=_growth(before, overruns),
            buffered_ms=round(sum(self._buffered) / len(self._buffered), 1) if self._buffered else None,
        )


def _growth(before: int, now: int) -> int:
    """Of a count that begins anew with each device."""
    return now - before if now >= before else now
