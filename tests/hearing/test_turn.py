from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.hearing.turn import (
    LATEST_READY_MS,
    Action,
    Begin,
    Commit,
    Confirm,
    Drop,
    Pause,
    ReplyPhase,
    Resume,
    Settle,
    Stir,
    Sure,
    TurnMachine,
)
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
    *,
    guarded: bool = False,
) -> list[tuple[int, Action]]:
    """The actions with the number of the frame that brought them."""
    found: list[tuple[int, Action]] = []
    for number, probability in enumerate(probabilities):
        end_at_s = start_s + (number + 1) * FRAME_MS / 1000
        found += [
            (number, action)
            for action in machine.frame(
                probability, end_at_s, hearing, FRAME_MS, phase, speaking_since_s, guarded=guarded
            )
        ]
    return found


def frames(ms: float) -> int:
    return round(ms / FRAME_MS)


def kinds(actions: list[tuple[int, Action]]) -> list[type[Action]]:
    return [type(action) for _, action in actions]


SPOKEN = [0.9] * frames(960)
"""Long enough to be surely speech."""


def test_an_utterance_begins_pauses_and_is_committed_after_the_silence() -> None:
    actions = run(TurnMachine(), [0.0] * 10 + SPOKEN + [0.0] * frames(800))
    assert kinds(actions) == [Begin, Confirm, Sure, Pause, Commit]
    begin, confirm, sure, pause, commit = (number for number, _ in actions)
    assert begin == 10
    assert (confirm - begin) * FRAME_MS < HEARING.min_speech_ms <= (confirm - begin + 1) * FRAME_MS
    assert (sure - begin) * FRAME_MS < HEARING.barge_in_sure_ms <= (sure - begin + 1) * FRAME_MS
    last_speech = 10 + len(SPOKEN) - 1
    assert HEARING.eager_ms <= (pause - last_speech) * FRAME_MS < HEARING.eager_ms + FRAME_MS
    assert HEARING.silence_ms <= (commit - last_speech) * FRAME_MS < HEARING.silence_ms + FRAME_MS
    assert actions[-1][1] == Commit((last_speech + 1) * FRAME_MS / 1000)


@pytest.mark.parametrize("word_ms", [160, 200, 300])
def test_a_word_of_150_to_300_ms_is_a_turn(word_ms: float) -> None:
    actions = run(TurnMachine(), [0.9] * frames(word_ms) + [0.0] * frames(800))
    assert kinds(actions) == [Begin, Confirm, Pause, Commit]


def test_a_click_is_dropped_at_once_without_a_turn() -> None:
    actions = run(TurnMachine(), [0.9] * frames(64) + [0.0] * frames(800))
    assert kinds(actions) == [Begin, Drop]
    assert (actions[1][0] - 1) * FRAME_MS <= 160 + FRAME_MS


def test_a_pause_that_is_judged_finished_ends_the_turn_early_and_one_that_is_not_ends_it_late() -> None:
    for wait_ms in (HEARING.finished_ms, 350, HEARING.unfinished_ms):
        machine = TurnMachine()
        before = [*SPOKEN, *[0.0] * frames(128)]
        run(machine, before)
        machine.judged(1, wait_ms, words=True)
        actions = run(machine, [0.0] * frames(2500), start_s=len(before) * FRAME_MS / 1000)
        assert kinds(actions) == [Commit]
        silence_ms = (actions[0][0] + 1) * FRAME_MS + 128
        assert max(wait_ms, 128 + FRAME_MS) <= silence_ms < max(wait_ms, 128 + FRAME_MS) + FRAME_MS


def paused(machine: TurnMachine, silence_ms: float = 128) -> float:
    """Speech and a pause so far; when it is now."""
    blocks = [*SPOKEN, *[0.0] * frames(silence_ms)]
    run(machine, blocks)
    return len(blocks) * FRAME_MS / 1000


def test_a_turn_whose_reply_is_being_made_ends_when_that_can_be_heard() -> None:
    machine = TurnMachine()
    now_s = paused(machine)
    machine.judged(1, HEARING.finished_ms, words=True, answering=True)
    assert machine.ready(1, HEARING) == ()  # not silent for long enough
    machine.judged(1, HEARING.finished_ms, words=True, answering=True)
    assert kinds(run(machine, [0.0] * frames(320), start_s=now_s)) == []
    assert machine.ready(2, HEARING) == ()
    assert [type(action) for action in machine.ready(1, HEARING)] == [Commit]
    assert not machine.in_speech


def test_but_not_later_than_a_second_after_the_last_word() -> None:
    machine = TurnMachine()
    now_s = paused(machine)
    machine.judged(1, HEARING.finished_ms, words=True, answering=True)
    actions = run(machine, [0.0] * frames(2000), start_s=now_s)
    assert kinds(actions) == [Commit]
    assert LATEST_READY_MS <= 128 + (actions[0][0] + 1) * FRAME_MS < LATEST_READY_MS + FRAME_MS


