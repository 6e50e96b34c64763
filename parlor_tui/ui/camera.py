"""The camera's picture as cells of a terminal: two pixels in each, one above the other. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from parlor_tui.events import CameraFrame, DeviceUsed, Event

SHADES = " .:-=+*#%@"
"""From dark to light, for terminals without colours."""
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class CameraPicture:
    """The newest picture, (height, width, 3); None while there is none. `label` names the camera, "" without one."""

    label: str = ""
    rgb: Image | None = field(default=None, compare=False)
    number: int = 0

    def after(self, event: Event) -> CameraPicture:
        """What it is once `event` has happened."""
        match event:
            case CameraFrame(width_px=width, height_px=height, rgb=rgb):
                whole = width > 0 and height > 0 and len(rgb) == width * height * 3
                picture = np.frombuffer(rgb, np.uint8).reshape(height, width, 3) if whole else None
                return CameraPicture(self.label, picture, self.number + 1)
            case DeviceUsed(kind="camera", label=label):
                return CameraPicture(label, self.rgb if label == self.label else None, self.number + 1)
            case _:
                return self


def fitted(width_px: int, height_px: int, columns: int, rows: int) -> tuple[int, int]:
    """How many columns and rows a picture takes within so many, its shape kept: a cell is twice as high as wide."""
    if min(width_px, height_px, columns, rows) < 1:
        return 0, 0
    scale = min(columns / width_px, rows * 2 / height_px)
    wide, high = round(width_px * scale), round(height_px * scale / 2)
    return max(1, wide), max(1, high)


def resized(rgb: Image, width_px: int, height_px: int) -> Image:
    """`rgb` (height, width, 3) in another size: a smaller one has the mean of what each of its pixels stands for."""
    return _along(_along(rgb, height_px, 0), width_px, 1)


def _along(rgb: Image, size_px: int, axis: int) -> Image:
    """`rgb` with `size_px` pixels along one axis."""
    before = rgb.shape[axis]
    if size_px >= before:
        more: Image = rgb.take(np.arange(size_px) * before // size_px, axis=axis)
        return more
    starts = np.arange(size_px) * before // size_px
    counts = np.diff(np.append(starts, before)).astype(np.uint32)
    sums = np.add.reduceat(rgb.astype(np.uint32), starts, axis=axis)
    means: Image = (sums // np.expand_dims(counts, [one for one in range(3) if one != axis])).astype(np.uint8)
    return means


Cell = tuple[tuple[int, int, int], tuple[int, int, int]]
"""The colours of a cell's upper and lower half."""


def half_blocks(rgb: Image, columns: int, rows: int) -> list[list[tuple[Cell, int]]]:
    """`rgb` in so many columns and rows: for each row its cells, equal neighbours as one with their number."""
    small = resized(rgb, columns, rows * 2)
    drawn = []
    for row in range(rows):
        pairs = zip(small[2 * row].tolist(), small[2 * row + 1].tolist(), strict=True)
        cells: list[tuple[Cell, int]] = []
        for upper, lower in pairs:
            cell = (tuple(upper), tuple(lower))
            if cells and cells[-1][0] == cell:
                cells[-1] = (cell, cells[-1][1] + 1)
            else:
                cells.append((cell, 1))
        drawn.append(cells)
    return drawn


def shaded(rgb: Image, columns: int, rows: int) -> list[str]:
    """`rgb` in so many columns and rows as signs from dark to light."""
    small = resized(rgb, columns, rows).astype(float) @ np.array([0.299, 0.587, 0.114])
    steps = np.minimum((small / 256 * len(SHADES)).astype(int), len(SHADES) - 1)
    return ["".join(SHADES[step] for step in line) for line in steps.tolist()]
