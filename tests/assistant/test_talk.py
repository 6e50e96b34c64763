"""Turns as the terminal sees them: what it tells the core, whatever comes in whatever order."""

from __future__ import annotations

from parlor_tui.assistant.playback import Playback
from parlor_tui.assistant.talk import Talk
from parlor_tui.assistant.utterance import Heard
from parlor_tui.events import (
    CaptionFinal,
    Event,
    InputCommitted,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    TurnDone,
)
from parlor_tui.hearing.turn import Action, Begin, Commit, Confirm
from parlor_tui.link.client_events import CancelResponse, ClientEvent, CommitAudio, CreateItem, CreateResponse
from parlor_tui.observe.stages import LatencyObserver


class Terminal:
    """A talk without sound, with all that it said to the core and to its listeners."""

    def __init__(self) -> None:
        self.sent: list[ClientEvent] = []
        self.events: list[Event] = []
        self.talk = Talk(self.events.append, self.sent.append, Playback(), LatencyObserver())

    def hear(self, *actions: Action) -> None:
        self.talk.heard(Heard(-20.0, 0.9, actions, b"\0\0"), 1.0, lambda: None)

    def speak(self) -> None:
        for action in (Begin(), Confirm(), Commit(1.0)):
            self.hear(action)

    def answer(self, turn: int, text: str) -> None:
        response, item = f"resp_{turn}", f"item_{turn}"
        self.talk.core_said(ReplyCreated(response, item, turn))
        self.talk.core_said(ReplyDelta(response, item, text))
        self.talk.core_said(ReplyDone(response, item, turn, "completed", text))
        self.talk.tick(hold=False)

    def turns_done(self) -> list[tuple[int, str]]:
        return [(event.turn, event.status) for event in self.events if isinstance(event, TurnDone)]

    def requests(self) -> list[str]:
        kinds = (CreateResponse, CancelResponse, CommitAudio, CreateItem)
        return [type(event).__name__ for event in self.sent if isinstance(event, kinds)]


def test_a_turn_that_ends_over_a_reply_stops_it_first() -> None:
    terminal = Terminal()
    terminal.hear(Begin())
    terminal.hear(Confirm())
    terminal.talk.typed("Hello.", None)
    terminal.hear(Commit(1.0))
    assert terminal.requests() == ["CreateItem", "CreateResponse", "CancelResponse", "CommitAudio", "CreateResponse"]
    assert len(terminal.turns_done()) == 1


def test_every_turn_ends_exactly_once() -> None:
    terminal = Terminal()
    for _ in range(3):
        terminal.speak()
    terminal.talk.interrupt("key")
    terminal.talk.typed("Hi.", None)
    terminal.answer(4, "Hello.")
    assert [turn for turn, _ in terminal.turns_done()] == [1, 2, 3, 4]
    assert terminal.turns_done()[-1] == (4, "completed")


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


def test_without_any_core_to_come_nothing_waits() -> None:
    terminal = Terminal()
    terminal.speak()
    terminal.talk.core_lost()
    terminal.talk.give_up()
    assert terminal.turns_done() == [(1, "failed")]
