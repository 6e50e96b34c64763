"""How loud the microphone is now, as a bar across the line."""

from __future__ import annotations

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.events import State
from parlor_tui.ui.widgets.last_turn import DASH
from parlor_tui.ui.widgets.status import QUIETEST_DBFS

HEARD_PROBABILITY = 0.5
"""From here on the bar is bright: a voice."""
NUMBER_CELLS = 8


def level_line(level: tuple[float, float] | None, width: int) -> Content:
    """A bar and its dB in `width` cells; `level` is dBFS and the probability of speech, None before the first sound."""
    cells = max(width - NUMBER_CELLS, 1)
    if level is None:
        return Content.styled("─" * cells + f"{DASH} dB".rjust(NUMBER_CELLS), "dim")
    dbfs, probability = level
    share = min(max((dbfs - QUIETEST_DBFS) / -QUIETEST_DBFS, 0.0), 1.0)
    filled = round(share * cells)
    state = State.HEARING if probability >= HEARD_PROBABILITY else State.LISTENING
    look = f"bold $state-{state}" if probability >= HEARD_PROBABILITY else f"$state-{state} 70%"
    number = f"{max(dbfs, QUIETEST_DBFS):.0f} dB".rjust(NUMBER_CELLS)
    return Content.assemble(("━" * filled, look), ("─" * (cells - filled), "dim"), number)


class LevelMeter(Widget):
    """Draws `level`: dBFS and the probability of speech."""

    DEFAULT_CSS = """
    LevelMeter { height: 1; }
    """
    level: reactive[tuple[float, float] | None] = reactive(None)

    def render(self) -> RenderResult:
        """The line for the present width."""
        return level_line(self.level, self.content_size.width)
