"""Where the time of a turn went, as lines: one axis, its goal, and what stands out."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.events import EagerCount, TurnDone
from parlor_tui.observe.history import History
from parlor_tui.observe.stages import STAGES
from parlor_tui.ui.latency import (
    CLIPPED,
    GOAL,
    GOAL_IN_BAR,
    OVER_SHADES,
    SHADES,
    SPARKS,
    Axis,
    Columns,
    bar,
    legend,
    ms_text,
    settled_scale_ms,
    spans,
    sparkline,
    ticks,
    total_text,
)
from parlor_tui.ui.widgets.last_turn import EARLIER, STAGE_ROWS, LastView, panel_lines, short_lines, subtitle, title
from tests.ui.stand_in import STAGES_MS, done

GOAL_MS = 800
ANY_STAGES = st.dictionaries(st.sampled_from([*STAGES, "voice_to_voice"]), st.floats(0, 1e6))


def view(*turns: dict[str, float], goal_ms: float = GOAL_MS, **more: float) -> LastView:
    history = History()
    shown = LastView(goal_ms)
    for number, stages_ms in enumerate(turns):
        (over,) = [event for event in done(turn=number) if isinstance(event, TurnDone)]
        history.apply(replace(over, stages_ms=stages_ms, **more))
        shown = shown.after(history, goal_ms)
    return shown


def quick(factor: float = 0.5) -> dict[str, float]:
    return {name: value * factor for name, value in STAGES_MS.items()}


def test_every_part_lies_where_it_happened_on_one_axis() -> None:
    lines = [line.plain for line in panel_lines(view(quick()), 76, STAGE_ROWS)]
    assert [line.split()[0] for line in lines] == ["all", *STAGES]
    columns = Columns.of(76)
    bars = [line[columns.name : columns.name + columns.bar] for line in lines]
    whole, parts = bars[0], bars[1:]
    for cell in range(columns.bar):
        drawn = {part[cell] for part in parts} - {" ", "▏"}
        assert whole[cell] in drawn or whole[cell] in " ▏"
    assert {part.find(GOAL) for part in parts} == {whole.find(GOAL)}, "one goal line through all of them"
    assert lines[1].endswith("306  p50   306  p95   306  ▄       ")
    assert lines[3].split()[1:4] == [GOAL, "\N{EN DASH}", "p50"]


def test_what_lies_behind_the_goal_looks_different_in_shade_and_colour() -> None:
    axis = Axis(1600.0, 800.0, 40)
    drawn = bar(spans(STAGES_MS), axis)
    assert drawn.plain[:20].strip(SHADES) == ""
    assert drawn.plain[20] == GOAL_IN_BAR
    behind = drawn.plain[21:].rstrip()
    assert behind
    assert behind.strip(OVER_SHADES + "▏") == ""
    styles = {str(span.style) for span in drawn.spans if span.start > 20 and span.end <= 21 + len(behind)}
    assert styles == {"$error"}
    within = bar(spans(quick()), axis)
    assert not set(within.plain) & set(OVER_SHADES)
    assert within.plain[20] == GOAL


def test_neighbours_can_be_told_apart_without_colour() -> None:
    assert all(one != other for one, other in pairwise(SHADES))
    assert len(SHADES) == len(STAGES)


def test_a_turn_longer_than_the_axis_is_cut_with_a_mark_and_a_tiny_part_is_seen() -> None:
    drawn = bar(spans({"endpoint": 500.0, "first_audio": 5000.0}), Axis(1200.0, 800.0, 24)).plain
    assert len(drawn) == 24
    assert drawn.endswith(CLIPPED)
    assert "▏" in bar(spans({"playout": 0.5}), Axis(1200.0, 800.0, 24)).plain


def test_the_axis_holds_still_from_turn_to_turn() -> None:
    full_ms, seen = 0.0, []
    totals = [700.0, 780.0, 650.0, 1100.0, 720.0, 810.0, 690.0, 740.0, 760.0, 700.0, 720.0, 3900.0, 700.0, 710.0]
    for count in range(1, len(totals) + 1):
        full_ms = settled_scale_ms(full_ms, totals[:count], GOAL_MS)
        seen.append(full_ms)
    assert seen == [1200.0] * len(totals), "neither usual turns nor a single long one move it"


def test_the_axis_grows_at_once_and_shrinks_only_when_turns_are_much_shorter() -> None:
    assert settled_scale_ms(0.0, [], GOAL_MS) == 1200.0
    assert settled_scale_ms(1200.0, [2500.0], GOAL_MS) == 3200.0
    assert settled_scale_ms(3200.0, [1500.0] * 20, GOAL_MS) == 3200.0
    assert settled_scale_ms(3200.0, [700.0] * 20, GOAL_MS) == 1200.0


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
@given(st.lists(st.floats(0, 1e7), max_size=40), st.floats(100, 10_000), st.floats(0, 1e6))
def test_any_turns_have_an_axis_with_the_goal_on_it(totals: list[float], goal_ms: float, now_ms: float) -> None:
    assert settled_scale_ms(now_ms, totals, goal_ms) >= goal_ms * 1.5 or now_ms >= goal_ms


@settings(deadline=None, max_examples=60)  # a busy machine may stop for longer than a line takes
@given(ANY_STAGES, st.integers(1, 220), st.integers(1, 20))
def test_the_panel_and_the_short_form_fit_any_times_and_width(stages: dict[str, float], width: int, rows: int) -> None:
    shown = view(stages, quick(), stages)
    lines = panel_lines(shown, width, rows)
    assert len(lines) <= rows
    if width >= 30:
        assert {line.cell_length for line in lines[:STAGE_ROWS]} == {width}
        assert all(line.cell_length <= width for line in lines)
    short = short_lines(shown, width)
    assert len(short) == 2
    assert all(line.cell_length <= width for line in short)


def test_a_wide_panel_tells_more() -> None:
    shown = view(*(quick(0.4 + 0.01 * at) for at in range(12)))
    narrow, wide = (panel_lines(shown, width, 20) for width in (76, 190))
    assert "p99" in wide[0].plain
    assert "p99" not in narrow[0].plain
    sparks = [sum(char in SPARKS for char in lines[1].plain.rsplit("p95")[-1]) for lines in (narrow, wide)]
    assert sparks == [8, 12]
    below = [line.plain.split()[0] for line in wide[STAGE_ROWS + 1 :]]
    assert len(below) == EARLIER
    assert "1200 ms" in wide[STAGE_ROWS].plain


def test_titles_tell_the_whole_time_the_goal_and_what_was_begun_early() -> None:
    assert title(LastView()).plain == "Last turn · voice to voice \N{EN DASH} · goal 800"
    assert subtitle(LastView(), "f3").plain == "\N{EN DASH} tok/s · f3 history"
    late = view(STAGES_MS, eager_ms=352.4, writing_ms=200.0)
    assert title(late).plain == "Last turn 0 · voice to voice 1259 ms ▲ goal 800 · begun 352 ms early"
    count = EagerCount(at_s=1.0, hits=12, dropped=2, saved_ms=1.0, wasted_ms=1.0)
    history = History(eager=count)
    for event in done():
        history.apply(event)
    assert subtitle(late.after(history, GOAL_MS), "f3").plain == "\N{EN DASH} tok/s · eager 12/14 hits · f3 history"
    assert subtitle(late, "").plain == "80 tok/s"
    assert total_text(800.4, 800).plain == "voice to voice 800 ms · goal 800"


def test_the_short_form_has_the_bar_the_total_every_stage_and_the_speed() -> None:
    head, names = (line.plain for line in short_lines(view(quick(), writing_ms=200.0), 78))
    assert head.startswith("last turn ███")
    assert GOAL in head
    assert head.endswith(" voice to voice 630 ms · goal 800")
    assert names == "endpoint 306  hear 72  token 44  sentence 60  audio 127  playout 20   80 tok/s"
    assert legend(STAGES_MS, None, 78).plain.split()[:2] == ["endpoint", "612"]
    assert len(legend(STAGES_MS, 83.0, 30).plain) <= 30


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
@given(st.floats(200, 10_000), st.floats(1.5, 60), st.integers(1, 120))
def test_the_ticks_stand_where_the_axis_has_them(goal_ms: float, goals: float, cells: int) -> None:
    axis = Axis(goal_ms * goals, goal_ms, cells)
    line = ticks(axis).plain
    assert len(line) == cells
    assert GOAL not in line or line.index(GOAL) == axis.goal_cell


@pytest.mark.parametrize(("value", "text"), [(None, "\N{EN DASH}"), (0.4, "0"), (99_999.4, "99999"), (1e6, "1000s")])
def test_numbers_keep_to_their_column(value: float | None, text: str) -> None:
    assert ms_text(value) == text


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
@given(st.lists(st.floats(0, 1e6), max_size=60), st.integers(0, 50))
def test_a_sparkline_has_its_cells_and_the_highest_value_is_the_highest(values: list[float], cells: int) -> None:
    drawn = sparkline(values, cells)
    assert len(drawn) == cells
    shown = values[-cells:] if cells else []
    if shown:
        assert SPARKS.index(drawn[shown.index(max(shown))]) == max(SPARKS.index(char) for char in drawn.rstrip())
