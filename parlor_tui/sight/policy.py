"""Which camera frame is shown to the model: a cheap comparison of frames, and the decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from parlor_tui.sight.asking import asks_to_look

FramePolicy = Literal["every_turn", "when_changed", "on_request", "off"]
POLICIES: tuple[FramePolicy, ...] = get_args(FramePolicy)

ROWS, COLUMNS = 24, 32
CHANGED = 20.0
"""The least `difference` that is a change, in steps of 255.

60 drawn scenes at 320x240, as JPEG: noise of sigma 20 gave at most 3, exposure by 0.8 to 1.4 at most 5, white balance
by 8 % at most 2, a shake of 2 pixels at most 12, mains flicker of 6 % at most 18; an object of a fifth of the width and
height that appeared at least 24, one that moved at least 38, another scene 127, the lamp switched off 129.
"""
_LARGEST_SHARE = 0.015
"""Share of the picture that must differ, less its rim: an object of a fifth of the width and of the height."""
_GAIN, _OFFSET = (0.6, 1.6), (-20.0, 20.0)
"""What a camera's exposure and white balance do by themselves between two turns; more is a lamp that was switched."""
_BLACK, _WHITE = 8.0, 235.0
"""Cells beyond these are cut off in part: they tell nothing about the exposure, and may be darker or brighter."""


@dataclass(frozen=True, slots=True)
class FrameSignature:
    """What of a frame is kept to tell whether the next one differs: the mean colours of (24, 32, 3) cells, 9 kB."""

    cells_rgb: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the frame is shown, and why in a few words."""

    show: bool
    reason: str


def signature(frame_rgb: NDArray[np.uint8]) -> FrameSignature:
    """The signature of `frame_rgb` (height, width, 3; at least one pixel). 0.5 ms at 320x240, 2 ms at 640x480."""
    return FrameSignature(mean_cells(frame_rgb, ROWS, COLUMNS))


def mean_cells(frame_rgb: NDArray[np.uint8], rows: int, columns: int) -> NDArray[np.float32]:
    """`frame_rgb` as (rows, columns, 3) means of its cells."""
    height, width = frame_rgb.shape[:2]
    if height < rows or width < columns:
        down, right = max(1, -(-rows // height)), max(1, -(-columns // width))
        frame_rgb = frame_rgb.repeat(down, axis=0).repeat(right, axis=1)
        height, width = frame_rgb.shape[:2]
    tops, lefts = np.arange(rows) * height // rows, np.arange(columns) * width // columns
    sums = np.add.reduceat(np.add.reduceat(frame_rgb, tops, axis=0, dtype=np.float32), lefts, axis=1)
    counts = np.diff([*tops, height])[:, None, None] * np.diff([*lefts, width])[None, :, None]
    means: NDArray[np.float32] = (sums / counts).astype(np.float32)
    return means


def difference(one: FrameSignature, other: FrameSignature) -> float:
    """How much two frames differ, 0 to 255: what the 1.5 % of the cells that differ most differ by at least. 1.4 ms.

    What a camera does by itself is no difference: noise is averaged away by the cells; a change of exposure or of white
    balance is a straight line from the old to the new values of each colour, and is taken out; a camera that shook
    finds the value of a cell among its neighbours.
    """
    first, second = np.moveaxis(one.cells_rgb, 2, 0), np.moveaxis(other.cells_rgb, 2, 0)
    exposed: NDArray[np.float32] = np.stack([_as_exposed(old, new) for old, new in zip(first, second, strict=True)])
    highest = _around(np.where(first >= _WHITE, np.float32(255), exposed), np.maximum)
    lowest = _around(np.where(first <= _BLACK, np.float32(0), exposed), np.minimum)
    apart = np.maximum(second - highest, lowest - second).max(axis=0)
    return max(0.0, float(np.quantile(apart, 1 - _LARGEST_SHARE)))


def _around(cells: NDArray[np.float32], extreme: np.ufunc) -> NDArray[np.float32]:
    """The greatest or least of each cell and its eight neighbours; `cells` is (3, 24, 32)."""
    padded = np.pad(cells, ((0, 0), (1, 1), (1, 1)), mode="edge")
    rows = extreme(extreme(padded[:, :-2], padded[:, 1:-1]), padded[:, 2:])
    widest: NDArray[np.float32] = extreme(extreme(rows[..., :-2], rows[..., 1:-1]), rows[..., 2:])
    return widest


def _as_exposed(old: NDArray[np.float32], new: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cells `old` of one colour as the exposure of `new` would show them."""
    told = (old > _BLACK) & (old < _WHITE) & (new > _BLACK) & (new < _WHITE)
    x, y = old[told].astype(np.float64), new[told].astype(np.float64)
    gain, offset = 1.0, float(np.median(y - x)) if x.size else 0.0
    near = np.ones(x.size, bool)
    for _ in range(4):
        spread = float(np.var(x[near])) if near.any() else 0.0
        if spread < 1.0:  # a picture of one brightness has no line
            break
        gain = float(np.mean((x[near] - x[near].mean()) * (y[near] - y[near].mean()))) / spread
        offset = float(y[near].mean()) - gain * float(x[near].mean())
        apart = np.abs(y - gain * x - offset)
        near = apart <= np.median(apart)  # what changed in the picture is among the rest
    exposed: NDArray[np.float32] = np.clip(
        np.float32(np.clip(gain, *_GAIN)) * old + np.float32(np.clip(offset, *_OFFSET)), 0, 255
    )
    return exposed


def decide(
    policy: FramePolicy, frame: FrameSignature | None, last_shown: FrameSignature | None, words: str
) -> Decision:
    """Whether `frame`, the newest of the camera, goes with the turn in which the user said `words`.

    `last_shown` is the frame that the model saw last and still remembers.
    """
    if policy == "off":
        return Decision(False, "the model is never shown the camera")
    if frame is None:
        return Decision(False, "there is no frame")
    if policy == "every_turn":
        return Decision(True, "every turn is shown the camera")
    if asks_to_look(words):
        return Decision(True, "the words ask to look")
    if policy == "on_request":
        return Decision(False, "the words do not ask to look")
    if last_shown is None:
        return Decision(True, "it is the first frame")
    apart = difference(frame, last_shown)
    if apart >= CHANGED:
        return Decision(True, f"the picture changed (by {apart:.0f}, at least {CHANGED:.0f})")
    return Decision(False, f"the picture is the one shown last (differs by {apart:.0f}, less than {CHANGED:.0f})")
