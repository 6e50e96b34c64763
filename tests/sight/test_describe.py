from __future__ import annotations

import sys

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from parlor_tui.sight import reading
from parlor_tui.sight.describe import describe
from parlor_tui.sight.reading import ReadingError, read_lines
from tests.sight.drawing import Image

ROUGH = " This is a rough description by colour alone: what things or people are in the picture is not known."


def plain(red: int, green: int, blue: int) -> Image:
    return np.full((240, 320, 3), (red, green, blue), np.uint8)


@pytest.mark.parametrize(
    ("colour", "words"),
    [
        ((0, 0, 0), "a nearly black picture, black all over."),
        ((70, 70, 70), "a dark picture, dark grey all over."),
        ((150, 150, 150), "a moderately bright picture, grey all over."),
        ((250, 250, 250), "a bright picture, white all over."),
        ((220, 30, 30), "red all over."),
        ((240, 150, 30), "orange all over."),
        ((110, 70, 30), "brown all over."),
        ((240, 230, 40), "yellow all over."),
        ((40, 160, 60), "green all over."),
        ((40, 200, 200), "turquoise all over."),
        ((20, 30, 120), "a dark picture, blue all over."),
        ((120, 40, 200), "purple all over."),
        ((240, 100, 180), "pink all over."),
    ],
)
def test_one_colour_is_called_by_its_name(colour: tuple[int, int, int], words: str) -> None:
    assert words in describe(plain(*colour))


def test_colours_are_told_with_their_place_and_nothing_is_made_up() -> None:
    picture = plain(15, 20, 90)
    picture[60:180, 10:70] = (220, 30, 30)
    picture[:, 240:] = (200, 200, 40)
    assert describe(picture) == (
        "The camera shows a dark picture, mostly blue, some yellow on the right, some red on the left, "
        "brighter on the right." + ROUGH
    )


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (slice(0, 60), slice(0, 320), "some green at the top"),
        (slice(180, 240), slice(0, 320), "some green at the bottom"),
        (slice(180, 240), slice(220, 320), "some green at the bottom on the right"),
        (slice(80, 160), slice(110, 210), "some green in the middle"),
    ],
)
def test_a_place_is_told(rows: slice, columns: slice, words: str) -> None:
    picture = plain(120, 120, 120)
    picture[rows, columns] = (30, 170, 40)
    assert words in describe(picture)


@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_the_brighter_side_is_told(side: str) -> None:
    picture = plain(40, 40, 40)
    half = {"left": np.s_[:, :160], "right": np.s_[:, 160:], "top": np.s_[:120], "bottom": np.s_[120:]}[side]
    picture[half] = 120
    assert f"brighter {'at' if side in ('top', 'bottom') else 'on'} the {side}" in describe(picture)


def test_noise_alone_has_no_bright_side_and_no_bright_colour() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (240, 320, 3)).astype(np.uint8)
    assert describe(noise) == "The camera shows a moderately bright picture, grey all over." + ROUGH


@given(arrays(np.uint8, st.tuples(st.integers(1, 60), st.integers(1, 60), st.just(3))))
def test_every_picture_has_a_description_that_says_how_rough_it_is(picture: Image) -> None:
    said = describe(picture)
    assert said.startswith("The camera shows a ")
    assert said.endswith(ROUGH)


def test_without_the_extra_reading_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)  # Python's own way of saying that it is not installed
    reading._reader.cache_clear()
    with pytest.raises(ReadingError, match=r"pip install 'parlor-tui\[reading\]'$") as refused:
        describe(plain(9, 9, 9), read=True)
    assert refused.value.missing


@pytest.mark.reading
def test_text_in_a_picture_is_read_from_top_to_bottom() -> None:
    sign = plain(250, 250, 250)
    cv2.putText(sign, "Open from nine", (30, 170), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (160, 0, 0), 2)
    cv2.putText(sign, "EXIT 24", (40, 80), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (0, 0, 0), 3)
    assert read_lines(sign) == ["EXIT 24", "Open from nine"]
    assert 'Written in it: "EXIT 24"; "Open from nine". This is a rough' in describe(sign, read=True)
    assert "No text was found in it." in describe(plain(90, 90, 90), read=True)
