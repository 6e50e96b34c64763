from __future__ import annotations

import tracemalloc
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from parlor_tui.assistant.ear.utterance import UtteranceTaker
from parlor_tui.assistant.talk.memories import Memories
from parlor_tui.core.input_audio import LONGEST_S, InputAudio, TooLong
from parlor_tui.hearing.turn import Commit, ReplyPhase
from parlor_tui.settings import Hearing


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
    with pytest.raises(TooLong, match=f"{LONGEST_S} s"):
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


def test_the_longest_turn_of_a_terminal_is_taken() -> None:
    """Every setting at its highest: what the terminal sends of one endless voice is what the core takes."""
    high = {item.name: item.metadata["high"] for item in fields(Hearing)}
    hearing = Hearing(max_utterance_s=high["max_utterance_s"], pre_roll_ms=high["pre_roll_ms"])
    taker, memories, audio = UtteranceTaker(Voice()), Memories(), InputAudio(16_000)
    silence, ended, block_s = np.zeros(512, np.float32), False, 512 / 16_000
    for number in range(round((high["max_utterance_s"] + 10) / block_s)):
        Voice.heard = number * block_s > 5
        heard = taker.frame(silence, (number + 1) * block_s, hearing, ReplyPhase.NONE, 0.0)
        audio.append(heard.pcm16)
        memories.add_sound(1, heard.pcm16)
        ended = ended or any(isinstance(action, Commit) and action.cut for action in heard.actions)
        if ended:
            break
    assert ended
    assert audio.duration_ms > (high["max_utterance_s"] * 1000 + high["pre_roll_ms"])
    assert len(memories.open(1).pcm16) == audio.samples_count * 2, "all of it is kept for the next core, too"


class Voice:
    """Hears a voice, or none."""

    heard = False

    def probability(self, _samples: NDArray[np.float32]) -> float:
        return 0.9 if Voice.heard else 0.0

    def reset(self) -> None:
        """Nothing is remembered."""


def test_many_small_pieces_take_no_more_room_than_their_sound() -> None:
    audio = InputAudio(16_000)
    tracemalloc.start()
    for _ in range(8000):
        audio.append(b"\0\0")
        audio.append(b"")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 300_000
    assert audio.samples_count == 8000
