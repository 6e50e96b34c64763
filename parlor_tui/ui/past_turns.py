"""The turns of a talk as lines of the history screen. Pure: turns and a width in, lines out; never reads markup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.content import Content

from parlor_tui.events import TurnStatus
from parlor_tui.observe.history import Figures, History, PastTurn
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE
from parlor_tui.ui.latency import (
    DASH,
    LAST_CELLS,
    NAME_CELLS,
    OVER_STYLE,
    Axis,
    bar,
    ms_text,
    spans,
    sparkline,
    ticks,
)
from parlor_tui.ui.text import clean

Clock = Callable[[float], str]
EMPTY = "No turn is over yet. Talk or type: each turn then stands here, with where its time went."
STATUS_MARKS: dict[TurnStatus, tuple[str, str]] = {
    "interrupted": ("⊘ cut off: ", "$text-error"),
    "failed": ("✗ no reply: ", "$text-error"),
    "joined": ("╭ joined with the next: ", "dim"),
    "no_words": ("", ""),
}
_SHARE_CELLS = 7
_WORDS_CELLS = 20
"""Fewer than these are not worth a column."""


def summary_lines(history: History, width: int) -> list[Content]:
    """Two lines: turns, how many a minute, errors; then what eager replies brought, and tokens a second."""
    counts, turns = history.counts(), len(history.turns)
    rate, errors, tokens = history.turns_per_minute(), history.error_rate(), history.tokens_per_s()
    told = [f"{turns} turn{'' if turns == 1 else 's'}", f"{DASH if rate is None else f'{rate:.1f}'} a minute"]
    told.append(f"errors {DASH if errors is None else f'{errors * 100:.0f} %'}")
    ended = ", ".join(f"{count} {status.replace('no_words', 'without words')}" for status, count in counts.items())
    first = Content.assemble(" · ".join(told), (f" · {ended}" if ended else "", "dim"))
    second = Content.assemble(_eager(history), (" · ", "dim"), _speed(tokens))
    return [first.truncate(width, ellipsis=True), second.truncate(width, ellipsis=True)]


def _eager(history: History) -> Content:
    if (count := history.eager) is None:
        return Content.styled(f"eager {DASH}", "dim")
    used = f"eager {count.hits} of {count.hits + count.dropped} used"
    return Content(f"{used} · {count.saved_ms:.0f} ms saved · {count.wasted_ms:.0f} ms wasted")


def _speed(tokens: Figures | None) -> Content:
    if tokens is None:
        return Content.styled(f"{DASH} tok/s", "dim")
    last = DASH if tokens.last is None else f"{tokens.last:.0f}"
    return Content(f"{last} tok/s, p50 {tokens.p50:.0f}")


def compact_table(history: History, width: int) -> list[Content]:
    """The same in two columns, without the last value and the newest ones, for a low screen."""
    shares = ("p50", "p95", "p99")
    cells = NAME_CELLS + len(shares) * _SHARE_CELLS
    columns = max(min(width // cells, 2), 1)
    heading = Content.styled(f"{'ms':<{NAME_CELLS}}" + "".join(f"{share:>{_SHARE_CELLS}}" for share in shares), "dim")
    entries = []
    for stage in (VOICE_TO_VOICE, *STAGES):
        figures = history.figures(stage, 1)
        values = [ms_text(getattr(figures, share) if figures else None) for share in shares]
        name = (f"{stage:<{NAME_CELLS}}", "bold" if stage == VOICE_TO_VOICE else "")
        entries.append(Content.assemble(name, "".join(f"{value:>{_SHARE_CELLS}}" for value in values)))
    rows = -(-len(entries) // columns)
    gap = Content(" " * (width - columns * cells))
    lines = [gap.join([heading] * columns)] + [gap.join(entries[row::rows]) for row in range(rows)]
    return [line.truncate(width) for line in lines]


def stage_table(history: History, width: int) -> list[Content]:
    """A heading, a line for the whole turn, and one for each stage that ever happened: last, p50, p95, p99, newest."""
    shares = ("last", "p50", "p95", "p99")
    spark = max(width - NAME_CELLS - len(shares) * _SHARE_CELLS - 2, 0)
    heading = f"{'ms':<{NAME_CELLS}}" + "".join(f"{share:>{_SHARE_CELLS}}" for share in shares)
    lines = [Content.styled(f"{heading}{'  newest on the right' if spark > 20 else ''}", "dim").truncate(width)]
    for stage in (VOICE_TO_VOICE, *STAGES):
        figures = history.figures(stage, spark)
        if figures is None and stage != VOICE_TO_VOICE:
            continue
        values = [ms_text(getattr(figures, share) if figures else None) for share in shares]
        drawn = sparkline(figures.recent, spark) if figures else ""
        line = Content.assemble(
            (f"{stage:<{NAME_CELLS}}", "bold" if stage == VOICE_TO_VOICE else ""),
            "".join(f"{value:>{_SHARE_CELLS}}" for value in values),
            (f"  {drawn}", "dim"),
        )
        lines.append(line.truncate(width))
    return lines


@dataclass(frozen=True, slots=True)
class Layout:
    """How a turn is laid out: the axis of its bar, and the cells left for words."""

    axis: Axis
    words: int

    @classmethod
    def of(cls, width: int, full_ms: float, goal_ms: float) -> Layout:
        """The bar gets half of what is left, or all of it where words find no room."""
        left = max(width - NAME_CELLS - LAST_CELLS, 1)
        words = left - max(left * 9 // 20, 1) - 2
        words = words if words >= _WORDS_CELLS else 0
        return cls(Axis(full_ms, goal_ms, left - words - (2 if words else 0)), words)


def axis_line(layout: Layout) -> Content:
    """The axis above the turns."""
    return Content.assemble((f"{'turn':>5} {'time':<8} ", "dim"), ticks(layout.axis))


def turn_line(turn: PastTurn, layout: Layout, clock: Clock, *, marked: bool) -> Content:
    """A turn in one line: number, time, its stages end to end, the whole time, what was said."""
    total_ms = turn.total_ms
    over = total_ms is not None and round(total_ms) > layout.axis.goal_ms
    mark, style = STATUS_MARKS.get(turn.status, ("", ""))
    words = Content.assemble((mark, style), _one_line(turn.said) or Content.styled("(no words)", "dim"))
    return Content.assemble(
        ("❯" if marked else " ", "bold $accent"),
        (f"{turn.turn:>4} ", "bold" if marked else ""),
        (f"{clock(turn.at_s):<8} ", "dim"),
        bar(spans(turn.stages_ms), layout.axis),
        (f"{ms_text(total_ms):>{LAST_CELLS}}", f"bold {OVER_STYLE}" if over else "bold" if marked else ""),
        "  " if layout.words else "",
        words.truncate(layout.words, ellipsis=True) if layout.words else "",
    )


def detail_lines(turn: PastTurn, layout: Layout, width: int) -> list[Content]:
    """The marked turn's waterfall: each stage where it lies on the axis; then the reply, and figures of it."""
    lines = []
    for span in spans(turn.stages_ms):
        took = ms_text(span.end_ms - span.start_ms)
        drawn = bar([span], layout.axis)
        lines.append(Content.assemble((f"{span.stage:>{NAME_CELLS - 1}} ", "dim"), drawn, f"{took:>{LAST_CELLS}}"))
    reply = Content.assemble((f"{'parlor':>{NAME_CELLS - 1}} ", "dim"), _one_line(turn.reply) or DASH)
    told = [f"{turn.output_tokens} tokens"] if turn.output_tokens else []
    if turn.tokens_per_s is not None:
        told.append(f"{turn.tokens_per_s:.0f} tok/s")
    if turn.eager_ms:
        told.append(f"begun {turn.eager_ms:.0f} ms early")
    lines.append(reply.truncate(width, ellipsis=True))
    if told:
        lines.append(Content.styled(f"{'':>{NAME_CELLS}}{' · '.join(told)}", "dim").truncate(width, ellipsis=True))
    return lines


def _one_line(text: str) -> Content:
    return Content(" ".join(clean(text).split()))


@dataclass(frozen=True, slots=True)
class Page:
    """What is in view: `lines`, the turn (0 is the newest) that each is of, and the first one."""

    lines: tuple[Content, ...]
    owners: tuple[int, ...]
    top: int


def page(turns: Sequence[PastTurn], marked: int, top: int, rows: int, width: int, layout: Layout, clock: Clock) -> Page:
    """`turns` (newest first) from `top` on in `rows` lines, moved so that the whole of the `marked` one is in view."""
    details = detail_lines(turns[marked], layout, width)[: max(rows - 1, 0)]
    last_top = marked - (rows - 1 - len(details))
    top = min(max(top, last_top, 0), marked)
    lines: list[Content] = []
    owners: list[int] = []
    for at in range(top, min(top + rows, len(turns))):
        own = [turn_line(turns[at], layout, clock, marked=at == marked), *(details if at == marked else [])]
        lines += own
        owners += [at] * len(own)
    return Page(tuple(lines[:rows]), tuple(owners[:rows]), top)
