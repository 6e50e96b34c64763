"""Where the time of turns went, drawn on one axis. Pure: turns and a width in, lines out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.content import Content

from parlor_tui.observe.history import Figures, quantile
from parlor_tui.observe.stages import STAGES

DASH = "\N{EN DASH}"
SPARKS = "▁▂▃▄▅▆▇█"
SHADES = "█▓▒░█▓▒"
"""One for each stage, so that neighbours can be told apart without colour."""
OVER_SHADES = "▚▞"
"""In place of them behind the goal, for stages in turn."""
OVER_STYLE = "$error"
GOAL, GOAL_IN_BAR, CLIPPED, SLIVER = "┆", "┃", "»", "▏"
NAME_CELLS = max(map(len, STAGES)) + 1
LAST_CELLS = 6
SHARE_CELLS = 11
NEWEST_SCALED = 20
"""So many of the newest turns decide how long the axis is."""
_SCALED_SHARE = 0.9
"""The axis holds so many of them; one that is longer is cut, with a mark."""
_GOALS = (1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_SHRINKS_BELOW = 0.4


@dataclass(frozen=True, slots=True)
class Axis:
    """Time from 0 to `full_ms` in `cells`, with the goal marked."""

    full_ms: float
    goal_ms: float
    cells: int

    @property
    def goal_cell(self) -> int:
        """The cell that holds the goal's mark."""
        return min(self.cell(self.goal_ms), self.cells - 1)

    def cell(self, at_ms: float) -> int:
        """Where `at_ms` lies, from 0 to `cells`."""
        return min(max(round(at_ms / self.full_ms * self.cells), 0), self.cells)


@dataclass(frozen=True, slots=True)
class Span:
    """One stage between two times of its turn, in ms."""

    stage: str
    start_ms: float
    end_ms: float


def settled_scale_ms(now_ms: float, totals_ms: Sequence[float], goal_ms: float) -> float:
    """How long the axis is, after the newest of `totals_ms` (oldest first) while it is `now_ms` (0: not drawn yet).

    It grows in steps, and shrinks only once the turns have become much shorter: the bars of one turn and the next can
    be compared.
    """
    newest = totals_ms[-NEWEST_SCALED:]
    needed_ms = quantile(newest, _SCALED_SHARE) if newest else 0.0
    wanted_ms = next((goal_ms * step for step in _GOALS if goal_ms * step >= needed_ms), goal_ms * _GOALS[-1])
    return now_ms if wanted_ms < now_ms and needed_ms > now_ms * _SHRINKS_BELOW else wanted_ms


def spans(stages_ms: Mapping[str, float]) -> list[Span]:
    """The stages end to end, in the order in which they happened."""
    placed, at_ms = [], 0.0
    for stage, took_ms in stages_ms.items():
        if stage in STAGES:
            end_ms = at_ms + max(took_ms, 0.0)
            placed.append(Span(stage, at_ms, end_ms))
            at_ms = end_ms
    return placed


def bar(placed: Sequence[Span], axis: Axis) -> Content:
    """`placed` on the axis, in its cells; what lies behind the goal looks different, with colour and without."""
    cells: list[tuple[str, str]] = [(" ", "")] * axis.cells
    end_ms = 0.0
    for span in placed:
        index = STAGES.index(span.stage)
        start, end = axis.cell(span.start_ms), axis.cell(span.end_ms)
        end_ms = max(end_ms, span.end_ms)
        for at in range(start, end):
            over = at >= axis.goal_cell and span.end_ms > axis.goal_ms
            cells[at] = (OVER_SHADES[index % 2], OVER_STYLE) if over else (SHADES[index], stage_colour(index))
        if start == end < axis.cells and span.end_ms > span.start_ms and cells[start][0] == " ":
            cells[start] = (SLIVER, OVER_STYLE if span.end_ms > axis.goal_ms else stage_colour(index))
    if axis.cells and end_ms > axis.full_ms * 1.001:
        cells[-1] = (CLIPPED, f"bold {OVER_STYLE}")
    if axis.cells > 1:
        at = axis.goal_cell
        crossed = any(axis.cell(span.start_ms) <= at < axis.cell(span.end_ms) for span in placed)
        cells[at] = (GOAL_IN_BAR, "bold $foreground") if crossed else (GOAL, "dim")
    return Content.assemble(
        *(("".join(char for char, _ in run), style) for style, run in groupby(cells, key=lambda cell: cell[1]))
    )


def ticks(axis: Axis) -> Content:
    """What the axis means: its ends and the goal, below the bars."""
    full, goal = f"{axis.full_ms:.0f} ms", f"{GOAL} {axis.goal_ms:.0f}"
    line = "0"
    if 0 < axis.goal_cell <= axis.cells - len(goal):
        line = f"{line:<{axis.goal_cell}}{goal}"
    if len(line) + 1 + len(full) <= axis.cells:
        line += f"{full:>{axis.cells - len(line)}}"
    return Content.styled(f"{line:<{axis.cells}}"[: axis.cells], "dim")


