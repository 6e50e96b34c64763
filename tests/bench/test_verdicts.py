"""What one trial counts as, above all where nothing happened."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.bench.analysis import Track
from parlor_tui.bench.room import Heard
from parlor_tui.bench.verdicts import (
    Over,
    clipped,
    heard_in_full_percent,
    noise_over,
    paused,
    voice_over,
    word_over,
)
from parlor_tui.events import (
    AudioStopped,
    Event,
    Interrupted,
    ReplyAudioArrived,
    SpeechStarted,
    TurnCommitted,
    TurnDone,
)

MIC_HZ, SPEAKER_HZ = 16_000, 24_000
START_S, ONSET_S, LENGTH_S, WINDOW_S = 20.0, 21.0, 0.5, 2.2
END_S = ONSET_S + LENGTH_S + WINDOW_S


def over(
    *events: Event, gains: dict[float, float] | None = None, length_s: float = LENGTH_S, intended: bool = True
) -> Over:
    """Somebody over a reply that sounds from `START_S` on; `gains`: how loud it is from when on, from `ONSET_S`."""
    user = np.zeros(round((END_S - START_S) * MIC_HZ), np.float32)
    user[MIC_HZ : MIC_HZ + round(length_s * MIC_HZ)] = 0.3
    meant = np.full(round((END_S - START_S) * SPEAKER_HZ), 0.2, np.float32)
    sounded = meant.copy()
    for at_s, gain in (gains or {}).items():
        at = round((ONSET_S - START_S + at_s) * SPEAKER_HZ)
        sounded[at:] = meant[at:] * np.float32(gain)
    mic, speaker = Track(user, MIC_HZ, START_S), Track(sounded, SPEAKER_HZ, START_S)
    wanted = Track(meant, SPEAKER_HZ, START_S) if intended else None
    return Over(ONSET_S, length_s, Heard(mic, mic, speaker, wanted), events)


def done(at_s: float, status: str = "completed") -> TurnDone:
    return TurnDone(
        at_s=at_s,
        turn=1,
        status=status,  # type: ignore[arg-type]
        heard="",
        reply="",
        stages_ms={},
        output_tokens=1,
    )


def interrupted(by: str = "voice") -> Interrupted:
    return Interrupted(at_s=ONSET_S + 0.6, turn=1, by=by, played_ms=900)  # type: ignore[arg-type]


def test_a_reply_that_goes_on_within_a_second_is_good() -> None:
    verdict = noise_over(over(gains={0.1: 0.1, 0.6: 1.0}), WINDOW_S)
    assert verdict is not None
    assert (verdict.outcome, verdict.good) == ("went on", True)
    assert verdict.values_ms == {"dip": pytest.approx(100), "resumed": pytest.approx(600)}
    late = noise_over(over(gains={0.1: 0.1, 1.3: 1.0}), WINDOW_S)
    assert late is not None
    assert (late.outcome, late.good, late.values_ms["resumed"]) == ("went on", False, pytest.approx(1300))
    untouched = noise_over(over(), WINDOW_S)
    assert untouched is not None
    assert (untouched.good, untouched.values_ms) == (True, {"resumed": 0.0})


@given(gain=st.floats(0.0, 0.8), at_ms=st.integers(0, 1500))
def test_a_reply_that_is_never_loud_again_is_bad_and_as_late_as_the_window_is_long(gain: float, at_ms: int) -> None:
    verdict = noise_over(over(gains={at_ms / 1000: gain}), WINDOW_S)
    assert verdict is not None
    assert (verdict.outcome, verdict.good) == ("stayed quiet", False)
    assert verdict.values_ms["resumed"] == WINDOW_S * 1000


def test_so_is_one_that_was_ended() -> None:
    verdict = noise_over(over(interrupted(), gains={0.1: 0.1, 0.6: 0.0}), WINDOW_S)
    assert verdict is not None
    assert (verdict.outcome, verdict.good) == ("ended the reply", False)
    assert verdict.values_ms["resumed"] == WINDOW_S * 1000


def test_a_reply_that_ends_by_itself_shows_nothing() -> None:
    quiet = {0.1: 0.1, 1.7: 0.0}
    assert noise_over(over(done(ONSET_S + 1.0), gains=quiet), WINDOW_S) is None
    assert noise_over(over(done(ONSET_S + 1.7), gains=quiet), WINDOW_S) is None
    kept = noise_over(over(done(ONSET_S + 1.7, "interrupted"), gains=quiet), WINDOW_S)
    assert kept is not None
    assert kept.outcome == "stayed quiet"
    assert word_over(over(done(ONSET_S + 0.9))) is None
    assert voice_over(over(done(ONSET_S + 0.2), gains={0.2: 0.0}, length_s=2.0)) is None


def test_where_nobody_knows_how_loud_it_was_to_be_silence_still_counts() -> None:
    held = noise_over(over(gains={0.1: 0.0}, intended=False), WINDOW_S)
    assert held is not None
    assert (held.outcome, held.good, held.values_ms) == ("stayed quiet", False, {"resumed": WINDOW_S * 1000})
    sounds = noise_over(over(gains={0.1: 0.0, 0.6: 1.0}, intended=False), WINDOW_S)
    assert sounds is not None
    assert (sounds.outcome, sounds.good, sounds.values_ms) == ("went on", True, {})


def test_a_voice_that_nothing_notices_counts_with_the_length_of_what_was_heard() -> None:
    verdict = voice_over(over(length_s=2.0))
    assert verdict is not None
    assert (verdict.outcome, verdict.good) == ("went on", False)
    assert verdict.values_ms == {"dip": pytest.approx(2000, abs=1), "stop": pytest.approx(2000, abs=1)}
    missed = word_over(over())
    assert missed is not None
    assert (missed.outcome, missed.good) == ("missed", False)
    assert missed.values_ms["dip"] == pytest.approx(LENGTH_S * 1000, abs=1)


def test_a_voice_that_stops_the_reply() -> None:
    verdict = voice_over(over(interrupted(), gains={0.09: 0.2, 0.24: 0.0}, length_s=2.0))
    assert verdict is not None
    assert (verdict.outcome, verdict.good) == ("stopped", True)
    assert verdict.values_ms == {"dip": pytest.approx(90), "stop": pytest.approx(240, abs=1)}
    at_once = over(interrupted(), gains={0.15: 0.0}, length_s=2.0)
    meant = at_once.heard.speaker  # what is thrown away was not to sound
    verdict = voice_over(replace(at_once, heard=replace(at_once.heard, intended=meant)))
    assert verdict is not None
    assert verdict.values_ms["dip"] == verdict.values_ms["stop"] == pytest.approx(150, abs=1)
    found = word_over(over(interrupted()))
    assert found is not None
    assert found.good
    by_key = word_over(over(interrupted("key")))
    assert by_key is not None
    assert not by_key.good


def heard_pause(*, early: bool = False) -> Heard:
    return over(gains={-1.0: 0.0} | ({0.2: 1.0, 0.3: 0.0} if early else {})).heard


@pytest.mark.parametrize(
    ("committed_s", "status", "early", "v2v_ms", "outcome"),
    [
        (0.8, "completed", False, 400.0, "kept together"),
        (0.8, "completed", False, None, "unanswered"),
        (None, "completed", False, None, "unanswered"),
        (0.2, "joined", False, 400.0, "joined"),
        (0.2, "completed", False, 400.0, "cut"),
        (0.2, "completed", True, 400.0, "spoke into it"),
    ],
)
def test_a_pause_is_good_only_if_one_turn_was_answered(
    committed_s: float | None, status: str, early: bool, v2v_ms: float | None, outcome: str
) -> None:
    events: list[Event] = [done(ONSET_S + 2, status)]
    if committed_s is not None:
        events.append(TurnCommitted(at_s=ONSET_S + committed_s, turn=1, last_speech_at_s=ONSET_S))
    verdict = paused(heard_pause(early=early), events, ONSET_S, ONSET_S + LENGTH_S, v2v_ms)
    assert (verdict.outcome, verdict.good) == (outcome, outcome == "kept together")


def test_of_speech_that_nobody_noticed_everything_is_lost() -> None:
    lost = clipped([], ONSET_S, 1.7, 300, "Five plus", "Five plus")
    assert (lost.outcome, lost.good, lost.values_ms) == ("nothing noticed", False, {"clipped": 1700.0})
    noticed: list[Event] = [SpeechStarted(at_s=ONSET_S + 0.1, turn=1)]
    whole = clipped(noticed, ONSET_S, 1.7, 300, "Five plus", "five, plus")
    assert (whole.outcome, whole.good, whole.values_ms) == ("first word there", True, {"clipped": 0.0})
    assert not clipped(noticed, ONSET_S, 1.7, 0, "Five plus", "Five").good
    assert clipped(noticed, ONSET_S, 1.7, 300, "Five plus", "plus").outcome == "first word taken for 'plus'"


def test_how_much_of_the_next_reply_was_heard() -> None:
    committed = TurnCommitted(at_s=1, turn=2, last_speech_at_s=1)
    arrived = ReplyAudioArrived(at_s=2, turn=2, samples=SPEAKER_HZ)
    assert heard_in_full_percent([]) == heard_in_full_percent([committed]) == 0.0  # no speech came: none was heard
    assert heard_in_full_percent([committed, arrived]) == 0.0
    stopped = AudioStopped(at_s=3, turn=2, played_ms=500)
    assert heard_in_full_percent([committed, arrived, stopped]) == pytest.approx(50)
    assert math.isclose(heard_in_full_percent([committed, arrived, replace(stopped, played_ms=1040)]), 100)
