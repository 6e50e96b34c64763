from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.memory import Spoken, heard_text
from parlor_tui.speech.phonemes import phonemes
from parlor_tui.speech.word_times import pauses, spoken_ms, word_ends, words

RATE_HZ = 24_000
ALIGNED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "aligned_words.json").read_text())
"""Speech of Kokoro in two voices; where Whisper tiny.en found the ends of its words."""


def english(text: str) -> str:
    return phonemes(text, "en-us")


def each_letter(text: str) -> str:
    """A stand-in for phonemes: one consonant for each letter."""
    return "t" * sum(character.isalnum() for character in text)


def estimated(speech: dict[str, Any]) -> tuple[int, ...]:
    found = [tuple(pause) for pause in speech["pauses"]]
    return word_ends(speech["text"], speech["text"], speech["samples"], english, found)


def spread_evenly(speech: dict[str, Any]) -> list[float]:
    text = speech["text"]
    return [last * speech["samples"] / len(text) for _, last in words(text)]


def errors_ms(ends: Callable[[dict[str, Any]], Any]) -> np.ndarray[Any, Any]:
    """How far each end is from where Whisper found it; the last word, where the speech ends, left out."""
    return np.array(
        [
            abs(end * 1000 / RATE_HZ - truth)
            for speech in ALIGNED
            for end, truth in list(zip(ends(speech), speech["ends_ms"], strict=True))[:-1]
        ]
    )


def test_words_end_nearer_to_where_they_do_than_if_spread_evenly() -> None:
    ours, even = errors_ms(estimated), errors_ms(spread_evenly)
    assert len(ours) > 300
    assert np.median(ours) < min(70.0, 0.75 * np.median(even))
    assert np.percentile(ours, 90) < min(170.0, 0.8 * np.percentile(even, 90))


def test_who_stops_the_count_is_remembered_to_have_heard_it_so_far_within_a_word() -> None:
    counts = [speech for speech in ALIGNED if speech["text"].startswith("One two three")]
    assert counts
    for speech in counts:
        unit = Spoken(speech["text"], speech["samples"], estimated(speech))
        for number, end_ms in enumerate(speech["ends_ms"], 1):
            assert abs(len(heard_text([unit], end_ms * RATE_HZ // 1000).split()) - number) <= 1


def test_a_number_that_is_said_in_several_words_ends_with_the_last_of_them() -> None:
    written, said = "In 1999 we met.", "In nineteen ninety-nine we met."
    as_said = word_ends(said, said, 48_000, english)
    assert word_ends(written, said, 48_000, english) == (as_said[0], *as_said[2:])


def test_words_that_are_not_said_take_no_time() -> None:
    ends = word_ends("See 😀 *** this.", "See this.", 24_000, english)
    assert ends[0] == ends[1] == ends[2] < ends[3] == 24_000


def test_a_pause_of_the_speech_tells_where_the_word_before_it_ends() -> None:
    text = "Well, that depends."
    assert word_ends(text, text, 48_000, each_letter, [(9_000, 16_000)])[0] == 9_000
    far = word_ends(text, text, 48_000, each_letter, [(40_000, 42_000)])
    assert far == word_ends(text, text, 48_000, each_letter)  # not a pause of that comma


def test_characters_of_chinese_are_words() -> None:
    assert words("你好，world！好") == [(0, 1), (1, 3), (3, 9), (9, 10)]
    ends = word_ends("你好，我是。", "你好，我是。", 24_000, lambda text: phonemes(text, "zh"))
    assert len(ends) == 4
    assert sorted(set(ends)) == list(ends)


def test_long_sounds_take_longer() -> None:
    assert spoken_ms(english("eye")) > spoken_ms(english("it")) > 0
    assert spoken_ms("") == 0


def test_pauses_are_found_between_sounds_and_not_around_them() -> None:
    rng = np.random.default_rng(7)
    sound = rng.normal(0, 0.2, RATE_HZ // 2).astype(np.float32)
    quiet = np.zeros(RATE_HZ // 5, np.float32)
    ((begin, end),) = pauses(np.concatenate([quiet, sound, quiet, sound, quiet]))
    assert begin == pytest.approx(len(quiet) + len(sound), abs=240)
    assert end == pytest.approx(2 * len(quiet) + len(sound), abs=240)
    assert pauses(np.zeros(0, np.float32)) == ()
    assert pauses(quiet) == ()


@given(
    st.text("ab,. 12你。", max_size=60),
    st.text("ab,. 12你。", max_size=60),
    st.integers(0, 100_000),
    st.lists(st.tuples(st.integers(-10, 100_000), st.integers(-10, 100_000)), max_size=5),
)
def test_ends_are_one_for_each_word_in_order_and_within_the_speech(
    unit: str, spoken: str, samples: int, found: list[tuple[int, int]]
) -> None:
    ends = word_ends(unit, spoken, samples, each_letter, sorted(found))
    assert len(ends) == len(words(unit))
    assert list(ends) == sorted(ends)
    assert all(0 <= end <= samples for end in ends)
