"""The published figures, and what is computed from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.bench.costs import parlor_v1
from parlor_tui.bench.costs.costs import M3_PRO, REPLY, SENTENCES, reply_tokens
from parlor_tui.bench.costs.floor import FirstUnit, first_unit, floor

SECONDS = st.floats(0.3, 60, allow_nan=False)


def test_the_canned_reply_is_the_published_one() -> None:
    assert [len(sentence) for sentence in SENTENCES] == [59, 58]
    assert len(reply_tokens()) == 25
    assert "".join(reply_tokens()) == REPLY


@given(st.lists(st.text("abc", min_size=4, max_size=12), min_size=5, max_size=30).map(" ".join), st.integers(1, 20))
def test_a_text_in_pieces_is_still_that_text(text: str, tokens: int) -> None:
    pieces = reply_tokens(text, tokens)
    assert "".join(pieces) == text
    assert len(pieces) == tokens


@pytest.mark.parametrize(("characters", "audio_s"), [(31, 2.10), (119, 6.10), (361, 21.40)])
def test_the_voice_makes_the_published_lengths(characters: int, audio_s: float) -> None:
    assert M3_PRO.spoken_s(characters) == pytest.approx(audio_s)
    assert M3_PRO.voice_s(characters) == pytest.approx(0.060 + 0.075 * audio_s)


@given(st.integers(1, 1000))
def test_more_characters_take_longer(characters: int) -> None:
    assert 0 < M3_PRO.spoken_s(characters) < M3_PRO.spoken_s(characters + 1)


def test_the_encoder_hears_thirty_seconds_at_most() -> None:
    assert M3_PRO.sound_s(3) == pytest.approx(0.26)
    assert M3_PRO.sound_s(31) == M3_PRO.sound_s(30) == pytest.approx(1.88)
    assert M3_PRO.sound_tokens(40) == M3_PRO.sound_tokens(30) == 750


@pytest.mark.parametrize(("frame", "total_s"), [(True, 3.4), (False, 2.4)])
def test_parlor_v1_takes_as_long_as_was_published(frame: bool, total_s: float) -> None:
    """For a 9 s question."""
    stages = parlor_v1.replay(9.0, frame=frame)
    assert round(stages["total"], 1) == total_s
    assert stages["total"] == pytest.approx(sum(s for name, s in stages.items() if name != "total"))


def test_what_parlor_v1_pays_for_a_frame() -> None:
    with_frame, without = parlor_v1.replay(3.0, frame=True), parlor_v1.replay(3.0, frame=False)
    assert with_frame["total"] - without["total"] == pytest.approx(0.86 + 268 / 2662)


def test_a_floor_step_by_step() -> None:
    unit = FirstUnit("x" * 31, 10)
    best = floor(3.0, "native", eager_ms=100, finished_ms=200, playout_ms=40, unit=unit)
    sound = 100 + 80 + 60 * 3.7
    first = sound + (92 + 5) / 2662 * 1000 + 1000 / 83
    assert best.committed == 220  # the verdict came after 200 ms
    assert best.sound_taken == pytest.approx(sound, abs=0.1)
    assert best.first_token == pytest.approx(first, abs=0.5)
    assert best.first_audio == pytest.approx(first + 10 * 1000 / 83 + 60 + 75 * 2.1, abs=0.5)
    assert best.audible == pytest.approx(best.first_audio + 40, abs=0.1)
    assert best.bound_by == "reply"


def test_where_the_reply_is_quick_the_wait_for_silence_is_what_is_left() -> None:
    best = floor(1.0, "captions", eager_ms=100, finished_ms=1800, playout_ms=40)
    assert (best.audible, best.bound_by) == (1840, "end of turn")


@given(SECONDS, st.sampled_from(["native", "captions"]), st.floats(32, 600), st.floats(100, 2000))
def test_a_floor_is_in_order(speech_s: float, hearing: str, eager_ms: float, finished_ms: float) -> None:
    best = floor(
        speech_s, "native" if hearing == "native" else "captions", eager_ms=eager_ms, finished_ms=finished_ms
    )  # fmt: skip
    assert best.paused < best.caption < best.judged <= best.committed < best.audible
    assert best.sound_taken < best.first_token <= best.first_unit < best.first_audio < best.audible


def test_reading_the_caption_is_quicker_than_hearing_a_long_question() -> None:
    native, captions = (floor(9.0, way, eager_ms=100, finished_ms=200).audible for way in ("native", "captions"))  # type: ignore[arg-type]
    assert captions < native - 300


def test_the_first_unit_is_cut_as_the_product_cuts_it() -> None:
    assert first_unit(("Well,", " that is a long", " story.", " It")).tokens <= 4
    unit = first_unit()
    assert REPLY.startswith(unit.text)
    assert 0 < unit.tokens <= 25
    assert first_unit(("one", " two")) == FirstUnit("one two", 2)
