"""What the terminal tells the core of turns that are over."""

from __future__ import annotations

from parlor_tui.assistant.keeping.reporting import TurnReports
from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.counts import Count, count, counts
from parlor_tui.events import Event, ReplyDone
from parlor_tui.hearing.turn import Begin, Confirm, Settle, Sure
from parlor_tui.link.client_events import ClientEvent, ReportCounts, ReportTurn
from parlor_tui.observe.stages import LatencyObserver
from parlor_tui.observe.turn_report import TerminalCounts, TurnReport
from tests.assistant.loudspeaker import Loudspeaker
from tests.assistant.terminal import Terminal


class Reporting(Terminal):
    """A talk whose turns are reported to a core, if there is one."""

    def __init__(self, loudspeaker: Loudspeaker | None = None) -> None:
        super().__init__(loudspeaker)
        playback, observer = Playback(), LatencyObserver()
        playback.use(loudspeaker)
        self.has_core = True
        self.overruns = 0
        told: list[ClientEvent] = []
        self.told = told
        self.reports = TurnReports(playback, lambda: self.overruns, lambda: self.has_core, told.append)

        def emit(event: Event) -> None:
            observer.on_event(event)
            self.reports.on_event(event)

        self.talk = Talk(emit, self.sent.append, playback, observer)

    def answer(self, turn: int, seconds: float = 1.0) -> None:
        self.talk.typed("Why?", None)
        self.begin_to_answer(turn, "Because.", seconds)

    def end(self, turn: int) -> None:
        self.talk.core_said(ReplyDone(f"resp_{turn}", f"item_{turn}", turn, "completed", "Because."))
        self.talk.tick(hold=False)

    @property
    def reported(self) -> list[TurnReport]:
        assert all(isinstance(event, ReportTurn | ReportCounts) for event in self.told)
        return [event.report for event in self.told if isinstance(event, ReportTurn)]

    @property
    def counted(self) -> list[TerminalCounts]:
        return [event.counts for event in self.told if isinstance(event, ReportCounts)]


def test_a_reply_that_was_heard_is_told_with_its_stages_and_what_waited_in_the_buffer() -> None:
    loudspeaker = Loudspeaker()
    talk = Reporting(loudspeaker)
    talk.answer(1)
    loudspeaker.play(100)
    talk.talk.tick(hold=False)
    loudspeaker.play(950)
    talk.end(1)
    (report,) = talk.reported
    assert (report.turn, report.status, report.interrupted_by) == (1, "completed", "")
    assert {"first_token", "first_audio", "voice_to_voice"} <= report.stages_ms.keys()
    assert report.buffered_ms is not None
    assert 0 < report.buffered_ms <= 900
    assert report.underruns == 0


def test_without_a_speaker_nothing_is_told_of_sound() -> None:
    talk = Reporting()
    talk.answer(1)
    talk.end(1)
    (report,) = talk.reported
    assert report.buffered_ms is None
    assert "voice_to_voice" not in report.stages_ms


def test_a_torn_reply_counts_its_underruns_and_the_next_one_begins_anew() -> None:
    loudspeaker = Loudspeaker()
    talk = Reporting(loudspeaker)
    talk.answer(1, seconds=0.2)
    loudspeaker.play(300)
    talk.begin_to_answer(1, " Really.", 0.2)
    loudspeaker.play(300)
    talk.end(1)
    talk.answer(2, seconds=0.2)
    loudspeaker.play(300)
    talk.end(2)
    assert [report.underruns for report in talk.reported] == [1, 0]


def test_who_stopped_a_reply_is_told_and_a_voice_that_was_none_is_a_false_interruption() -> None:
    loudspeaker = Loudspeaker()
    talk = Reporting(loudspeaker)
    talk.answer(1, seconds=5)
    loudspeaker.play(100)
    talk.talk.tick(hold=False)
    for action in (Begin(), Confirm(), Settle(), Confirm(), Settle()):
        talk.hear(action)
    talk.hear(Confirm(), Sure())
    talk.answer(2, seconds=5)
    loudspeaker.play(100)
    talk.talk.tick(hold=False)
    talk.talk.interrupt("key")
    first, second = talk.reported
    assert (first.status, first.interrupted_by, first.false_interruptions) == ("interrupted", "voice", 2)
    assert (second.status, second.interrupted_by, second.false_interruptions) == ("interrupted", "key", 0)


def test_how_often_the_microphone_lost_sound_is_told_once_even_where_another_one_counts_anew() -> None:
    talk = Reporting()
    for turn, overruns in enumerate((2, 2, 1), 1):
        talk.overruns = overruns
        talk.answer(turn)
        talk.end(turn)
    assert [report.overruns for report in talk.reported] == [2, 0, 1]


def test_a_turn_that_died_with_its_core_is_told_the_next_one_and_counted_for_all_that_follow() -> None:
    talk = Reporting(loudspeaker := Loudspeaker())
    before = counts()["turns_lost"]
    talk.reports.core_back()
    talk.answer(1, seconds=5)
    loudspeaker.play(1000)
    talk.talk.tick(hold=False)
    talk.has_core = False
    talk.talk.core_lost()
    assert talk.reported == []
    talk.has_core = True
    talk.reports.core_back()
    talk.reports.core_back()  # that one died, too, with all that it had been told
    (report,) = talk.reported
    assert (report.turn, report.status) == (1, "failed")
    assert [told.counts["turns_lost"] - before for told in talk.counted] == [0, 1, 1]
    assert len({told.terminal for told in talk.counted}) == 1


def test_what_was_lost_is_told_with_the_next_turn_and_not_again() -> None:
    talk = Reporting()
    talk.reports.core_back()
    count(Count.INBOX_BLOCKS_LOST, 7)
    for turn in (1, 2):
        talk.answer(turn)
        talk.end(turn)
    first, second = talk.counted
    assert second.counts["inbox_blocks_lost"] - first.counts["inbox_blocks_lost"] == 7


def test_reports_that_nobody_takes_are_bounded() -> None:
    talk = Reporting()
    before = counts()["turn_reports_lost"]
    talk.has_core = False
    for turn in range(1, 40):
        talk.answer(turn)
        talk.end(turn)
    talk.reports.core_back()
    assert [report.turn for report in talk.reported] == list(range(24, 40))
    assert counts()["turn_reports_lost"] - before == 23
