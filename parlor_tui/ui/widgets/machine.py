"""The machine that the core runs on: a panel where there is room, else one line."""

from __future__ import annotations

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.ui.machine import Machine
from parlor_tui.ui.machine_lines import machine_line, panel_lines, title
from parlor_tui.ui.widgets.last_turn import EARLIER, FEW_ROWS, MANY_ROWS, STAGE_ROWS

PANEL_COLUMNS, WIDE_COLUMNS = 100, 160
"""Columns of the terminal from which there is a panel, and from which it is wide."""
PANEL_CELLS, WIDE_PANEL_CELLS = 33, 48


class MachinePanel(Widget):
    """Draws `machine`; redrawn only when what it shows has changed."""

    machine: reactive[Machine] = reactive(Machine(), repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._drawn = self._titled = Content("")

    def watch_machine(self, machine: Machine) -> None:
        """Another reading: most differ in what one line has no room for."""
        if not (named := title(machine)).is_same(self._titled):  # to set it draws it, changed or not
            self.border_title = self._titled = named
        if not self._content().is_same(self._drawn):
            self.refresh()

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Of the panel; the line is as wide as it can be."""
        if viewport.width < PANEL_COLUMNS or viewport.height < FEW_ROWS:
            return container.width
        return WIDE_PANEL_CELLS if viewport.width >= WIDE_COLUMNS else PANEL_CELLS

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as the panel of the last turn has, beside it; else one."""
        del container, width
        if viewport.width < PANEL_COLUMNS or viewport.height < FEW_ROWS:
            return 1
        return STAGE_ROWS + (1 + EARLIER if viewport.height >= MANY_ROWS else 0)

    def render(self) -> RenderResult:
        """The panel, or the line."""
        self._drawn = self._content()
        return self._drawn

    def _content(self) -> Content:
        width, height = self.content_size
        if height <= 1:
            return machine_line(self.machine, width)
        return Content("\n").join(panel_lines(self.machine, width, height))