def test_and_one_that_is_ready_early_waits_for_the_silence_all_the_same() -> None:
    machine = TurnMachine()
    now_s = paused(machine)
    machine.judged(1, HEARING.unfinished_ms, words=True, answering=True)
    assert machine.ready(1, HEARING) == ()
    actions = run(machine, [0.0] * frames(2500), start_s=now_s)
    assert kinds(actions) == [Commit]
    assert 128 + (actions[0][0] + 1) * FRAME_MS >= HEARING.unfinished_ms


def test_with_a_fixed_end_of_turn_nothing_that_is_judged_counts() -> None:
    fixed = replace(HEARING, end_of_turn="fixed")
    machine = TurnMachine()
    run(machine, [*SPOKEN, *[0.0] * 4], fixed)
    machine.judged(1, 5000, words=True)
    actions = run(machine, [0.0] * frames(800), fixed, start_s=(len(SPOKEN) + 4) * FRAME_MS / 1000)
    assert kinds(actions) == [Commit]
    assert (actions[0][0] + 1 + 4) * FRAME_MS < HEARING.silence_ms + FRAME_MS


def test_what_held_no_words_is_dropped_after_the_silence() -> None:
    machine = TurnMachine()
    run(machine, [*SPOKEN, *[0.0] * 4])
    machine.judged(1, HEARING.silence_ms, words=False)
    actions = run(machine, [0.0] * frames(800), start_s=(len(SPOKEN) + 4) * FRAME_MS / 1000)
    assert kinds(actions) == [Drop]


def test_speech_that_goes_on_resumes_and_the_judgement_of_the_pause_is_void() -> None:
    machine = TurnMachine()
    pause = [0.0] * frames(160)
    assert kinds(run(machine, SPOKEN + pause)) == [Begin, Confirm, Sure, Pause]
    machine.judged(1, 5000, words=False)
    actions = run(machine, [*SPOKEN, *[0.0] * frames(800)], start_s=(len(SPOKEN) + len(pause)) * FRAME_MS / 1000)
    assert kinds(actions) == [Resume, Pause, Commit]
    assert isinstance(actions[1][1], Pause)
    assert actions[1][1].number == 2
    machine.judged(2, 1, words=True)  # the turn is over: nothing happens


def test_a_click_in_a_pause_neither_resumes_nor_ends_it() -> None:
    actions = run(TurnMachine(), [*SPOKEN, *[0.0] * 5, 0.9, *[0.0] * frames(800)])
    assert kinds(actions) == [Begin, Confirm, Sure, Pause, Commit]


def test_what_is_said_under_ones_breath_after_a_pause_still_counts() -> None:
    murmur = (HEARING.vad_threshold + HEARING.vad_release) / 2
    actions = run(TurnMachine(), [*SPOKEN, *[0.0] * 5, *[murmur] * 8, *[0.0] * frames(800)])
    assert kinds(actions) == [Begin, Confirm, Sure, Pause, Resume, Pause, Commit]


def test_speech_goes_on_at_a_lower_probability_than_it_begins_at() -> None:
    between = (HEARING.vad_threshold + HEARING.vad_release) / 2
    assert run(TurnMachine(), [between] * 50) == []
    assert kinds(run(TurnMachine(), [0.9] + [between] * 50)) == [Begin, Confirm, Sure]


def test_where_the_reply_leaks_in_only_clear_speech_counts_over_it_and_only_after_the_grace() -> None:
    speaking = ReplyPhase.SPEAKING
    weak = [0.8] * 40
    assert run(TurnMachine(), weak, phase=speaking, start_s=10.0, guarded=True) == []
    early = run(TurnMachine(), [0.99] * 10, phase=speaking, start_s=10.0, speaking_since_s=10.0, guarded=True)
    assert early == []
    clear = run(TurnMachine(), [0.99] * 10, phase=speaking, start_s=10.0, speaking_since_s=9.0, guarded=True)
    assert kinds(clear) == [Begin, Confirm]


def test_where_it_does_not_a_voice_counts_over_a_reply_from_its_first_block_on() -> None:
    actions = run(TurnMachine(), [0.6] * 30, phase=ReplyPhase.SPEAKING, start_s=10.0, speaking_since_s=10.0)
    assert kinds(actions) == [Begin, Confirm, Sure]
    assert actions[0][0] == 0
    assert (actions[1][0] + 1) * FRAME_MS < HEARING.barge_in_ms + FRAME_MS


