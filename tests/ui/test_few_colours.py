"""Terminals with sixteen colours, or none: words can be read on every ground that a theme has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color as RichColour
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from parlor_tui.ui import themes
from parlor_tui.ui.few_colours import (
    LEAST_CONTRAST,
    NoColours,
    SixteenColours,
    contrast,
    few_colours,
    ground_of_eight,
    mixed,
    word_of_sixteen,
)

COLOURS = st.builds(ColorTriplet, *[st.integers(0, 255)] * 3)


@given(COLOURS, COLOURS)
def test_any_word_can_be_read_on_any_ground(word: ColorTriplet, ground: ColorTriplet) -> None:
    under = ground_of_eight(ground)
    assert under in range(8)
    drawn = word_of_sixteen(word, under)
    assert drawn in range(16)
    assert contrast(mixed(drawn), mixed(under)) >= LEAST_CONTRAST


def test_hues_stay_what_they_are() -> None:
    parlor = themes.load(themes.shipped_folder() / "parlor.toml")
    states = {
        name: word_of_sixteen(ColorTriplet(*Color.parse(value).rgb), 0)
        for name, value in parlor.variables.items()
        if name.startswith("state-")
    }
    assert (states["state-listening"], states["state-error"], states["state-speaking"]) == (10, 9, 12)
    assert states["state-thinking"] == 11  # not the red that is nearest to amber
    assert states["state-loading"] == 7


def test_sixteen_colours_leave_nothing_but_numbers_of_the_terminal() -> None:
    line = [Segment("a", Style.parse("bold #818cf8 on #16171d")), Segment("b", None), Segment("c", Style())]
    (a, b, c) = SixteenColours().apply(line, Color.parse("#0f1014"))
    assert a.style is not None
    assert c.style is not None
    assert (a.style.bold, a.style.color, a.style.bgcolor) == (True, RichColour.from_ansi(12), RichColour.from_ansi(0))
    assert b.style is None
    assert c.style.bgcolor == RichColour.from_ansi(0)


def test_a_marked_line_is_told_apart_from_the_list_that_it_is_in() -> None:
    line = [Segment("marked", Style.parse("#e4e4e7 on #36395b")), Segment("other", Style.parse("#e4e4e7 on #16171d"))]
    marked, other = (segment.style for segment in SixteenColours().apply(line, Color.parse("#16171d")))
    assert marked is not None
    assert other is not None
    assert (marked.bgcolor, marked.color) == (RichColour.from_ansi(4), RichColour.from_ansi(15))
    assert other.bgcolor == RichColour.from_ansi(0)


def test_without_colours_what_is_marked_is_reversed() -> None:
    line = [
        Segment("marked", Style.parse("bold #000000 on #818cf8")),
        Segment("cursor", Style.parse("reverse #e4e4e7 on #16171d")),
        Segment("plain", Style.parse("#4ade80 on #0f1014")),
    ]
    styles = [segment.style for segment in NoColours().apply(line, Color.parse("#0f1014"))]
    assert [style is not None and style.reverse for style in styles] == [True, True, False]
    assert all(style is not None and style.color is None and style.bgcolor is None for style in styles)


@pytest.mark.parametrize(
    ("term", "system", "kind"),
    [
        ("xterm-256color", "256", None),
        ("xterm-kitty", "truecolor", None),
        ("xterm-16color", "standard", SixteenColours),
        ("linux", "standard", SixteenColours),
        ("dumb", None, SixteenColours),
        ("vt100", "standard", NoColours),
        ("vt340-256color", "256", None),
    ],
)
def test_which_terminals_get_fewer(term: str, system: str | None, kind: type | None) -> None:
    assert type(few_colours(term, system)) is (kind or type(None))