def stage_colour(index: int) -> str:
    """The style of a stage's bar: two in turn, so that neighbours can be told apart."""
    return "$stage-even" if index % 2 == 0 else "$stage-odd"


def sparkline(values: Sequence[float], cells: int) -> str:
    """The newest `cells` values, oldest first, padded to `cells`. The middle one of all is at most half as high as can
    be, so that what stands out does.
    """
    if not values:
        return " " * cells
    full = max(2 * quantile(values, 0.5), quantile(values, 0.9), 1e-9)
    steps = [min(max(round(value / full * len(SPARKS)), 1), len(SPARKS)) for value in values[-cells:]]
    return "".join(SPARKS[step - 1] for step in steps).ljust(cells) if cells > 0 else ""


def ms_text(value_ms: float | None) -> str:
    """Whole ms in at most five cells; a dash for none, seconds for what would be longer."""
    if value_ms is None:
        return DASH
    return f"{value_ms:.0f}" if value_ms < 99_999.5 else f"{value_ms / 1000:.0f}s"


@dataclass(frozen=True, slots=True)
class Columns:
    """How a line for one stage is laid out in `width` cells: name, bar, its last value, and what there is room for."""

    name: int
    bar: int
    last: int
    shares: tuple[str, ...]
    spark: int

    @classmethod
    def of(cls, width: int) -> Columns:
        """The fullest that leaves the bar room."""
        shares = ("p50", "p95", "p99") if width >= 110 else ("p50", "p95") if width >= 58 else ()
        spark = 30 if width >= 150 else 16 if width >= 110 else 10 if width >= 84 else 8 if width >= 70 else 0
        taken = NAME_CELLS + LAST_CELLS + len(shares) * SHARE_CELLS + (spark + 2 if spark else 0)
        return cls(NAME_CELLS, max(width - taken, 1), LAST_CELLS, shares, spark)

    def line(self, name: str, drawn: Content, figures: Figures | None, *, bold: bool = False) -> Content:
        """One line; `drawn` fills the bar's cells."""
        last = figures.last if figures is not None else None
        look = "bold" if bold else "" if last is not None else "dim"
        parts: list[Content | tuple[str, str]] = [
            (f"{name:<{self.name}}", look),
            drawn,
            (f"{ms_text(last):>{self.last}}", look),
        ]
        for share in self.shares:
            value = ms_text(getattr(figures, share)) if figures is not None else DASH
            parts += [(f"  {share} ", "dim"), (f"{value:>{SHARE_CELLS - 6}}", "" if figures is not None else "dim")]
        if self.spark:
            shown = sparkline(figures.recent, self.spark) if figures is not None else " " * self.spark
            parts.append((f"  {shown}", "dim"))
        return Content.assemble(*parts)


def total_text(total_ms: float | None, goal_ms: float) -> Content:
    """The whole time and the goal; a mark between them says that it was missed."""
    whole = f"{total_ms:.0f} ms" if total_ms is not None else DASH
    over = total_ms is not None and round(total_ms) > goal_ms
    mark = ("▲", f"bold {OVER_STYLE}") if over else ("·", "")
    return Content.assemble(f"voice to voice {whole} ", mark, f" goal {goal_ms:.0f}")


def legend(stages_ms: Mapping[str, float], tokens_per_s: float | None, width: int) -> Content:
    """Each stage with its ms, and on the right how fast the model writes, in `width` cells.

    Where that is too long, `first_` goes, then what did not happen, then a blank between, then the tokens a second.
    """
    named = [(name, stages_ms.get(name)) for name in STAGES]
    short = [(name.removeprefix("first_"), value) for name, value in named]
    present = [(name, value) for name, value in short if value is not None] or short
    speed = f" {tokens_per_s:.0f} tok/s" if tokens_per_s is not None else ""
    for choice, blank in ((named, "  "), (short, "  "), (present, "  "), (present, " ")):
        content = _named(choice, blank)
        if content.cell_length + len(speed) <= width:
            return Content.assemble(content, " " * (width - content.cell_length - len(speed)), (speed, "dim"))
    content = _named(present, "  ")
    return (content if content.cell_length <= width else _named(present, " ")).truncate(width, ellipsis=True)


def _named(values_ms: Sequence[tuple[str, float | None]], blank: str) -> Content:
    return Content(blank).join(
        Content.assemble((f"{name} ", "dim"), (ms_text(value), "" if value is not None else "dim"))
        for name, value in values_ms
    )