def test_the_first_sign_of_a_voice_over_a_reply_stirs_and_what_comes_to_nothing_settles() -> None:
    faint = (HEARING.dip_threshold + HEARING.vad_threshold) / 2
    actions = run(TurnMachine(), [0.0, faint, faint, *[0.0] * 20], phase=ReplyPhase.SPEAKING, start_s=10.0)
    assert kinds(actions) == [Stir, Settle]
    assert actions[0][0] == 1
    assert 200 <= (actions[1][0] - 2) * FRAME_MS < 200 + FRAME_MS
    assert run(TurnMachine(), [faint] * 20, start_s=10.0) == []
    assert run(TurnMachine(), [faint] * 20, phase=ReplyPhase.SPEAKING, start_s=10.0, guarded=True) == []
    begun = run(TurnMachine(), [faint, 0.9, 0.9, 0.9], phase=ReplyPhase.SPEAKING, start_s=10.0)
    assert kinds(begun) == [Stir, Begin, Confirm]


def test_a_sound_over_a_reply_is_no_turn_before_it_is_judged() -> None:
    for phase in (ReplyPhase.THINKING, ReplyPhase.SPEAKING):
        machine = TurnMachine()
        cough = [0.9] * frames(200) + [0.0] * frames(HEARING.silence_ms + 600)
        assert kinds(run(machine, cough, phase=phase, start_s=10.0)) == [Begin, Confirm, Pause]
        assert machine.lasts(1)
        assert [type(action) for action in machine.dismiss(1)] == [Drop]


def test_what_stirred_settles_when_nobody_listens_any_more() -> None:
    machine = TurnMachine()
    run(machine, [HEARING.dip_threshold], phase=ReplyPhase.SPEAKING, start_s=10.0)
    assert [type(action) for action in machine.abandon()] == [Settle]
    assert machine.abandon() == ()


def test_no_voice_is_sure_that_would_be_dropped_as_too_short() -> None:
    patient = replace(HEARING, min_speech_ms=700, barge_in_sure_ms=200)
    actions = run(TurnMachine(), [0.9] * frames(500) + [0.0] * 20, patient, ReplyPhase.SPEAKING, start_s=10.0)
    assert kinds(actions) == [Begin, Confirm, Drop]


@pytest.mark.parametrize("eager_ms", [0, 32, 500, 2000])
@pytest.mark.parametrize("end_of_turn", ["adaptive", "fixed"])
def test_however_late_replies_are_begun_a_turn_ends_after_its_silence(eager_ms: int, end_of_turn: str) -> None:
    hearing = replace(HEARING, eager_ms=eager_ms, end_of_turn=end_of_turn)
    actions = run(TurnMachine(), [*SPOKEN, *[0.0] * frames(2500)], hearing)
    pause, commit = actions[-2][0], actions[-1][0]
    assert kinds(actions)[-2:] == [Pause, Commit]
    assert commit > pause
    assert (commit - len(SPOKEN) + 1) * FRAME_MS < hearing.silence_ms + FRAME_MS


@pytest.mark.parametrize("barge_in_ms", [32, 100, 500, 900])
def test_a_reply_falls_silent_after_as_much_speech_as_is_set(barge_in_ms: int) -> None:
    hearing = replace(HEARING, barge_in_ms=barge_in_ms)
    actions = run(TurnMachine(), [0.9] * frames(1500), hearing, ReplyPhase.SPEAKING, start_s=10.0)
    (held,) = [number for number, action in actions if isinstance(action, Confirm)]
    assert held * FRAME_MS < barge_in_ms <= (held + 1) * FRAME_MS


def test_what_is_no_turn_is_dismissed_only_in_its_own_pause() -> None:
    machine = TurnMachine()
    run(machine, [0.9] * 8 + [0.0] * 4, phase=ReplyPhase.SPEAKING)
    assert machine.dismiss(2) == ()
    assert [type(action) for action in machine.dismiss(1)] == [Drop]
    assert machine.dismiss(1) == ()
    assert not machine.in_speech


def test_with_barge_in_off_a_reply_cannot_be_stopped_by_voice() -> None:
    deaf = replace(HEARING, barge_in=False)
    assert run(TurnMachine(), [0.99] * 60, deaf, ReplyPhase.SPEAKING, start_s=10.0) == []
    assert kinds(run(TurnMachine(), [0.99] * 60, deaf, ReplyPhase.THINKING)) == [Begin, Confirm, Sure]


def test_an_endless_utterance_is_cut_and_the_next_one_follows_at_once() -> None:
    short = replace(HEARING, max_utterance_s=5)
    actions = run(TurnMachine(), [0.9] * frames(11_000), short)
    assert kinds(actions) == [Begin, Confirm, Sure, Commit, Begin, Confirm, Sure, Commit, Begin, Confirm, Sure]
    assert all(action.cut for _, action in actions if isinstance(action, Commit))
    assert actions[4][0] == actions[3][0] + 1


