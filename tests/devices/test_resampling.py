"""Pieces of any length at any rate become blocks of 512 at 16 kHz, with the right times; and 24 kHz at any rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.devices.base import BLOCK_SAMPLES, MIC_RATE_HZ, SPEAKER_RATE_HZ
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.devices.resample import MicrophoneBlocks, SpeakerFeed, resample_whole


def tone(hz: float, rate_hz: int, seconds: float) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(int(rate_hz * seconds)) / rate_hz)).astype(np.float32)


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from([16000, 44100, 48000, 22050, 8000]),
    st.integers(1, 2),
    st.lists(st.integers(0, 3000), min_size=1, max_size=20),
)
def test_blocks_carry_the_sound_and_the_time_of_their_last_sample(
    rate_hz: int, channels: int, lengths: list[int]
) -> None:
    lengths = [*lengths, rate_hz]  # enough for the resampler to give all but its tail
    sound = tone(440, rate_hz, sum(lengths) / rate_hz + 0.01)
    blocks = MicrophoneBlocks(rate_hz)
    at = 0
    given_blocks: list[tuple[np.ndarray, float]] = []
    for length in lengths:
        piece = np.repeat(sound[at : at + length, np.newaxis], channels, axis=1)
        at += length
        given_blocks += blocks.feed(piece, last_sample_at_s=50.0 + at / rate_hz)
    for number, (block, at_s) in enumerate(given_blocks, 1):
        assert block.shape == (BLOCK_SAMPLES,)
        assert block.dtype == np.float32
        assert at_s == pytest.approx(50.0 + number * BLOCK_SAMPLES / MIC_RATE_HZ, abs=1e-6)
    out = np.concatenate([block for block, _ in given_blocks])
    held_back = 1024 if rate_hz < MIC_RATE_HZ else 400
    assert len(out) > at / rate_hz * MIC_RATE_HZ - BLOCK_SAMPLES - held_back
    expected = tone(440, MIC_RATE_HZ, len(out) / MIC_RATE_HZ + 0.01)[: len(out)]
    assert np.abs(out - expected)[200:-200].max() < 0.02


def test_two_channels_are_averaged() -> None:
    both = np.stack([np.full(512, 0.5), np.full(512, -0.1)], axis=1).astype(np.float32)
    [(block, _)] = MicrophoneBlocks(MIC_RATE_HZ).feed(both, 0.0)
    np.testing.assert_allclose(block, 0.2, atol=1e-6)


@pytest.mark.parametrize("rate_hz", [24000, 44100, 48000, 16000])
def test_a_device_at_its_own_rate_gets_the_same_sound(rate_hz: int) -> None:
    buffer, feed = JitterBuffer(SPEAKER_RATE_HZ), SpeakerFeed(rate_hz)
    buffer.write(tone(440, SPEAKER_RATE_HZ, 1.0))
    pieces = []
    for size in [256, 1024, 7, 441] * 40:
        out = np.empty(size, np.float32)
        at_s = 10.0 + sum(map(len, pieces)) / rate_hz
        feed.fill(out, lambda chunk, ahead_s, at_s=at_s: buffer.read_into(chunk, at_s + ahead_s))
        pieces.append(out)
    heard = np.concatenate(pieces)
    expected = tone(440, rate_hz, 0.9)
    assert np.abs(heard[: len(expected)] - expected)[200:-200].max() < 0.02
    assert buffer.clock(10.0).first_audible_at_s == pytest.approx(10.0)
    assert buffer.clock(10.5).played_samples == pytest.approx(12000, abs=2)
    assert buffer.clock(99.0).played_samples == SPEAKER_RATE_HZ


def test_a_whole_sound_keeps_its_length_and_pitch() -> None:
    out = resample_whole(tone(440, 44100, 1.0), 44100, MIC_RATE_HZ)
    assert len(out) == MIC_RATE_HZ
    assert np.abs(out - tone(440, MIC_RATE_HZ, 1.0))[200:-200].max() < 0.01
