"""Speech in pieces: where it is cut, and that the pieces are what the whole would be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from parlor_tui.settings import Settings, models_folder
from parlor_tui.speech.base import SAMPLE_RATE_HZ, Cancelled, Stop, Voice
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.phonemes import phonemes
from parlor_tui.speech.pieces import (
    AROUND_FRAMES,
    FRAME_MS,
    FRAME_SAMPLES,
    SHORTEST_FRAMES,
    cuts,
    joined,
    like_the_rest,
)
from parlor_tui.speech.runtime import open_voice
from parlor_tui.speech.voices import read_voices, style

QUICK_MS, BUSY_MS = 7.0, 20.0
SENTENCE = "The cat was named Luna and she had a litter of kittens that night."


@pytest.fixture(scope="module")
def kokoro() -> Kokoro:
    folder = models_folder(Settings())
    for name in ("kokoro-int8", "kokoro-voices"):
        assert (folder / name).is_dir(), f"{folder / name} is not there: run `parlor-tui models get --profile lite`"
    return open_voice("onnx", folder / "kokoro-int8", read_voices(folder / "kokoro-voices"), threads=2)


def level_db(samples: NDArray[np.float32]) -> float:
    return float(10 * np.log10(np.mean(samples.astype(np.float64) ** 2) + 1e-12))


def steepest(samples: NDArray[np.float32]) -> float:
    return float(np.abs(np.diff(samples)).max(initial=0.0))


def test_a_sentence_in_pieces_is_the_sentence_in_one(kokoro: Kokoro, monkeypatch: pytest.MonkeyPatch) -> None:
    made = phonemes(SENTENCE, "en-us")
    of = style(read_voices(models_folder(Settings()) / "kokoro-voices")["am_michael"], len(made))
    monkeypatch.setattr(kokoro, "_frame_ms", QUICK_MS)
    pieces = list(kokoro._run(made, of, 1.1, Stop(), in_pieces=True))
    [whole] = kokoro._run(made, of, 1.1, Stop(), in_pieces=False)
    assert len(pieces) > 2
    assert all(piece.dtype == np.float32 and piece.ndim == 1 for piece in pieces)
    assert 0.35 < len(pieces[0]) / SAMPLE_RATE_HZ < 0.75
    assert all(len(piece) / SAMPLE_RATE_HZ < 1.8 for piece in pieces)
    speech = np.concatenate(pieces)
    assert len(speech) == len(whole)
    assert abs(level_db(speech) - level_db(whole)) < 2
    place = 0
    for piece in pieces:
        alike = whole[place : place + len(piece)]
        assert abs(level_db(piece) - level_db(alike)) < 3
        if place:
            seam = speech[place - 48 : place + 48]
            assert steepest(seam) < 1.2 * steepest(speech)
        # Sound for sound the same: nothing is said twice, left out or shifted.
        assert np.corrcoef(piece, alike)[0, 1] > 0.7
        place += len(piece)


def test_the_pieces_joined_are_as_long_as_what_is_synthesised(kokoro: Kokoro, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "It is about ten past eight."
    monkeypatch.setattr(kokoro, "_frame_ms", QUICK_MS)
    pieces = list(kokoro.pieces(text, "af_heart", 1.1, Stop()))
    assert len(pieces) > 1
    whole = kokoro.synthesise(text, "af_heart", 1.1, Stop())
    # Whether a hiss at the edge is silence depends on the loudest of what was made so far.
    assert abs(sum(map(len, pieces)) - len(whole)) < 0.15 * SAMPLE_RATE_HZ
    assert len(list(kokoro.pieces("Sure.", "af_heart", 1.1, Stop()))) == 1


def test_a_stop_between_pieces_ends_it(kokoro: Kokoro, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kokoro, "_frame_ms", QUICK_MS)
    stop = Stop()
    pieces = kokoro.pieces(SENTENCE, "af_heart", 1.1, stop)
    assert len(next(pieces)) > 0
    stop.stop()
    with pytest.raises(Cancelled):
        next(pieces)
    assert list(pieces) == []


def test_a_voice_that_knows_no_pieces_speaks_in_one() -> None:
    class Hum(Voice):
        name = "hum"
        voices = ("hum",)

        def synthesise(self, text: str, voice: str, speed: float, stop: Stop) -> NDArray[np.float32]:
            return np.full(len(text), 0.1, np.float32)

    assert [len(piece) for piece in Hum().pieces("Hello.", "hum", 1.0, Stop())] == [6]


def test_a_first_piece_ends_at_the_quietest_place_near() -> None:
    loudness = np.ones(120, np.float32)
    loudness[[5 + 27, 90]] = 0
    places = cuts(loudness, 5, 115, QUICK_MS)
    assert places[:2] == [5, 32]
    assert places[-1] == 115
    assert cuts(loudness, 5, 5 + SHORTEST_FRAMES - 1, QUICK_MS) == [5, 5 + SHORTEST_FRAMES - 1]


@given(
    st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=900).map(lambda all_: np.array(all_, np.float32)),
    st.data(),
)
def test_each_piece_is_made_while_those_before_it_are_heard(loudness: NDArray[np.float32], data: st.DataObject) -> None:
    frame_ms = data.draw(st.floats(2, 60))
    first = data.draw(st.integers(0, len(loudness) - 1))
    last = data.draw(st.integers(first + 1, len(loudness)))
    places = cuts(loudness, first, last, frame_ms)
    lengths = np.diff(places)
    assert (places[0], places[-1]) == (first, last)
    if len(lengths) > 1:
        assert lengths.min() >= 2 * AROUND_FRAMES
        assert lengths[0] >= 20
        assert max(lengths[1:]) <= 60
    ahead_ms = lengths[0] * FRAME_MS
    for length in lengths[1:]:
        ahead_ms -= (length + 2 * AROUND_FRAMES) * frame_ms
        assert ahead_ms >= 0
        ahead_ms += length * FRAME_MS


def test_a_busy_machine_begins_later_but_leaves_no_gap() -> None:
    loudness = np.ones(140, np.float32)
    quick, busy = (cuts(loudness, 0, 140, frame_ms)[1] for frame_ms in (QUICK_MS, BUSY_MS))
    assert quick < 30
    assert 60 < busy < 90
    assert cuts(loudness, 0, 140, 400.0) == [0, 140]


@given(st.integers(1, 40), st.integers(0, 40))
def test_what_is_like_the_rest_has_its_range(others: int, count: int) -> None:
    loudness = np.random.default_rng(others).normal(0, 1, 50).astype(np.float32)
    chosen = like_the_rest(loudness, range(5, 5 + others), count)
    assert len(chosen) == min(others, count)
    assert chosen == sorted(set(chosen))
    if count > 1 and others > count:
        low, high = loudness[chosen].min(), loudness[chosen].max()
        assert low <= np.median(loudness[5 : 5 + others]) <= high


def test_joined_pieces_of_one_sound_are_that_sound() -> None:
    sound = np.sin(np.arange(100 * FRAME_SAMPLES) * 0.05).astype(np.float32)

    def heard() -> Iterator[NDArray[np.float32]]:
        held = sound[:0]
        places = [0, 24, 60, 100]
        for begin, end in pairwise(places):
            before, behind = (AROUND_FRAMES if begin else 0), (AROUND_FRAMES if end < 100 else 0)
            made = sound[(begin - before) * FRAME_SAMPLES : (end + behind) * FRAME_SAMPLES]
            piece, held = joined(held, made, before, behind)
            yield piece

    assert np.allclose(np.concatenate(list(heard())), sound, atol=1e-6)
