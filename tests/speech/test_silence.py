"""Silence around what is said."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.speech.base import SAMPLE_RATE_HZ
from parlor_tui.speech.silence import silence, silent_frames, trimmed, trimmed_pieces


@given(before_ms=st.integers(0, 900), sound_ms=st.integers(50, 500), after_ms=st.integers(0, 900))
def test_silence_goes_and_sound_stays(before_ms: int, sound_ms: int, after_ms: int) -> None:
    count = sound_ms * SAMPLE_RATE_HZ // 1000
    sound = np.sin(np.arange(count) * 0.1).astype(np.float32)
    noise = np.random.default_rng(1).normal(0, 1e-4, SAMPLE_RATE_HZ).astype(np.float32)
    samples = np.concatenate([noise[: before_ms * 24], sound, noise[: after_ms * 24]])
    kept = trimmed(samples)
    assert np.abs(kept).sum() >= np.abs(sound).sum() * 0.999
    assert len(kept) <= len(sound) + 2 * 40 * 24


def test_silence_throughout_leaves_nothing() -> None:
    assert len(trimmed(silence(0.5))) == 0
    assert len(trimmed(silence(0.0))) == 0
    assert len(silence(0.25)) == SAMPLE_RATE_HZ // 4


def test_the_nothing_before_and_the_mark_behind_are_left_out_and_sounds_are_not() -> None:
    before, behind = silent_frames("ʃˈʊɹ.", [18, 2, 3, 4, 12, 8, 1])
    assert 0 < before < 18 - 3
    assert 0 < behind < 12 + 8 + 1 - 9
    assert silent_frames("ʃˈʊɹ", [4, 2, 3, 4, 5, 1]) == (0, 0)
    assert silent_frames("...", [9, 3, 3, 3, 9])[1] == 0


@given(
    st.text("abc .,!?", min_size=1, max_size=20).flatmap(
        lambda letters: st.tuples(
            st.just(letters), st.lists(st.integers(1, 60), min_size=len(letters) + 2, max_size=len(letters) + 2)
        )
    )
)
def test_something_of_every_letter_stays(said: tuple[str, list[int]]) -> None:
    letters, durations = said
    before, behind = silent_frames(letters, durations)
    assert 0 <= before < durations[0]
    spoken = len(letters.rstrip(".,!?"))
    assert 0 <= behind < sum(durations[max(spoken, 1) :])


@given(st.lists(st.sampled_from([0, 3, 24, 40]), min_size=1, max_size=6), st.data())
def test_trimmed_in_pieces_is_what_is_trimmed_in_one(lengths: list[int], data: st.DataObject) -> None:
    loud = [data.draw(st.booleans()) for _ in lengths]
    tone = np.sin(np.arange(SAMPLE_RATE_HZ) * 0.1).astype(np.float32)
    pieces = [tone[: length * 240] * np.float32(on) for length, on in zip(lengths, loud, strict=True)]
    made = list(trimmed_pieces(pieces))
    assert made
    assert np.array_equal(np.concatenate(made), trimmed(np.concatenate(pieces)))
