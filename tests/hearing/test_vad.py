from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.hearing.vad import FRAME_SAMPLES, open_vad
from parlor_tui.pcm import level_dbfs
from tests.speaking import utterance_16k


def blocks(samples: np.ndarray) -> list[np.ndarray]:
    return [samples[i : i + FRAME_SAMPLES] for i in range(0, len(samples) - FRAME_SAMPLES + 1, FRAME_SAMPLES)]


def test_speech_is_told_from_silence_and_from_noise() -> None:
    vad = open_vad()
    speech = utterance_16k("The quick brown fox jumps over the lazy dog.")
    spoken = [vad.probability(block) for block in blocks(speech)]
    vad.reset()
    noise = np.random.default_rng(1).normal(0, 0.01, 32_000).astype(np.float32)
    noisy = [vad.probability(block) for block in blocks(noise)]
    assert max(spoken) > 0.9
    assert np.mean(np.array(spoken) > 0.5) > 0.6
    assert max(noisy) < 0.5


def test_after_a_reset_the_same_sound_gives_the_same_probabilities() -> None:
    vad = open_vad()
    speech = utterance_16k("Good morning to you.")
    first = [vad.probability(block) for block in blocks(speech)]
    unreset = vad.probability(blocks(speech)[0])
    vad.reset()
    again = [vad.probability(block) for block in blocks(speech)]
    assert first == again
    assert unreset != first[0]


@given(st.floats(-90, 0))
def test_level_of_a_square_wave_is_its_amplitude(dbfs: float) -> None:
    amplitude = 10 ** (dbfs / 20)
    wave = np.tile([amplitude, -amplitude], 256).astype(np.float32)
    assert abs(level_dbfs(wave) - dbfs) < 0.01


def test_silence_has_the_lowest_level() -> None:
    assert level_dbfs(np.zeros(512, np.float32)) == -120.0
    assert level_dbfs(np.zeros(0, np.float32)) == -120.0
