"""Words for an engine that cannot see: brightness and colours of a picture by name, and what is written in it.

Nothing is recognised, and the words say so: a model that is told "red on the left" should not speak of an apple.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parlor_tui.sight.policy import mean_cells

_ROWS, _COLUMNS = 24, 32
_MOSTLY, _SOME = 0.5, 0.04
"""Shares of the picture from which a colour fills most of it, and from which it is worth a word."""
_MOST_COLOURS = 3
_SIDE = 0.65
"""A colour is on a side if that half holds this share of it."""
_BRIGHTER = 25.0
"""The least difference between two halves that is told, in steps of 255."""
_LEVELS = ((25, "nearly black"), (75, "dark"), (175, "moderately bright"), (256, "bright"))
_HUES = (
    (15, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (195, "turquoise"), (255, "blue"), (290, "purple"),
    (345, "pink"), (361, "red"),
)  # fmt: skip
"""Names of hues up to the given degree."""


def describe(frame_rgb: NDArray[np.uint8], *, read: bool = False) -> str:
    """What the camera shows, roughly, in a few sentences. `frame_rgb`: (height, width, 3). 0.8 ms at 320x240.

    With `read` also the text that is written in it (1 to 2 s). That raises ReadingError if the extra is not installed.
    """
    cells = mean_cells(frame_rgb, _ROWS, _COLUMNS)
    brightness = cells @ np.array([0.299, 0.587, 0.114], np.float32)
    level = next(word for most, word in _LEVELS if brightness.mean() < most)
    parts = [f"The camera shows a {level} picture", *_colours(cells), *_brighter_side(brightness)]
    said = ", ".join(parts) + "."
    if read:
        from parlor_tui.sight.reading import read_lines

        lines = read_lines(frame_rgb)
        written = "; ".join(f'"{line}"' for line in lines)
        said += f" Written in it: {written}." if lines else " No text was found in it."
    return said + " This is a rough description by colour alone: what things or people are in the picture is not known."


def _colours(cells: NDArray[np.float32]) -> list[str]:
    names = _names(cells)
    found, counts = np.unique(names, return_counts=True)
    shares = sorted(((count / names.size, str(name)) for name, count in zip(found, counts, strict=True)), reverse=True)
    words = []
    for share, name in shares[:_MOST_COLOURS]:
        if share >= 1 - _SOME:
            return [f"{name} all over"]
        if share >= _MOSTLY:
            words.append(f"mostly {name}")
        elif share >= _SOME:
            words.append(f"some {name}{_where(names == name)}")
    return words


def _where(mask: NDArray[np.bool_]) -> str:
    """Where most of a colour is: in a half, in the middle, or nowhere in particular."""
    rows, columns = mask.shape
    total = mask.sum()
    middle = mask[rows // 4 : -(rows // 4), columns // 4 : -(columns // 4)].sum()
    if middle >= _SIDE * total:
        return " in the middle"
    left, top = mask[:, : columns // 2].sum() / total, mask[: rows // 2].sum() / total
    sides = []
    if not 1 - _SIDE < top < _SIDE:
        sides.append("at the top" if top > _SIDE else "at the bottom")
    if not 1 - _SIDE < left < _SIDE:
        sides.append("on the left" if left > _SIDE else "on the right")
    return "".join(f" {side}" for side in sides)


def _brighter_side(brightness: NDArray[np.float32]) -> list[str]:
    rows, columns = brightness.shape
    sideways = float(brightness[:, : columns // 2].mean() - brightness[:, columns // 2 :].mean())
    upright = float(brightness[: rows // 2].mean() - brightness[rows // 2 :].mean())
    if max(abs(sideways), abs(upright)) < _BRIGHTER:
        return []
    if abs(sideways) >= abs(upright):
        return ["brighter on the left" if sideways > 0 else "brighter on the right"]
    return ["brighter at the top" if upright > 0 else "brighter at the bottom"]


def _names(cells: NDArray[np.float32]) -> NDArray[np.str_]:
    """The colour of each cell by name; `cells` is (rows, columns, 3) in RGB."""
    red, green, blue = (cells[..., i] for i in range(3))
    high, low = cells.max(axis=2), cells.min(axis=2)
    chroma = np.maximum(high - low, 1e-3)
    sector = np.select(
        [high == red, high == green],
        [(green - blue) / chroma % 6, (blue - red) / chroma + 2],
        (red - green) / chroma + 4,
    )
    degrees = sector * 60
    hue = np.array([name for _, name in _HUES])[np.searchsorted([most for most, _ in _HUES], degrees, side="right")]
    brown = np.isin(hue, ["orange", "red"]) & (high < 150) & (degrees > 8) & (degrees < 60)
    grey = np.select([high < 50, high < 110, high < 205], ["black", "dark grey", "grey"], "white")
    coloured = (chroma > 0.22 * high) & (chroma > 18)
    named: NDArray[np.str_] = np.select([~coloured, brown], [grey, np.full(hue.shape, "brown")], hue)
    return named
