"""F3: where the time of every turn went, and what the talk as a whole took."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from parlor_tui.observe.history import History, PastTurn
from parlor_tui.ui.actions import BY_ID
from parlor_tui.ui.latency import settled_scale_ms
from parlor_tui.ui.past_turns import (
    EMPTY,
    Clock,
    Layout,
    Page,
    axis_line,
    compact_table,
    page,
    stage_table,
    summary_lines,
)
from parlor_tui.ui.screens.over import OverScreen
from parlor_tui.ui.widgets.last_turn import FEW_ROWS


class PastTurns(Widget, can_focus=True):
    """Turns, newest first, the marked one opened. The mark stays at its turn when new ones come, or at the newest."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "newer", show=False),
        Binding("down", "move(1)", "older", show=False),
        Binding("pageup", "page(-1)", "page of newer", show=False),
        Binding("pagedown", "page(1)", "page of older", show=False),
        Binding("home", "move(-100000)", "newest", show=False),
        Binding("end", "move(100000)", "oldest", show=False),
    ]
    marked: reactive[int] = reactive(0)

    def __init__(self, history: History, goal_ms: float, clock: Clock) -> None:
        super().__init__()
        self._history = history
        self._goal_ms = goal_ms
        self._clock = clock
        self._turns: list[PastTurn] = []
        self._full_ms = 0.0
        self._page = Page((), (), 0)

    def on_mount(self) -> None:
        """Begin at the newest turn."""
        self.history_changed()

    def history_changed(self) -> None:
        """Draw anew if there is another turn."""
        turns = list(reversed(self._history.turns))
        if turns and self._turns and turns[0] is self._turns[0]:
            return
        kept = self._turns[self.marked] if self.marked and self.marked < len(self._turns) else None
        self._turns = turns
        self.marked = next((at for at, turn in enumerate(turns) if turn is kept), 0)
        totals_ms = [turn.total_ms for turn in reversed(turns) if turn.total_ms is not None]
        self._full_ms = settled_scale_ms(self._full_ms, totals_ms, self._goal_ms)
        self.refresh()

    def validate_marked(self, marked: int) -> int:
        """Stay within the turns."""
        return min(max(marked, 0), max(len(self._turns) - 1, 0))

    def action_move(self, by: int) -> None:
        """Mark another turn."""
        self.marked += by

    def action_page(self, by: int) -> None:
        """Mark a turn one page on."""
        shown = len(set(self._page.owners))
        self.marked += by * max(shown - 1, 1)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Older."""
        event.stop()
        self.marked += 1

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Newer."""
        event.stop()
        self.marked -= 1

    def on_click(self, event: Click) -> None:
        """Open the turn under the mouse."""
        row = event.y - 1
        if 0 <= row < len(self._page.owners):
            self.marked = self._page.owners[row]

    def render(self) -> RenderResult:
        """The axis, and the turns that fit below it."""
        width, height = self.content_size
        if not self._turns:
            return Content.styled(EMPTY, "dim")
        layout = Layout.of(width, self._full_ms, self._goal_ms)
        self._page = page(self._turns, self.marked, self._page.top, max(height - 1, 1), width, layout, self._clock)
        return Content("\n").join([axis_line(layout), *self._page.lines])


class HistoryScreen(OverScreen[None]):
    """Figures of the talk and its turns; Esc or its own key closes it, and the talk goes on meanwhile."""

    DEFAULT_CSS = """
    HistoryScreen { background: $background; }
    HistoryScreen > Vertical {
        width: 100%; height: 100%; padding: 0 1; background: $background;
        border: round $primary; border-title-color: $text; border-subtitle-color: $text-muted;
    }
    HistoryScreen Static { height: auto; }
    HistoryScreen #past-stages { margin-top: 1; max-height: 50%; }
    HistoryScreen PastTurns { height: 1fr; margin-top: 1; }
    HistoryScreen.-low #past-stages, HistoryScreen.-low PastTurns { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close", show=False),
        Binding(BY_ID["history"].keys, "dismiss", "close", show=False, id="history"),
    ]

    def __init__(self, history: History, goal_ms: float, clock: Clock) -> None:
        super().__init__()
        self._history = history
        self._past = PastTurns(history, goal_ms, clock)

    def compose(self) -> ComposeResult:
        """Figures of the talk, of each stage, then the turns."""
        with Vertical() as frame:
            frame.border_title = "History"
            frame.border_subtitle = "esc closes · ↑ ↓ pgup pgdn: turns"
            yield Static(id="past-summary")
            yield Static(id="past-stages")
            yield self._past

    def on_mount(self) -> None:
        """The keys move through the turns at once."""
        self._past.focus()
        self.call_after_refresh(self.history_changed)

    def on_resize(self) -> None:
        """Lay the figures out for another width."""
        self.call_after_refresh(self.history_changed)

    def history_changed(self) -> None:
        """Bring everything up to date."""
        self._past.history_changed()
        width = self._past.content_size.width
        if not width:
            return
        self.query_one("#past-summary", Static).update(Content("\n").join(summary_lines(self._history, width)))
        table = compact_table if self.app.size.height < FEW_ROWS else stage_table
        self.query_one("#past-stages", Static).update(Content("\n").join(table(self._history, width)))
