"""What the camera sees, in half blocks; in signs from dark to light where there are no colours."""

from __future__ import annotations

import os

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from parlor_tui.ui.camera import CameraPicture, fitted, half_blocks, shaded
from parlor_tui.ui.glyphs import wants_ascii

UPPER_HALF = "▀"
NO_PICTURE, NO_CAMERA = "no picture yet", "no camera"


class CameraView(Widget):
    """Draws `picture` as large as it fits, in the middle; anew only when there is another one."""

    DEFAULT_CSS = """
    CameraView { color: $text-muted; }
    """
    picture: reactive[CameraPicture] = reactive(CameraPicture())

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._strips: list[Strip] = []
        self._drawn: tuple[CameraPicture, int, int, Style] | None = None

    def render_line(self, y: int) -> Strip:
        """One row of cells."""
        width, height = self.size
        if self._drawn != (now := (self.picture, width, height, self.rich_style)):
            self._drawn = now
            self._strips = self._draw(width, height)
        return self._strips[y] if y < len(self._strips) else Strip.blank(width, self.rich_style)

    def _draw(self, width: int, height: int) -> list[Strip]:
        rgb = self.picture.rgb
        if rgb is None:
            words = NO_PICTURE if self.picture.label else NO_CAMERA
            line = Strip([Segment(words[:width].center(width), self.rich_style)])
            return [Strip.blank(width, self.rich_style)] * ((height - 1) // 2) + [line]
        columns, rows = fitted(rgb.shape[1], rgb.shape[0], width, height)
        left, top = (width - columns) // 2, (height - rows) // 2
        before = [Segment(" " * left, self.rich_style)] if left else []
        after = [Segment(" " * (width - left - columns), self.rich_style)]
        if self.app.no_color or (not self.app.is_headless and wants_ascii(os.environ)):
            drawn = [[Segment(line, self.rich_style)] for line in shaded(rgb, columns, rows)]
        else:
            drawn = [
                [
                    Segment(UPPER_HALF * count, Style(color=Color(*upper).rich_color, bgcolor=Color(*lower).rich_color))
                    for (upper, lower), count in cells
                ]
                for cells in half_blocks(rgb, columns, rows)
            ]
        blank = Strip.blank(width, self.rich_style)
        return [blank] * top + [Strip([*before, *line, *after]) for line in drawn]
