"""Figures read off synthetic recordings, of which everything is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.bench.analysis import (
    Track,
    barge_stop_s,
    clicks_s,
    dip_s,
    gaps_s,
    resumed_s,
    spoke_early,
    voice_to_voice_s,
)

RATE_HZ = 16_000
START_S = 100.0
times = st.integers(min_value=0, max_value=2000).map(lambda ms: ms / 1000)


def silent(seconds: float = 8.0, rate_hz: int = RATE_HZ) -> Track:
    return Track(np.zeros(round(seconds * rate_hz), np.float32), rate_hz, START_S)


def with_tone(track: Track, from_s: float, until_s: float, level: float = 0.2) -> Track:
    """A tone whose first and last samples are audible."""
    samples = track.samples.copy()
    first, end = (round((at_s - track.start_s) * track.rate_hz) for at_s in (from_s, until_s))
    tone = level * np.cos(2 * np.pi * 200 * np.arange(end - first) / track.rate_hz)
    samples[first:end] += tone.astype(np.float32)
    if end > first:
        samples[first] = samples[end - 1] = level
    return Track(samples, track.rate_hz, track.start_s)


@given(said=times.filter(lambda s: s > 0.05), waited=times, speaker_hz=st.sampled_from((16_000, 24_000)))
def test_voice_to_voice_is_last_user_sample_to_first_reply_sample(said: float, waited: float, speaker_hz: int) -> None:
    user = with_tone(silent(), START_S + 0.5, START_S + 0.5 + said)
    first_s = START_S + 0.5 + said + waited
    speaker = with_tone(silent(rate_hz=speaker_hz), first_s, first_s + 1.0)

    found = voice_to_voice_s(user, speaker, START_S, START_S + 8)

    assert found == pytest.approx(waited, abs=2 / RATE_HZ)
    assert not spoke_early(user, speaker, START_S, START_S + 8) or waited < 1 / RATE_HZ


def test_what_is_below_minus_40_dbfs_is_not_audible() -> None:
    user = with_tone(with_tone(silent(), START_S + 1, START_S + 2), START_S + 2, START_S + 3, level=0.0099)
    speaker = with_tone(with_tone(silent(), START_S + 2.2, START_S + 2.4, level=0.0099), START_S + 2.5, START_S + 3)

    assert voice_to_voice_s(user, speaker, START_S, START_S + 8) == pytest.approx(0.5, abs=1e-3)


def test_without_a_sound_on_either_side_there_is_no_figure() -> None:
    tone = with_tone(silent(), START_S + 1, START_S + 2)
    assert voice_to_voice_s(silent(), tone, START_S, START_S + 8) is None
    assert voice_to_voice_s(tone, silent(), START_S, START_S + 8) is None
    assert barge_stop_s(tone, silent(), START_S) is None
    assert barge_stop_s(silent(), tone, START_S) is None
    assert voice_to_voice_s(Track(np.zeros(0, np.float32), RATE_HZ, 0.0), silent(), 0.0, 1.0) is None


def test_a_reply_before_the_user_is_done_is_early() -> None:
    user = with_tone(with_tone(silent(), START_S + 1, START_S + 2), START_S + 2.8, START_S + 4)
    speaker = with_tone(silent(), START_S + 2.5, START_S + 2.7)
    assert spoke_early(user, speaker, START_S, START_S + 8)


@given(stops=st.integers(min_value=0, max_value=1500).map(lambda ms: ms / 1000))
def test_barge_stop_ends_at_the_last_sample_before_300_ms_of_silence(stops: float) -> None:
    onset_s = START_S + 3
    user = with_tone(silent(), onset_s, onset_s + 2.5)
    speaker = with_tone(silent(), START_S + 1, onset_s + max(stops, 0.001))
    answer = with_tone(speaker, onset_s + stops + 0.4, onset_s + 2.4)  # the next reply counts for nothing

    for recorded in (speaker, answer):
        assert barge_stop_s(user, recorded, onset_s - 0.5) == pytest.approx(max(stops, 0.001), abs=2 / RATE_HZ)


def test_a_pause_of_the_reply_is_no_stop() -> None:
    onset_s = START_S + 3
    user = with_tone(silent(), onset_s, onset_s + 2)
    speaker = with_tone(with_tone(silent(), START_S + 1, onset_s + 0.1), onset_s + 0.35, onset_s + 0.9)
    assert barge_stop_s(user, speaker, onset_s - 0.5) == pytest.approx(0.9, abs=1e-3)


def test_a_reply_that_never_stops_gives_the_length_of_what_was_said() -> None:
    onset_s = START_S + 3
    user = with_tone(silent(), onset_s, onset_s + 2)
    speaker = with_tone(silent(), START_S + 1, START_S + 8)
    assert barge_stop_s(user, speaker, onset_s - 0.5) == pytest.approx(2.0, abs=1e-3)


@given(dips=st.integers(min_value=1, max_value=60), gain=st.floats(min_value=0.0, max_value=0.49))
def test_a_dip_is_found_in_its_10_ms(dips: int, gain: float) -> None:
    onset_s = START_S + 3
    intended = with_tone(silent(rate_hz=24_000), START_S + 1, START_S + 6)
    samples = intended.samples.copy()
    samples[round((onset_s - START_S + dips / 100) * 24_000) :] *= np.float32(gain)
    speaker = Track(samples, 24_000, START_S)

    for known in (intended, None):
        assert dip_s(speaker, onset_s, START_S + 5, known) == pytest.approx(dips / 100, abs=1e-9)


def test_words_that_rise_and_fall_are_no_dip_if_they_were_to() -> None:
    onset_s = START_S + 3
    intended = with_tone(with_tone(silent(), START_S + 1, START_S + 3.2), START_S + 3.3, START_S + 6)
    assert dip_s(intended, onset_s, START_S + 5, intended) is None
    assert dip_s(intended, onset_s, START_S + 5) == pytest.approx(0.2, abs=0.011)  # who cannot know takes it for one


def test_a_reply_that_goes_on_is_as_loud_again_after_its_last_quiet_10_ms() -> None:
    onset_s = START_S + 3
    intended = with_tone(silent(), START_S + 1, START_S + 6)
    samples = intended.samples.copy()
    samples[round(3.1 * RATE_HZ) : round(3.7 * RATE_HZ)] *= np.float32(0.3)
    assert resumed_s(Track(samples, RATE_HZ, START_S), onset_s, START_S + 5, intended) == pytest.approx(0.7, abs=1e-6)
    assert resumed_s(intended, onset_s, START_S + 5, intended) == 0.0
    samples[round(3.7 * RATE_HZ) :] *= np.float32(0.3)
    assert resumed_s(Track(samples, RATE_HZ, START_S), onset_s, START_S + 5, intended) == math.inf


@given(gap=st.integers(min_value=10, max_value=900))
def test_gaps_are_those_over_300_ms(gap: int) -> None:
    speaker = with_tone(with_tone(silent(), START_S + 1, START_S + 2), START_S + 2 + gap / 1000, START_S + 4)
    found = gaps_s(speaker, START_S, START_S + 8)
    if gap <= 299:
        assert found == []
    elif gap >= 301:
        assert found == [pytest.approx(gap / 1000, abs=1e-3)]


@given(at=st.integers(min_value=2000, max_value=20_000), jump=st.floats(min_value=0.3, max_value=0.8))
@settings(max_examples=30)
def test_a_jump_in_a_smooth_signal_is_a_click(at: int, jump: float) -> None:
    smooth = (0.2 * np.sin(2 * np.pi * 150 * np.arange(24_000) / 24_000)).astype(np.float32)
    assert clicks_s(Track(smooth, 24_000, START_S), START_S, START_S + 1) == []
    torn = smooth.copy()
    torn[at:] = np.clip(torn[at:] + jump, -1, 1)
    assert clicks_s(Track(torn, 24_000, START_S), START_S, START_S + 1) == [pytest.approx(START_S + at / 24_000)]


def test_noise_like_a_sibilant_is_no_click() -> None:
    hiss = np.random.default_rng(3).uniform(-0.4, 0.4, 24_000).astype(np.float32)
    assert clicks_s(Track(hiss, 24_000, START_S), START_S, START_S + 1) == []


@given(from_s=st.floats(min_value=90, max_value=115), length_s=st.floats(min_value=0, max_value=20))
def test_parts_keep_their_place_in_time(from_s: float, length_s: float) -> None:
    track = Track(np.arange(8 * 100, dtype=np.float32), 100, START_S)
    part = track.part(from_s, from_s + length_s)
    assert part.start_s >= min(track.start_s, from_s)
    assert part.end_s <= track.end_s + 1e-9
    if len(part.samples):
        assert part.samples[0] == round((part.start_s - START_S) * 100)
        assert np.all(np.diff(part.samples) == 1)
