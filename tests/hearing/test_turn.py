from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.hearing.turn import Action, Begin, Commit, Confirm, Drop, ReplyPhase, TurnMachine
from parlor_tui.settings import Hearing

FRAME_MS = 32.0
HEARING = Hearing()


def run(
    machine: TurnMachine,
    probabilities: list[float],
    hearing: Hearing = HEARING,
    phase: ReplyPhase = ReplyPhase.NONE,
    start_s: float = 0.0,
    speaking_since_s: float = 0.0,
) -> list[tuple[int, Action]]:
    """The actions with the number of the frame that brought them."""
    found: list[tuple[int, Action]] = []
    for number, probability in enumerate(probabilities):
        end_at_s = start_s + (number + 1) * FRAME_MS / 1000
        found += [
            (number, action)
            for action in machine.frame(probability, end_at_s, hearing, FRAME_MS, phase, speaking_since_s)
        ]
    return found


def frames(ms: float) -> int:
    return round(ms / FRAME_MS)


def test_an_utterance_begins_is_confirmed_and_is_committed_after_the_silence() -> None:
    actions = run(TurnMachine(), [0.0] * 10 + [0.9] * frames(640) + [0.0] * frames(800))
    assert [type(action) for _, action in actions] == [Begin, Confirm, Commit]
    begin, confirm, commit = (number for number, _ in actions)
    assert begin == 10
    assert (confirm - begin + 1) * FRAME_MS >= HEARING.min_speech_ms
    assert (confirm - begin) * FRAME_MS < HEARING.min_speech_ms
    last_speech = 10 + frames(640) - 1
    assert HEARING.silence_ms <= (commit - last_speech) * FRAME_MS < HEARING.silence_ms + FRAME_MS
    assert actions[-1][1] == Commit((last_speech + 1) * FRAME_MS / 1000)


def test_a_short_noise_is_dropped_without_a_turn() -> None:
    actions = run(TurnMachine(), [0.9] * frames(200) + [0.0] * frames(800))
    assert [type(action) for _, action in actions] == [Begin, Drop]


def test_a_pause_shorter_than_the_silence_does_not_end_the_turn() -> None:
    pause_ms = HEARING.silence_ms - 2 * FRAME_MS
    actions = run(TurnMachine(), [0.9] * 12 + [0.0] * frames(pause_ms) + [0.9] * 12 + [0.0] * frames(800))
    assert [type(action) for _, action in actions] == [Begin, Confirm, Commit]


def test_speech_goes_on_at_a_lower_probability_than_it_begins_at() -> None:
    between = (HEARING.vad_threshold + HEARING.vad_release) / 2
    assert run(TurnMachine(), [between] * 50) == []
    actions = run(TurnMachine(), [0.9] + [between] * 50)
    assert [type(action) for _, action in actions] == [Begin, Confirm]


def test_over_a_reply_only_clear_speech_counts_and_only_after_the_grace() -> None:
    weak = [0.8] * 40
    assert run(TurnMachine(), weak, phase=ReplyPhase.SPEAKING, start_s=10.0) == []
    early = run(TurnMachine(), [0.99] * 10, phase=ReplyPhase.SPEAKING, start_s=10.0, speaking_since_s=10.0)
    assert early == []
    clear = run(TurnMachine(), [0.99] * 10, phase=ReplyPhase.SPEAKING, start_s=10.0, speaking_since_s=9.0)
    assert [type(action) for _, action in clear] == [Begin, Confirm]
    assert (clear[1][0] + 1) * FRAME_MS < HEARING.barge_in_ms + FRAME_MS


def test_with_barge_in_off_a_reply_cannot_be_stopped_by_voice() -> None:
    deaf = replace(HEARING, barge_in=False)
    assert run(TurnMachine(), [0.99] * 60, deaf, ReplyPhase.SPEAKING, start_s=10.0) == []
    thinking = run(TurnMachine(), [0.99] * 60, deaf, ReplyPhase.THINKING)
    assert [type(action) for _, action in thinking] == [Begin, Confirm]


def test_an_endless_utterance_is_cut_and_the_next_one_follows_at_once() -> None:
    short = replace(HEARING, max_utterance_s=5)
    actions = run(TurnMachine(), [0.9] * frames(11_000), short)
    kinds = [type(action) for _, action in actions]
    assert kinds == [Begin, Confirm, Commit, Begin, Confirm, Commit, Begin, Confirm]
    assert all(action.cut for _, action in actions if isinstance(action, Commit))
    assert actions[3][0] == actions[2][0] + 1


def test_abandoning_drops_what_was_begun_and_nothing_else() -> None:
    machine = TurnMachine()
    assert machine.abandon() == ()
    run(machine, [0.9] * 20)
    assert [type(action) for action in machine.abandon()] == [Drop]
    assert not machine.in_speech
    assert machine.abandon() == ()


@given(
    st.lists(st.floats(0, 1), max_size=400),
    st.lists(st.sampled_from(list(ReplyPhase)), min_size=1, max_size=8),
    st.integers(100, 1000),
    st.integers(32, 600),
)
def test_actions_always_come_in_the_order_begin_confirm_end(
    probabilities: list[float], phases: list[ReplyPhase], silence_ms: int, min_speech_ms: int
) -> None:
    hearing = replace(HEARING, silence_ms=silence_ms, min_speech_ms=min_speech_ms)
    machine = TurnMachine()
    open_since: float | None = None
    confirmed = False
    for number, probability in enumerate(probabilities):
        end_at_s = (number + 1) * FRAME_MS / 1000
        phase = phases[number % len(phases)]
        for action in machine.frame(probability, end_at_s, hearing, FRAME_MS, phase, -10.0):
            match action:
                case Begin():
                    assert open_since is None
                    open_since, confirmed = end_at_s, False
                case Confirm():
                    assert open_since is not None
                    assert not confirmed
                    confirmed = True
                case Commit(last) | Drop(last):
                    assert open_since is not None
                    assert open_since <= last <= end_at_s
                    assert confirmed or isinstance(action, Drop)
                    open_since = None
        assert machine.in_speech == (open_since is not None)
        assert machine.in_speech or not machine.confirmed


@pytest.mark.parametrize("gap", [1, 5, 12])
def test_probabilities_that_flicker_make_one_utterance(gap: int) -> None:
    speech = ([0.9] * 3 + [0.1] * gap) * 20
    actions = run(TurnMachine(), speech + [0.0] * frames(800))
    assert [type(action) for _, action in actions] == [Begin, Confirm, Commit]
