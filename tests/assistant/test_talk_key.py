"""Where the microphone is not open all the time, a key opens it and ends the turn."""

from __future__ import annotations

from parlor_tui.assistant.ear.talk_key import LAST_SOUND_S, TalkKey, until_the_key
from parlor_tui.hearing.turn import Begin, Commit, Pause, TurnMachine
from parlor_tui.settings import Hearing

FRAME_MS = 32.0


def test_one_press_opens_and_the_next_one_closes_once_the_last_word_has_come() -> None:
    key = TalkKey()
    assert not key.open
    assert key.press(1.0)
    assert key.open
    assert not key.closes(5.0)
    assert not key.press(6.0)
    assert key.open
    assert not key.closes(6.0 + LAST_SOUND_S / 2)
    assert key.closes(6.0 + LAST_SOUND_S)
    assert not key.open
    assert not key.closes(7.0)


def test_a_third_press_before_it_closed_keeps_it_open() -> None:
    key = TalkKey()
    key.press(1.0)
    key.press(2.0)
    assert key.press(2.1)
    assert not key.closes(9.0)
    assert key.open


def test_however_long_one_thinks_only_the_key_ends_the_turn() -> None:
    hearing = until_the_key(Hearing())
    machine = TurnMachine()
    kinds = []
    for number in range(1000):
        speech = 0.9 if number < 30 else 0.0
        for action in machine.frame(speech, (number + 1) * FRAME_MS / 1000, hearing, FRAME_MS):
            kinds.append(type(action))
            if isinstance(action, Pause):
                machine.judged(action.number, 200.0, words=True)
    assert Begin in kinds
    assert Pause in kinds
    assert Commit not in kinds
    assert [type(action) for action in machine.finish(hearing)] == [Commit]
