from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.hearing.echo_path import ECHO_ALIKE, VOICE_ALIKE
from parlor_tui.hearing.likeness import flat_likeness, likeness
from tests.hearing.echo_room import echo_of, hiss, loudness, recorded, replies

WINDOW, LAGS, LEAD = 4096, 8192, 640


@given(st.integers(0, 1000), st.floats(0.01, 1.0))
def test_likeness_is_that_of_the_best_lag(lag: int, gain: float) -> None:
    random = np.random.default_rng(lag)
    far = random.normal(0, 0.1, 3024).astype(np.float32)
    near = far[1000 - lag + 1000 : 1000 - lag + 2024] * np.float32(gain)
    assert likeness(near, far) == pytest.approx(1.0, abs=0.01)
    other = random.normal(0, 0.1 * gain, 1024).astype(np.float32)
    assert likeness(other, far) < 0.25
    assert likeness(near + other, far) == pytest.approx(0.7, abs=0.12)
    assert likeness(np.zeros(1024, np.float32), far) == 0.0
    assert likeness(near, np.zeros(3024, np.float32)) == 0.0


def along(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """The flat likeness at each 64 ms of the first reply, from its first quarter of a second on."""
    ends = range(12_288, 32_000, 1024)
    far = np.pad(far, (LAGS - LEAD, LEAD))
    return np.array([flat_likeness(near[end - WINDOW : end], far[end - WINDOW : end + LAGS]) for end in ends])


@pytest.mark.parametrize(("delay_ms", "db"), [(0, 0), (20, -6), (150, -20), (350, -30)])
def test_an_echo_is_what_was_played(delay_ms: int, db: float) -> None:
    far = replies()
    assert np.median(along(echo_of(far, delay_ms, db) + hiss(len(far)), far)) > ECHO_ALIKE


def test_a_small_loudspeaker_that_rattles_is_known_again() -> None:
    far = replies()
    spectrum = np.fft.rfft(np.tanh(6 * far) / 6)
    hz = np.fft.rfftfreq(len(far), 1 / 16_000)
    gain = 1 / np.sqrt(1 + (400 / np.maximum(hz, 1)) ** 8) / np.sqrt(1 + (hz / 6000) ** 8)
    played = np.fft.irfft(spectrum * gain, len(far)).astype(np.float32)
    alike = along(echo_of(played, 60, -10) + hiss(len(far)), far)
    assert np.median(alike) > ECHO_ALIKE
    assert np.mean(alike > VOICE_ALIKE) > 0.9


@pytest.mark.parametrize("name", ["finished-vm-incorrect", "unfinished-if-correct-press", "unfinished-dir-pls-enter"])
def test_another_voice_is_not(name: str) -> None:
    far = replies()
    voice = np.tile(recorded(name), 8)[: len(far)]
    alike = along(voice * np.float32(loudness(far) / loudness(voice)) + hiss(len(far)), far)
    assert np.median(alike) < 0.8 * VOICE_ALIKE
    assert np.mean(alike >= ECHO_ALIKE) < 0.05


@given(st.integers(0, 100), st.sampled_from([0.0, 1e-30, 1e-6, 1.0]))
def test_whatever_sounds_the_flat_likeness_is_a_share(seed: int, gain: float) -> None:
    random = np.random.default_rng(seed)
    near = (random.normal(0, gain, 1024) * (random.random(1024) < random.random())).astype(np.float32)
    far = random.normal(0, 1.0, 3072).astype(np.float32)
    assert 0.0 <= flat_likeness(near, far) <= 1.001
    assert flat_likeness(near, np.zeros(3072, np.float32)) == 0.0
