from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import (
    AskedAgain,
    AudioStarted,
    Caption,
    Event,
    ReplyAudioArrived,
    ReplyText,
    ReplyUnitReady,
    TurnCommitted,
)
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE, LatencyObserver


def spoken_turn(turn: int, last_speech_s: float, *marks_s: float) -> list[Event]:
    committed, heard, token, unit, audio, audible = marks_s
    return [
        TurnCommitted(at_s=committed, turn=turn, last_speech_at_s=last_speech_s),
        Caption(at_s=heard, turn=turn, text="hi", final=True),
        ReplyText(at_s=token, turn=turn, delta="He"),
        ReplyText(at_s=token + 0.01, turn=turn, delta="llo."),
        ReplyUnitReady(at_s=unit, turn=turn, text="Hello."),
        ReplyAudioArrived(at_s=audio, turn=turn, samples=2048),
        ReplyAudioArrived(at_s=audio + 0.02, turn=turn, samples=2048),
        AudioStarted(at_s=audible, turn=turn),
    ]


def observed(events: list[Event]) -> LatencyObserver:
    observer = LatencyObserver()
    for event in events:
        observer.on_event(event)
    return observer


def test_each_stage_runs_from_the_end_of_the_one_before() -> None:
    stages = observed(spoken_turn(1, 10.0, 10.6, 10.7, 10.8, 10.85, 11.35, 11.4)).stages_ms(1)
    assert stages == pytest.approx(
        {
            "endpoint": 600,
            "hear": 100,
            "first_token": 100,
            "first_sentence": 50,
            "first_audio": 500,
            "playout": 50,
            "voice_to_voice": 1400,
        }
    )


@given(st.lists(st.floats(0, 5), min_size=6, max_size=6))
def test_the_stages_add_up_to_voice_to_voice(steps_s: list[float]) -> None:
    marks_s = [100.0 + sum(steps_s[: n + 1]) for n in range(6)]
    stages = observed(spoken_turn(3, 100.0, *marks_s)).stages_ms(3)
    assert sum(stages[name] for name in STAGES if name in stages) == pytest.approx(stages[VOICE_TO_VOICE], abs=1)


def test_a_typed_turn_has_no_endpoint_and_counts_from_its_commit() -> None:
    events = [
        event for event in spoken_turn(1, 0, 10.0, 10.0, 10.1, 10.2, 10.5, 10.6) if not isinstance(event, Caption)
    ]
    events[0] = TurnCommitted(at_s=10.0, turn=1, last_speech_at_s=None)
    stages = observed(events).stages_ms(1)
    assert "endpoint" not in stages
    assert "hear" not in stages
    assert stages[VOICE_TO_VOICE] == pytest.approx(600)


def test_a_caption_that_was_there_before_the_commit_costs_nothing() -> None:
    stages = observed(spoken_turn(1, 10.0, 10.6, 10.4, 10.8, 10.85, 11.35, 11.4)).stages_ms(1)
    assert stages["hear"] == 0
    assert stages["first_token"] == pytest.approx(200)


def test_an_unfinished_turn_has_the_stages_that_happened() -> None:
    assert observed(spoken_turn(1, 10.0, 10.6, 10.7, 10.8, 10.85, 11.35, 11.4)[:3]).stages_ms(1) == pytest.approx(
        {"endpoint": 600, "hear": 100, "first_token": 100}
    )
    assert LatencyObserver().stages_ms(5) == {}


def test_a_turn_that_is_asked_again_has_the_times_of_the_reply_that_was_heard() -> None:
    begun = spoken_turn(1, 10.0, 10.6, 10.7, 10.8, 10.85, 11.35, 11.4)
    again = spoken_turn(1, 10.0, 10.6, 10.7, 15.8, 15.85, 16.35, 16.4)[2:]
    stages = observed([*begun, AskedAgain(at_s=12.0, turn=1), *again]).stages_ms(1)
    assert stages[VOICE_TO_VOICE] == pytest.approx(6400)
    assert stages["first_token"] == pytest.approx(5100)


def test_only_the_last_turns_are_kept() -> None:
    observer = observed([event for n in range(40) for event in spoken_turn(n, 0, 1, 2, 3, 4, 5, 6)])
    assert observer.stages_ms(0) == {}
    assert observer.stages_ms(39)
