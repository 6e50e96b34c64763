"""Turns as the terminal sees them: what it tells the core, whatever comes in whatever order."""

from __future__ import annotations

from parlor_tui.events import (
    EagerCount,
    EagerDropped,
    ReplyCreated,
    ReplyDone,
    TurnCommitted,
    TurnDone,
    Usage,
)
from parlor_tui.hearing.turn import Begin, Commit, Confirm, Pause, Resume
from tests.assistant.terminal import Terminal


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


def test_a_turn_tells_whether_a_picture_went_along_and_how_long_its_tokens_took() -> None:
    terminal = Terminal()
    for turn, (frame, usage) in enumerate([(b"jpeg", Usage(9, 5, 0, 140.5)), (None, Usage(9, 5, 0))], 1):
        terminal.talk.typed("One?", frame)
        terminal.talk.core_said(ReplyCreated("r", "i", turn))
        terminal.talk.core_said(ReplyDone("r", "i", turn, "completed", "Two.", usage=usage))
        terminal.talk.tick(hold=False)
    assert [event.pictured for event in terminal.events if isinstance(event, TurnCommitted)] == [True, False]
    assert [event.writing_ms for event in terminal.events if isinstance(event, TurnDone)] == [140.5, 0.0]


def test_speech_that_goes_on_after_a_pause_is_told() -> None:
    terminal = Terminal()
    for action in (Begin(), Confirm(), Pause(1, 1.0), Resume(), Pause(2, 2.0), Commit(2.0)):
        terminal.hear(action)
    assert terminal.requests() == ["PauseAudio", "ResumeAudio", "PauseAudio", "CommitAudio", "CreateResponse"]


def test_what_eagerness_brought_and_cost_is_counted() -> None:
    terminal = Terminal()
    terminal.talk.core_said(EagerDropped(1, 120.0))
    terminal.speak()
    terminal.talk.core_said(ReplyCreated("resp_1", "item_1", 1, True, 350.0))
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "Yes."))
    terminal.talk.tick(hold=False)
    counts = [event for event in terminal.events if isinstance(event, EagerCount)]
    assert (counts[-1].hits, counts[-1].dropped, counts[-1].saved_ms, counts[-1].wasted_ms) == (1, 1, 350.0, 120.0)
    (done,) = [event for event in terminal.events if isinstance(event, TurnDone)]
    assert done.eager_ms == 350.0
