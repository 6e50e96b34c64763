"""Colours for terminals with sixteen of them, or none: words stay apart from their ground, whatever the theme."""

from __future__ import annotations

import colorsys
from functools import lru_cache

from rich.color import Color as RichColour
from rich.color import ColorSystem
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

BLACK, BROWN, BLUE, GREY, DARK_GREY, WHITE = 0, 3, 4, 7, 8, 15
GREYS = ((0.03, BLACK), (0.2, DARK_GREY), (0.65, GREY), (1.1, WHITE))
"""Up to which luminance a grey is which."""
BRIGHT = 8
"""Added to one of the first eight colours, it is the brighter one of that hue."""
HUES_DEGREES = ((20, 1), (75, 3), (160, 2), (200, 6), (255, 4), (345, 5), (361, 1))
"""Up to where on the colour circle a hue is red, yellow, green, cyan, blue, magenta, red again."""
COLOURLESS = 0.2
"""Saturation below which a colour is a grey."""
DARK, LIGHT = 0.09, 0.55
"""Luminance up to which a ground is black, and from which it is white."""
LEAST_CONTRAST = 2.5
"""Of words on their ground, by WCAG, as such a terminal mixes its colours. Dark grey on black has 2.8."""
OTHER_GROUND = 1.4
"""Contrast of two grounds from which one is told apart also where both would become the same."""


def luminance(colour: ColorTriplet) -> float:
    """From 0 (black) to 1 (white), by WCAG."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """The contrast ratio by WCAG, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _hue(colour: ColorTriplet) -> int | None:
    """The one of the first eight colours that has this hue; None for a grey."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*colour.normalized)
    if saturation * (1 - abs(2 * lightness - 1)) < COLOURLESS:
        return None
    return next(number for limit, number in HUES_DEGREES if hue * 360 < limit)


@lru_cache(1024)
def ground_of_eight(colour: ColorTriplet) -> int:
    """What stands for a ground: one of the first eight, since a terminal may make the others blink."""
    light = luminance(colour)
    if light < DARK:
        return BLACK
    hue = _hue(colour)
    return GREY if light > LIGHT or hue is None else hue


@lru_cache(4096)
def word_of_sixteen(colour: ColorTriplet, ground: int) -> int:
    """What stands for the colour of words on `ground`, which is one of the first eight."""
    hue, light = _hue(colour), luminance(colour)
    if hue is not None:
        number = hue if ground == GREY else hue + BRIGHT
    else:
        number = next(grey for limit, grey in GREYS if light < limit)
    under = mixed(ground)
    if contrast(mixed(number), under) >= LEAST_CONTRAST:
        return number
    return max((BLACK, WHITE), key=lambda other: contrast(mixed(other), under))


def mixed(number: int) -> ColorTriplet:
    """How a terminal usually mixes its colour `number`, 0 to 15."""
    if number == BROWN:
        return ColorTriplet(170, 85, 0)
    red, green, blue = (170 * (number >> part & 1) + 85 * (number >> 3) for part in range(3))
    return ColorTriplet(red, green, blue)


class SixteenColours(LineFilter):
    """Every colour becomes one of the terminal's own sixteen."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """`segments` in sixteen colours; where one has no ground it stands on `background`."""
        return [Segment(text, _sixteen(style, background), control) for text, style, control in segments]


@lru_cache(4096)
def _sixteen(style: Style | None, background: Color) -> Style | None:
    if style is None:
        return None
    under, own = _triplet(None, background), _triplet(style.bgcolor, background)
    ground = ground_of_eight(own)
    if ground == ground_of_eight(under) and contrast(own, under) >= OTHER_GROUND:
        ground = BLUE  # a marked line, a little lighter than the rest, is still to be seen
    word = None
    if style.color is not None:
        word = RichColour.from_ansi(word_of_sixteen(_triplet(style.color, background), ground))
    return style + Style(color=word, bgcolor=RichColour.from_ansi(ground))


class NoColours(LineFilter):
    """For terminals that show no colours: what stands on another ground than `background` is reversed."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """`segments` without colours."""
        return [Segment(text, _colourless(style, background), control) for text, style, control in segments]


@lru_cache(4096)
def _colourless(style: Style | None, background: Color) -> Style | None:
    if style is None:
        return None
    under = _triplet(None, background)
    ground = _triplet(style.bgcolor, background)
    reverse = (contrast(ground, under) >= OTHER_GROUND) != bool(style.reverse)
    return style.without_color + Style(reverse=reverse)


def _triplet(colour: RichColour | None, background: Color) -> ColorTriplet:
    if colour is None or colour.is_default:
        return ColorTriplet(*background.rgb)
    return colour.get_truecolor()


def few_colours(term: str, colour_system: str | None) -> LineFilter | None:
    """The filter for a terminal of the kind `term` (TERM) with `colour_system`, as rich names it; None without need.

    A terminal of the vt family without a word on colours has none.
    """
    if term.startswith("vt") and "color" not in term:
        return NoColours()
    return SixteenColours() if colour_system in (None, ColorSystem.STANDARD.name.lower()) else None
