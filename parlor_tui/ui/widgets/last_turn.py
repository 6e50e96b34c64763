"""Where the time of the last turn went, and how that compares with the turns before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.events import EagerCount
from parlor_tui.observe.history import Figures, History, PastTurn
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE
from parlor_tui.ui.latency import (
    DASH,
    Axis,
    Columns,
    bar,
    legend,
    ms_text,
    settled_scale_ms,
    spans,
    ticks,
    total_text,
)

__all__ = ["DASH", "LastTurn", "LastView", "panel_lines", "short_lines"]

SHORT_ROWS = 2
STAGE_ROWS = 1 + len(STAGES)
EARLIER = 4
FEW_ROWS, MANY_ROWS = 30, 50
"""Rows of the terminal from which every stage has a line, and from which earlier turns are drawn as well."""
RECENT = 40
"""Values of each stage that a sparkline may show."""


@dataclass(frozen=True, slots=True)
class LastView:
    """What the panel shows. `full_ms` is the length of its axis; `earlier` are the turns before, newest first."""

    goal_ms: float = 800.0
    full_ms: float = 1200.0
    turn: PastTurn | None = None
    total: Figures | None = None
    stages: Mapping[str, Figures] = field(default_factory=dict)
    tokens_per_s: float | None = None
    eager: EagerCount | None = None
    earlier: tuple[PastTurn, ...] = ()

    def after(self, history: History, goal_ms: float) -> LastView:
        """The same once `history` has changed, or the goal."""
        totals_ms = [turn.total_ms for turn in history.turns if turn.total_ms is not None]
        found = {name: history.figures(name, RECENT) for name in STAGES}
        drawn = [turn for turn in history.turns if turn.stages_ms and turn.status != "joined"]
        return LastView(
            goal_ms,
            settled_scale_ms(self.full_ms if goal_ms == self.goal_ms else 0.0, totals_ms, goal_ms),
            history.last,
            history.figures(VOICE_TO_VOICE, RECENT),
            {name: figures for name, figures in found.items() if figures is not None},
            history.last.tokens_per_s if history.last is not None else None,
            history.eager,
            tuple(reversed(drawn[-EARLIER - 1 : -1])),
        )


def panel_lines(view: LastView, width: int, rows: int) -> list[Content]:
    """The turn end to end, then each stage where it lies on the same axis; below it, what fits into `rows`."""
    columns = Columns.of(width)
    axis = Axis(view.full_ms, view.goal_ms, columns.bar)
    placed = spans(view.turn.stages_ms) if view.turn is not None else []
    lines = [columns.line("all", bar(placed, axis), view.total, bold=True)]
    for name in STAGES:
        own = [span for span in placed if span.stage == name]
        lines.append(columns.line(name, bar(own, axis), view.stages.get(name)))
    if len(lines) < rows:
        lines.append(Content.assemble(" " * columns.name, ticks(axis)))
    for turn in view.earlier:
        drawn = bar(spans(turn.stages_ms), axis)
        number = f"{f'turn {turn.turn}':<{columns.name}}"
        lines.append(Content.assemble((number, "dim"), drawn, (f"{ms_text(turn.total_ms):>{columns.last}}", "dim")))
    return lines[:rows]


def short_lines(view: LastView, width: int) -> list[Content]:
    """Two lines: the turn end to end with the whole time, and its stages in ms with the tokens a second."""
    stages_ms = view.turn.stages_ms if view.turn is not None else {}
    total = total_text(stages_ms.get(VOICE_TO_VOICE), view.goal_ms)
    head = "last turn " if width >= 60 else ""
    if width - len(head) - total.cell_length - 1 < 8:
        total = Content(f"{ms_text(stages_ms.get(VOICE_TO_VOICE))} ms")
    cells = max(width - len(head) - total.cell_length - 1, 0)
    drawn = bar(spans(stages_ms), Axis(view.full_ms, view.goal_ms, cells))
    return [
        Content.assemble((head, "dim"), drawn, " ", total).truncate(width),
        legend(stages_ms, view.tokens_per_s, width),
    ]


def title(view: LastView) -> Content:
    """The frame's upper edge: which turn, its whole time, and what a reply that was begun early saved."""
    number = f" {view.turn.turn}" if view.turn is not None else ""
    total = total_text(view.turn.total_ms if view.turn is not None else None, view.goal_ms)
    early = f" · begun {view.turn.eager_ms:.0f} ms early" if view.turn is not None and view.turn.eager_ms else ""
    return Content.assemble(f"Last turn{number} · ", total, early)


def subtitle(view: LastView, key: str) -> Content:
    """The lower edge: tokens a second, eager hits, and the key that tells more, if there is one."""
    parts = [f"{view.tokens_per_s:.0f} tok/s" if view.tokens_per_s is not None else f"{DASH} tok/s"]
    if view.eager is not None:
        parts.append(f"eager {view.eager.hits}/{view.eager.hits + view.eager.dropped} hits")
    if key:
        parts.append(f"{key} history")
    return Content(" · ".join(parts))


class LastTurn(Widget):
    """Draws `view`: two lines where the screen is low, a line for each stage elsewhere. `key` opens the history."""

    view: reactive[LastView] = reactive(LastView())

    def __init__(self, view: LastView, key: str) -> None:
        super().__init__()
        self._key = key
        self.set_reactive(LastTurn.view, view)

    def on_mount(self) -> None:
        """Begin with an empty axis."""
        self.watch_view(self.view)

    def watch_view(self, view: LastView) -> None:
        """Another turn, or another goal."""
        self.border_title, self.border_subtitle = title(view), subtitle(view, self._key)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as the height of the terminal allows."""
        del container, width
        if viewport.height < FEW_ROWS:
            return SHORT_ROWS
        return STAGE_ROWS + (1 + EARLIER if viewport.height >= MANY_ROWS else 0)

    def render(self) -> RenderResult:
        """The panel, or the short form where that does not fit."""
        width, height = self.content_size
        lines = short_lines(self.view, width) if height < STAGE_ROWS else panel_lines(self.view, width, height)
        return Content("\n").join(lines)