def test_abandoning_drops_what_was_begun_and_nothing_else() -> None:
    machine = TurnMachine()
    assert machine.abandon() == ()
    run(machine, [0.9] * 20)
    assert [type(action) for action in machine.abandon()] == [Drop]
    assert not machine.in_speech
    assert machine.abandon() == ()


def test_the_user_ends_a_turn_at_once_and_what_is_no_word_is_dropped() -> None:
    machine = TurnMachine()
    assert machine.finish(HEARING) == ()
    run(machine, [0.9] * frames(960))
    assert [type(action) for action in machine.finish(HEARING)] == [Commit]
    assert not machine.in_speech
    run(machine, [0.9])
    assert [type(action) for action in machine.finish(HEARING)] == [Drop]
    run(machine, [0.9] * frames(960) + [0.0] * frames(200))
    machine.judged(1, 5000, words=False)
    assert [type(action) for action in machine.finish(HEARING)] == [Drop]


class _Order:
    """Checks that actions come as they may."""

    def __init__(self) -> None:
        self.begun_s: float | None = None
        self.marks: list[str] = []
        self.pause: int | None = None
        self.pauses = 0
        self.stirred = False

    def take(self, action: Action, end_at_s: float) -> None:
        if isinstance(action, Stir | Settle):
            assert self.begun_s is None
            assert self.stirred != isinstance(action, Stir)
            self.stirred = isinstance(action, Stir)
            return
        if isinstance(action, Begin):
            self.stirred = False
            assert self.begun_s is None
            self.begun_s, self.marks, self.pause = end_at_s, [], None
            return
        assert self.begun_s is not None
        match action:
            case Confirm():
                assert self.marks == []
                self.marks.append("confirm")
            case Sure():
                assert self.marks == ["confirm"]
                self.marks.append("sure")
            case Pause(number, last):
                assert self.pause is None
                assert number == self.pauses + 1
                assert self.begun_s <= last < end_at_s
                self.pause, self.pauses = number, number
            case Resume():
                assert self.pause is not None
                self.pause = None
            case Commit(last, cut):
                assert self.marks
                assert cut or self.pause is not None
                assert self.begun_s <= last <= end_at_s
                self.begun_s = None
            case Drop(last):
                assert self.begun_s <= last <= end_at_s
                self.begun_s = None


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.45, 0.6, 0.95, 1.0]) | st.floats(0, 1), max_size=400),
    st.lists(st.sampled_from(list(ReplyPhase)), min_size=1, max_size=8),
    st.integers(100, 1000),
    st.integers(32, 600),
    st.integers(0, 400),
    st.lists(st.tuples(st.integers(0, 60), st.integers(64, 3000), st.booleans(), st.booleans()), max_size=20),
    st.booleans(),
)
def test_actions_always_come_in_order(
    probabilities: list[float],
    phases: list[ReplyPhase],
    silence_ms: int,
    min_speech_ms: int,
    eager_ms: int,
    judgements: list[tuple[int, int, bool, bool]],
    guarded: bool,
) -> None:
    hearing = replace(HEARING, silence_ms=silence_ms, min_speech_ms=min_speech_ms, eager_ms=eager_ms)
    machine, order = TurnMachine(), _Order()
    for number, probability in enumerate(probabilities):
        end_at_s = (number + 1) * FRAME_MS / 1000
        phase = phases[number % len(phases)]
        for action in machine.frame(probability, end_at_s, hearing, FRAME_MS, phase, -10.0, guarded=guarded):
            order.take(action, end_at_s)
        for after, wait_ms, words, dismissed in judgements:
            if after == number % 61:
                machine.judged(order.pauses, wait_ms, words=words)
                for action in machine.dismiss(order.pauses) if dismissed else ():
                    order.take(action, end_at_s)
        assert machine.in_speech == (order.begun_s is not None)
    for action in machine.abandon():
        order.take(action, len(probabilities) * FRAME_MS / 1000)
    assert order.begun_s is None


@given(st.lists(st.sampled_from([0.0, 0.0, 0.9]), max_size=300), st.integers(64, 3000))
def test_silence_ends_every_turn(probabilities: list[float], wait_ms: int) -> None:
    machine = TurnMachine()
    run(machine, probabilities)
    machine.judged(10**6, wait_ms, words=True)
    run(machine, [0.0] * frames(HEARING.silence_ms + 200), start_s=len(probabilities) * FRAME_MS / 1000)
    assert not machine.in_speech


@pytest.mark.parametrize("gap", [1, 2])
def test_probabilities_that_flicker_make_one_utterance(gap: int) -> None:
    speech = ([0.9] * 3 + [0.1] * gap) * 20
    actions = run(TurnMachine(), speech + [0.0] * frames(800))
    said = [kind for kind in kinds(actions) if kind not in (Pause, Resume)]
    assert said == [Begin, Confirm, Sure, Commit]
