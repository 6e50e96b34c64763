"""A voice over a reply, or while one is made: it yields, goes on, or ends; and the turn that comes of it."""

from __future__ import annotations

import numpy as np
import pytest

from parlor_tui.events import (
    Interrupted,
    ReplyDone,
    ReplyYields,
    TurnJudged,
)
from parlor_tui.hearing.turn import Begin, Commit, Confirm, Drop, Pause, Settle, Stir, Sure
from parlor_tui.link.client_events import (
    PauseAudio,
)
from tests.assistant.loudspeaker import Loudspeaker
from tests.assistant.terminal import Terminal, level, spoken_over


def test_a_voice_dips_the_reply_then_silences_it_and_words_end_it() -> None:
    terminal, loudspeaker = spoken_over()
    full = level(loudspeaker.play(60))
    terminal.hear(Begin())
    assert 0 < level(loudspeaker.play(60)) < full / 3
    terminal.hear(Confirm())
    assert level(loudspeaker.play(60)) == 0
    terminal.hear(Pause(4, 1.0))
    assert terminal.sent[-1] == PauseAudio(2, 4, answer=False)
    assert terminal.talk.judged(TurnJudged(2, 4, "Stop."))
    assert terminal.requests()[-3:] == ["CancelResponse", "TruncateItem", "PauseAudio"]
    assert terminal.sent[-1] == PauseAudio(2, 4, answer=True)
    assert terminal.turns_done() == [(1, "interrupted")]
    assert [event.by for event in terminal.events if isinstance(event, Interrupted)] == ["voice"]


@pytest.mark.parametrize("text", ["", "Mm-hmm.", "Uh-huh."])
def test_what_is_no_turn_lets_the_reply_go_on_from_where_it_was_held(text: str) -> None:
    terminal, loudspeaker = spoken_over()
    for action in (Begin(), Confirm(), Pause(4, 1.0)):
        terminal.hear(action)
    assert not terminal.talk.judged(TurnJudged(2, 4, text))
    held = loudspeaker.clock().played_samples
    assert level(loudspeaker.play(100)) == 0
    assert loudspeaker.clock().played_samples - held < 24_000 * 0.03
    terminal.hear(Drop(1.0))
    assert level(loudspeaker.play(100)) > 0.25
    assert terminal.yields() == ["dipped", "held", "resumed"]
    assert terminal.turns_done() == []
    assert "CancelResponse" not in terminal.requests()
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "One two three four five."))
    loudspeaker.play(2000)
    terminal.talk.tick(hold=False)
    assert terminal.turns_done() == [(1, "completed")]


def test_a_voice_that_goes_on_ends_the_reply_before_it_pauses() -> None:
    terminal, _ = spoken_over()
    for action in (Begin(), Confirm(), Sure()):
        terminal.hear(action)
    assert terminal.turns_done() == [(1, "interrupted")]
    terminal.hear(Pause(1, 1.0))
    assert terminal.sent[-1] == PauseAudio(2, 1, answer=True)


def test_after_any_interruption_the_next_reply_is_heard_in_full_and_aloud() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.speak()
    loudspeaker.play(100)
    terminal.begin_to_answer(2, "Yes, and here is more.", seconds=0.5)
    sound = loudspeaker.play(600)
    assert np.count_nonzero(np.abs(sound) > 0.01) > 0.45 * 24_000
    assert float(np.abs(sound).max()) > 0.25


@pytest.mark.parametrize("text", ["", "you", "Mm-hmm."])
def test_a_noise_while_it_thinks_does_not_lose_the_question(text: str) -> None:
    terminal = Terminal(Loudspeaker())
    terminal.talk.typed("Who are you?", None)
    for action in (Begin(), Confirm(), Sure(), Pause(1, 1.0)):
        terminal.hear(action)
    assert not terminal.talk.judged(TurnJudged(2, 1, text))
    terminal.hear(Drop(1.0))
    assert terminal.turns_done() == []
    assert terminal.requests() == ["CreateItem", "CreateResponse", "PauseAudio"]
    terminal.begin_to_answer(1, "I am Parlor.")
    assert [event.turn for event in terminal.events if isinstance(event, ReplyYields)] == []


def test_more_words_while_it_thinks_join_the_turn() -> None:
    terminal = Terminal(Loudspeaker())
    terminal.speak()
    terminal.sent.clear()
    for action in (Begin(), Confirm(), Pause(2, 1.0)):
        terminal.hear(action)
    assert terminal.talk.judged(TurnJudged(2, 2, "and in Spain?"))
    assert terminal.turns_done() == [(1, "joined")]
    terminal.hear(Commit(1.0))
    assert terminal.requests() == ["PauseAudio", "CancelResponse", "PauseAudio", "CommitAudio", "CreateResponse"]


def test_a_judgement_of_an_utterance_that_is_over_says_nothing() -> None:
    terminal, _ = spoken_over()
    assert terminal.talk.judged(TurnJudged(9, 1, "Stop."))
    assert terminal.turns_done() == []


def test_a_voice_that_stirs_and_comes_to_nothing_leaves_the_reply_in_full() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.hear(Stir())
    assert level(loudspeaker.play(60)) < 0.1
    terminal.hear(Settle())
    assert level(loudspeaker.play(60)) > 0.25
    assert terminal.yields() == ["dipped", "resumed"]


def test_okay_is_an_answer_once_the_reply_has_said_it_all() -> None:
    terminal, loudspeaker = spoken_over(answer="Shall I go on?")
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "Shall I go on?"))
    loudspeaker.play(650)  # of a second: the rest is hardly more than the silence behind the last word
    for action in (Begin(), Confirm(), Pause(4, 1.0)):
        terminal.hear(action)
    assert terminal.talk.judged(TurnJudged(2, 4, "Okay."))
    assert terminal.turns_done() == [(1, "interrupted")]
