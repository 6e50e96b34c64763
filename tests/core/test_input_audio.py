from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.input_audio import LONGEST_S, InputAudio, TooLong


@given(st.binary(max_size=3000), st.lists(st.integers(0, 64), max_size=60))
def test_pieces_of_any_size_give_the_same_sound(data: bytes, sizes: list[int]) -> None:
    audio = InputAudio(16_000)
    at = 0
    for size in sizes:
        audio.append(data[at : at + size])
        at += size
        audio.peek()
    audio.append(data[at:])
    samples, _ = audio.take()
    whole = np.frombuffer(data[: len(data) // 2 * 2], "<i2")
    assert np.array_equal(np.round(samples * 32768).astype(np.int16), whole)
    assert audio.samples_count == 0


def test_the_standards_rate_is_brought_to_the_recognisers() -> None:
    audio = InputAudio(24_000)
    t = np.arange(24_000) / 24_000
    audio.append((np.sin(2 * np.pi * 440 * t) * 16_000).astype("<i2").tobytes())
    assert audio.duration_ms == 1000
    samples, duration_ms = audio.take()
    assert duration_ms == 1000
    assert len(samples) == 16_000
    assert np.argmax(np.abs(np.fft.rfft(samples))) == 440


def test_one_turn_is_bounded_and_what_was_there_stays() -> None:
    audio = InputAudio(16_000)
    second = bytes(2 * 16_000)
    for _ in range(LONGEST_S):
        audio.append(second)
    with pytest.raises(TooLong, match="120 s"):
        audio.append(b"\0\0")
    assert audio.duration_ms == LONGEST_S * 1000
    audio.clear()
    audio.append(b"\0\0")


def test_new_audio_is_counted_from_the_last_look() -> None:
    audio = InputAudio(16_000)
    audio.append(bytes(2 * 1600))
    assert audio.new_ms == 100
    audio.peek()
    assert audio.new_ms == 0
