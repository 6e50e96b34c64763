"""A core that dies in the middle of a talk, or lets go of what it was told: what it is told, and asked, again."""

from __future__ import annotations

import pytest

from parlor_tui.assistant.ear.utterance import Heard
from parlor_tui.events import (
    AskedAgain,
    CaptionFinal,
    CoreError,
    CoreNotice,
    Failed,
    InputCommitted,
    Notice,
    ReplyDone,
    TurnDone,
)
from parlor_tui.hearing.turn import Begin, Commit, Drop
from parlor_tui.link.client_events import (
    AppendAudio,
    ClearAudio,
    ClientEvent,
    CommitAudio,
    CreateItem,
    CreateResponse,
)
from tests.assistant.loudspeaker import Loudspeaker
from tests.assistant.terminal import Terminal, spoken_over


def test_an_interrupted_turn_is_not_answered_after_the_core_died() -> None:
    terminal = Terminal()
    terminal.speak()
    terminal.talk.interrupt("key")
    terminal.talk.core_lost()
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.sent == []


def test_a_turn_without_an_answer_is_asked_again_after_the_core_died() -> None:
    terminal = Terminal()
    terminal.speak()
    terminal.talk.core_lost()
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.requests() == ["CommitAudio", "CreateResponse"]
    terminal.talk.core_said(InputCommitted("item_x"))
    terminal.talk.core_said(CaptionFinal("item_x", "Hello?", 500.0))
    terminal.answer(1, "Hi.")
    assert terminal.turns_done() == [(1, "completed")]
    assert isinstance(terminal.events[-1], TurnDone)
    assert terminal.events[-1].heard == "Hello?"


def test_a_turn_over_which_core_after_core_dies_is_asked_no_more() -> None:
    terminal = Terminal()
    terminal.talk.typed("The end.", None)
    for _ in range(2):
        terminal.talk.core_lost()
        terminal.talk.core_back()
    asked = [event for event in terminal.sent if isinstance(event, CreateResponse)]
    assert len(asked) == 3
    terminal.talk.core_lost()
    assert [event.status for event in terminal.events if isinstance(event, TurnDone)] == ["failed"]
    before = len(terminal.sent)
    terminal.talk.core_back()
    assert terminal.sent[before:] == []


def test_the_talk_so_far_is_told_to_a_new_core() -> None:
    terminal = Terminal()
    terminal.talk.typed("One?", None)
    terminal.answer(1, "Two.")
    terminal.talk.core_lost()
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.sent == [CreateItem("user", "One?"), CreateItem("assistant", "Two.")]


def test_what_a_core_says_of_itself_is_not_told_again_by_the_next_one() -> None:
    terminal = Terminal()

    def told() -> list[str]:
        return [event.text for event in terminal.events if isinstance(event, Notice)]

    for _ in range(2):
        terminal.talk.core_said(CoreNotice("it cannot see"))
        terminal.talk.core_said(CoreNotice("a picture is broken"))
        terminal.talk.core_lost()
        terminal.talk.core_lost()
    assert told() == ["it cannot see", "a picture is broken"]
    terminal.talk.core_said(CoreNotice("it cannot see"))
    terminal.talk.core_said(CoreNotice("a picture is broken"))
    terminal.talk.core_said(CoreNotice("a picture is broken"))
    assert told()[2:] == ["a picture is broken"], "what happens anew is told anew"


def test_without_any_core_to_come_nothing_waits() -> None:
    terminal = Terminal()
    terminal.speak()
    terminal.talk.core_lost()
    terminal.talk.give_up()
    assert terminal.turns_done() == [(1, "failed")]


def test_a_reply_that_is_here_as_a_whole_is_not_made_again_after_the_core_died() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "One two three four five."))
    terminal.talk.core_lost()
    terminal.talk.core_back()
    assert "CreateResponse" not in terminal.requests()
    loudspeaker.play(2000)
    terminal.talk.tick(hold=False)
    assert terminal.turns_done() == [(1, "completed")]
    terminal.sent.clear()
    terminal.talk.core_lost()
    terminal.talk.core_back()
    assert terminal.sent == [CreateItem("user", "Count."), CreateItem("assistant", "One two three four five.")]


@pytest.mark.parametrize(("played_ms", "again"), [(0, True), (10, True), (600, False)])
def test_a_reply_of_which_no_word_was_heard_is_made_again_after_the_core_died(played_ms: int, again: bool) -> None:
    loudspeaker = Loudspeaker()
    terminal = Terminal(loudspeaker)
    terminal.speak()
    terminal.begin_to_answer(1, "One two three four five.", seconds=2.0)
    loudspeaker.play(played_ms)
    terminal.talk.tick(hold=False)
    terminal.talk.core_lost()
    assert terminal.turns_done() == ([] if again else [(1, "failed")])
    assert [event.turn for event in terminal.events if isinstance(event, AskedAgain)] == ([1] if again else [])
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.requests() == (["CommitAudio", "CreateResponse"] if again else [])
    if again:
        terminal.begin_to_answer(1, "Six.", seconds=0.5)
        terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "Six."))
        loudspeaker.play(1000)
        terminal.talk.tick(hold=False)
        assert terminal.turns_done() == [(1, "completed")]


def test_what_is_only_shown_of_a_reply_counts_as_read() -> None:
    terminal = Terminal()
    terminal.talk.typed("Count.", None)
    terminal.begin_to_answer(1, "One two three")
    terminal.talk.core_lost()
    assert terminal.turns_done() == [(1, "failed")]


def sound_at_the_core(sent: list[ClientEvent]) -> bytes:
    """What a core holds of the turn after all that."""
    sound = b""
    for event in sent:
        match event:
            case AppendAudio(pcm16):
                sound += pcm16
            case ClearAudio():
                sound = b""
            case CommitAudio():
                break
    return sound


@pytest.mark.parametrize("ending", ["voice", "key"])
def test_what_the_core_let_go_of_while_this_process_stood_still_is_told_anew(ending: str) -> None:
    terminal = Terminal()
    words = [bytes([number, 0]) for number in range(6)]
    for number, word in enumerate(words[:3]):
        terminal.talk.heard(Heard(-20.0, 0.9, (Begin(),) if number == 0 else (), word), 1.0, lambda: None)
    terminal.sent.clear()
    terminal.talk.core_said(CoreError("input_timeout", "the audio was dropped"))
    for word in words[3:]:
        if ending == "voice":
            terminal.talk.heard(Heard(-20.0, 0.9, (), word), 1.0, lambda: None)
    terminal.talk.heard(Heard(actions=(Commit(1.0),)), 1.0, lambda: None)
    assert sound_at_the_core(terminal.sent) == b"".join(words if ending == "voice" else words[:3])
    assert terminal.sent.count(ClearAudio()) == 1
    assert [event for event in terminal.events if isinstance(event, Failed)] == []


def test_an_utterance_that_was_dropped_meanwhile_is_not_told_anew() -> None:
    terminal = Terminal()
    terminal.hear(Begin())
    terminal.talk.core_said(CoreError("input_timeout", "the audio was dropped"))
    terminal.talk.heard(Heard(actions=(Drop(1.0),)), 1.0, lambda: None)
    terminal.sent.clear()
    terminal.hear(Begin())
    assert [type(event) for event in terminal.sent] == [AppendAudio]
