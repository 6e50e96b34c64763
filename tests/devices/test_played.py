"""What the echo canceller is told was audible: in its place in time, and without tears although the times jitter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ
from parlor_tui.devices.played import KEPT_S, PlayedSound

PULL = 480


def wave(at_s: np.ndarray) -> np.ndarray:
    """Two tones, -6 dBFS together: a value for every moment."""
    return (0.25 * np.sin(2 * np.pi * 440 * at_s) + 0.25 * np.sin(2 * np.pi * 3100 * at_s)).astype(np.float32)


def played(pulls: int, jitter_s: list[float], drift_ppm: float = 0.0) -> PlayedSound:
    """`wave` from second 5 on, in pulls of 20 ms, each said to be audible a little beside its time."""
    sound = PlayedSound()
    for n in range(pulls):
        start = n * PULL
        at_s = 5.0 + start / SPEAKER_RATE_HZ * (1 + drift_ppm * 1e-6)
        sound.add(wave((start + np.arange(PULL)) / SPEAKER_RATE_HZ), at_s + jitter_s[n % len(jitter_s)])
    return sound


@given(st.floats(5.05, 5.3), st.integers(1, 3000))
def test_a_moment_has_the_sound_that_was_audible_then(start_s: float, count: int) -> None:
    heard = played(50, [0.0]).read(start_s, count)
    at_s = round((start_s - 5.0) * SPEAKER_RATE_HZ) / SPEAKER_RATE_HZ + np.arange(count) / MIC_RATE_HZ
    np.testing.assert_allclose(heard, wave(at_s), atol=0.002)


@given(st.lists(st.floats(-0.004, 0.004), min_size=7, max_size=7))
def test_jitter_of_the_times_tears_nothing(jitter_s: list[float]) -> None:
    sound = played(100, [0.0, *jitter_s])
    whole = sound.read(5.5, 16000)
    pieces = np.concatenate([sound.read(5.5 + n * 0.032, 512) for n in range(31)])
    np.testing.assert_allclose(pieces, whole[: len(pieces)], atol=1e-6)
    np.testing.assert_allclose(whole, wave(0.5 + np.arange(16000) / MIC_RATE_HZ), atol=0.002)
    assert sound.tears == 0


def test_nothing_is_known_before_the_first_pull_after_the_last_one_and_too_long_ago() -> None:
    assert not PlayedSound().read(1.0, 100).any()
    sound = played(500, [0.0])
    assert not sound.read(4.0, 8000).any()
    assert not sound.read(15.1, 8000).any()
    assert not sound.read(5.5, 1000).any()
    assert sound.read(15.0 - KEPT_S, int(KEPT_S * MIC_RATE_HZ)).std() == pytest.approx(0.25, abs=0.01)
    over_the_end = sound.read(14.95, 1600)
    assert over_the_end[:780].std() > 0.2
    assert not over_the_end[820:].any()


def test_a_clock_that_drifts_is_followed_a_sample_at_a_time() -> None:
    sound = played(6000, [0.0], drift_ppm=100.0)  # two minutes: 12 ms
    assert sound.tears == 0
    end = 6000 * PULL / SPEAKER_RATE_HZ
    heard = sound.read(5.0 + end * 1.0001 - 1.0, 8000)
    lags = np.arange(0, 480)
    likeness = [float(heard @ wave(end - 1.0 + (np.arange(8000) / MIC_RATE_HZ) + lag / 24000)) for lag in lags]
    assert lags[int(np.argmax(likeness))] / 24000 < 0.0055


def test_a_device_that_missed_its_time_is_followed_at_once() -> None:
    sound = PlayedSound()
    for n in range(50):
        late_s = 0.0 if n < 25 else 0.2
        sound.add(wave((n * PULL + np.arange(PULL)) / SPEAKER_RATE_HZ), 5.0 + n * 0.02 + late_s)
    assert sound.tears == 1
    heard = sound.read(5.9, 1600)
    np.testing.assert_allclose(heard, wave(0.7 + np.arange(1600) / MIC_RATE_HZ), atol=0.002)


def test_a_single_time_that_is_nonsense_moves_nothing() -> None:
    sound = played(100, [0.0] * 60 + [0.3] + [0.0] * 60)
    assert sound.tears == 0
    np.testing.assert_allclose(sound.read(6.5, 4000), wave(1.5 + np.arange(4000) / MIC_RATE_HZ), atol=0.002)


def test_what_cannot_be_heard_at_16_khz_does_not_fold_back() -> None:
    sound = PlayedSound()
    sound.add((0.5 * np.sin(2 * np.pi * 10500 * np.arange(24000) / SPEAKER_RATE_HZ)).astype(np.float32), 1.0)
    assert sound.read(1.2, 8000).std() < 0.002


@given(st.integers(10, 400), st.lists(st.integers(-5, 0), min_size=3, max_size=3).map(sorted))
def test_a_gap_that_the_device_tells_is_a_gap_and_what_was_before_keeps_its_place(
    gap_ms: int, first_off_ms: list[int]
) -> None:
    sound = PlayedSound()
    for n in range(50):
        if n == 25:
            sound.torn()
        late_s = 0.0 if n < 25 else gap_ms / 1000
        off_s = first_off_ms[n - 25] / 1000 if 25 <= n < 28 else 0.0
        sound.add(wave((n * PULL + np.arange(PULL)) / SPEAKER_RATE_HZ), 5.0 + n * 0.02 + late_s + off_s)
    assert sound.tears == 1
    np.testing.assert_allclose(sound.read(5.3, 1600), wave(0.3 + np.arange(1600) / MIC_RATE_HZ), atol=0.002)
    after = sound.read(5.7 + gap_ms / 1000, 1600)
    start_s = round((0.7 + gap_ms / 1000) * SPEAKER_RATE_HZ) / SPEAKER_RATE_HZ - gap_ms / 1000
    likeness = [
        float(after @ wave(start_s + lag / SPEAKER_RATE_HZ + np.arange(1600) / MIC_RATE_HZ)) for lag in range(-40, 41)
    ]
    assert abs(int(np.argmax(likeness)) - 40) <= 13
