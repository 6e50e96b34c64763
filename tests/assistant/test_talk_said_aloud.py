"""A text that is said aloud and is no part of the talk."""

from __future__ import annotations

from parlor_tui.events import (
    Failed,
    SpeechOver,
    SpeechPiece,
)
from parlor_tui.hearing.turn import Begin, Confirm, ReplyPhase, Sure
from parlor_tui.link.client_events import (
    SayAloud,
    StopSaying,
    TruncateItem,
)
from tests.assistant.loudspeaker import Loudspeaker
from tests.assistant.terminal import Terminal, level, spoken_over, tone


def saying_aloud() -> tuple[Terminal, Loudspeaker]:
    """200 ms of a text that is said aloud were heard."""
    loudspeaker = Loudspeaker()
    terminal = Terminal(loudspeaker)
    terminal.talk.say_aloud("Here is my voice.", "am_adam")
    assert terminal.sent == [SayAloud(1, "Here is my voice.", "am_adam")]
    terminal.talk.core_said(SpeechPiece(1, tone(1.0)))
    terminal.talk.tick(hold=False)
    loudspeaker.play(200)
    terminal.talk.tick(hold=False)
    assert terminal.talk.phase is ReplyPhase.SPEAKING
    return terminal, loudspeaker


def test_what_is_said_aloud_is_heard_to_its_end_and_is_no_turn() -> None:
    terminal, loudspeaker = saying_aloud()
    terminal.talk.core_said(SpeechOver(1))
    loudspeaker.play(2000)
    terminal.talk.tick(hold=False)
    assert terminal.talk.phase is ReplyPhase.NONE
    assert terminal.turns_done() == []
    assert terminal.talk.memories.waiting_turns() == []
    terminal.talk.typed("Hello.", None)
    terminal.begin_to_answer(1, "Hi.")
    assert level(loudspeaker.play(200)) > 0.25


def test_a_voice_or_the_key_stops_what_is_said_aloud_and_nothing_of_it_is_remembered() -> None:
    for stop in ("voice", "key"):
        terminal, loudspeaker = saying_aloud()
        if stop == "key":
            terminal.talk.interrupt("key")
        else:
            for action in (Begin(), Confirm(), Sure()):
                terminal.hear(action)
        assert terminal.sent.count(StopSaying()) == 1
        assert TruncateItem not in map(type, terminal.sent)
        assert terminal.turns_done() == []
        loudspeaker.play(20)
        assert level(loudspeaker.play(100)) == 0
        terminal.talk.core_said(SpeechPiece(1, tone(0.5)))  # on its way when it was stopped
        terminal.talk.tick(hold=False)
        assert level(loudspeaker.play(100)) == 0


def test_saying_aloud_stops_a_reply_and_what_was_said_aloud_before() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.talk.say_aloud("Once more.", "")
    assert terminal.turns_done() == [(1, "interrupted")]
    terminal.talk.say_aloud("And again.", "")
    terminal.talk.core_said(SpeechPiece(1, tone(0.5)))
    terminal.talk.tick(hold=False)
    loudspeaker.play(50)
    assert level(loudspeaker.play(100)) == 0
    terminal.talk.core_said(SpeechPiece(2, tone(0.5)))
    terminal.talk.tick(hold=False)
    assert level(loudspeaker.play(100)) > 0.25


def test_without_a_speaker_or_a_core_nothing_is_said_aloud_and_nothing_hangs() -> None:
    terminal = Terminal()
    terminal.talk.say_aloud("Hello.", "")
    assert terminal.sent == []
    assert [type(event) for event in terminal.events] == [Failed]
    terminal, _ = saying_aloud()
    terminal.talk.core_lost()
    assert terminal.talk.phase is ReplyPhase.NONE
    terminal, _ = saying_aloud()
    terminal.talk.core_said(SpeechOver(1, "the voice broke"))
    assert [event.text for event in terminal.events if isinstance(event, Failed)] == ["not said aloud: the voice broke"]
