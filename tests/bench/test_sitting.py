"""What is made of the events and recordings of one turn."""

from __future__ import annotations

import numpy as np
import pytest

from parlor_tui.bench.analysis import Track
from parlor_tui.bench.lines import lines
from parlor_tui.bench.room import Heard
from parlor_tui.bench.sitting import turn_of
from parlor_tui.bench.utterances import Utterance
from parlor_tui.bench.verdicts import first_word
from parlor_tui.bench.watching import Watch, first
from parlor_tui.events import (
    AudioStarted,
    Caption,
    Event,
    MicLevel,
    PauseJudged,
    Ready,
    ReplyText,
    SpeechStarted,
    State,
    StateChanged,
    TurnCommitted,
    TurnDone,
)

T0_S = 50.0
UTTERANCE = Utterance(lines("question")[0], np.full(32_000, 0.2, np.float32))


def heard(reply_at_s: float | None) -> Heard:
    """Two seconds of speech from T0 on, then a reply."""
    user, speaker = np.zeros(160_000, np.float32), np.zeros(240_000, np.float32)
    user[16_000:48_000] = 0.2
    if reply_at_s is not None:
        speaker[round((reply_at_s - T0_S + 1) * 24_000) :] = 0.2
    mic = Track(user, 16_000, T0_S - 1)
    return Heard(mic, mic, Track(speaker, 24_000, T0_S - 1), None)


def events(turn: int, status: str = "completed") -> list[Event]:
    return [
        SpeechStarted(at_s=T0_S + 0.1, turn=turn),
        PauseJudged(at_s=T0_S + 1.0, turn=turn, wait_ms=1800, why="and"),
        PauseJudged(at_s=T0_S + 2.2, turn=turn, wait_ms=200, why="finished"),
        ReplyText(at_s=T0_S + 2.15, turn=turn, delta="So"),
        TurnCommitted(at_s=T0_S + 2.25, turn=turn, last_speech_at_s=T0_S + 2.0),
        Caption(at_s=T0_S + 1.0, turn=turn, text="Could", final=False),
        Caption(at_s=T0_S + 2.3, turn=turn, text="Could you?", final=True),
        AudioStarted(at_s=T0_S + 2.5, turn=turn),
        TurnDone(
            at_s=T0_S + 4,
            turn=turn,
            status=status,  # type: ignore[arg-type]
            heard="Could you?",
            reply="So.",
            stages_ms={"endpoint": 250.0},
            output_tokens=2,
            eager_ms=100.0,
        ),
    ]


def test_a_turn_in_ms_from_the_last_audible_sample() -> None:
    turn = turn_of("talk", UTTERANCE, heard(T0_S + 2.52), events(3), T0_S)
    assert turn.voice_to_voice_ms == pytest.approx(520, abs=0.1)
    assert (turn.number, turn.caption, turn.reply, turn.eager) == (3, "Could you?", "So.", "hit")
    expected = {
        "speech_started": -1900,
        "judged": 200,
        "first_token": 150,
        "committed": 250,
        "caption": 300,
        "audio_started": 500,
        "audible": 520,
    }
    assert turn.marks_ms == {name: pytest.approx(ms, abs=0.2) for name, ms in expected.items()}


def test_of_several_turns_the_one_that_was_heard_is_told() -> None:
    joined = [event for event in events(3, "joined") if not isinstance(event, AudioStarted)]
    turn = turn_of("pauses", UTTERANCE, heard(T0_S + 2.52), [*joined, *events(4)], T0_S)
    assert (turn.number, turn.status) == (4, "completed")


def test_without_an_answer_there_is_no_figure_but_a_turn() -> None:
    turn = turn_of("talk", UTTERANCE, heard(None), [], T0_S)
    assert (turn.voice_to_voice_ms, turn.status, turn.marks_ms) == (None, "unanswered", {})
    silent = heard(None)
    turn = turn_of("talk", UTTERANCE, Heard(*[silent.speaker] * 3, None), [], T0_S)  # not even audible
    assert (turn.voice_to_voice_ms, turn.status) == (None, "unanswered")


def test_a_watch_keeps_order_waits_and_gives_up() -> None:
    watch = Watch()
    watch.listener(MicLevel(at_s=1, dbfs=-50, speech_probability=0.1))
    mark = watch.mark()
    assert mark == 0
    watch.listener(StateChanged(at_s=2, state=State.LISTENING))
    watch.listener(Ready(at_s=3, profile="lite", model="M", load_ms=1))
    assert (watch.state, watch.state_since_s) == (State.LISTENING, 2)
    found = watch.wait(mark, Ready, 0.0)
    assert found is not None
    assert watch.wait(mark, Ready, 0.01, lambda ready: ready.profile == "gemma") is None
    assert watch.wait(watch.mark(), Ready, 0.01) is None
    assert first(watch.since(mark), StateChanged) is not None


@pytest.mark.parametrize(
    ("text", "word"), [("Five plus", "five"), ("  'Show' me", "show"), ("", ""), ("...", ""), ("What's up", "what's")]
)
def test_the_first_word(text: str, word: str) -> None:
    assert first_word(text) == word
