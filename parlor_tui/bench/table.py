"""A report as a table for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import IO

from parlor_tui.bench.report import Measure, Report, Source

_MET = {True: ("met", "green"), False: ("missed", "red"), None: ("", "")}
_MARKS: Mapping[Source, str] = {"sound": "", "events": " *", "both": " *"}
SOURCES = (
    "*: told by the assistant's own events, wholly or in part; everything else is read off the recordings of both sides"
)


def print_table(report: Report, out: IO[str]) -> None:
    """Write every figure with its target and what it is read off, then the notes."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    table.add_column("")
    for name in ("n", "p50", "p90", "max"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("target", ""):
        table.add_column(name, no_wrap=True)
    scenario = ""
    for measure in report.measures:
        if scenario and measure.scenario != scenario:
            table.add_section()
        scenario = measure.scenario
        word, colour = _MET[measure.met]
        target = measure.target.words(measure.unit) if measure.target else ""
        mark = f"[{colour}]{word}[/]" if word else ""
        label = measure.label + _MARKS[measure.source]
        table.add_row(escape(label), *_cells(measure), escape(target), mark)
        if measure.note:
            table.add_row(f"[dim]    ({escape(measure.note)})[/]")
    console = Console(file=out)
    console.print(escape(headline(report)), highlight=False)
    console.print(table)
    if any(_MARKS[measure.source] for measure in report.measures):
        console.print(f"\n{SOURCES}", highlight=False)
    for note in report.notes:
        console.print(escape(note), highlight=False)


def headline(report: Report) -> str:
    """What was measured, in one line."""
    setup = report.setup
    told = [setup.model, f"hearing: {setup.hearing}", "a picture in every turn" if setup.camera else "no camera"]
    told.append("stand-in room" if setup.devices == "room" else "rig")
    told.append(f"{setup.machine}, {setup.cores} cores")
    head = f"{'SIMULATED ' if setup.simulated else ''}parlor-tui bench: {', '.join(told)}"
    return f"{head}; stopped early" if report.stopped else head


def _cells(measure: Measure) -> tuple[str, str, str, str]:
    """n, p50 with its unit, p90 and max; of a single value n and the value."""
    if measure.spread is not None:
        spread = measure.spread
        p90, most = (_number(value, "count") for value in (spread.p90, spread.max))
        return (str(spread.n), _number(spread.p50, measure.unit), p90, most)
    count = str(measure.of) if measure.of else ""
    return (count, _number(measure.value if measure.value is not None else math.nan, measure.unit), "", "")


def _number(value: float, unit: str) -> str:
    if math.isnan(value):
        return "-"
    if unit == "per min":
        return f"{value:.2f}"
    return f"{value:,.0f}{'' if unit == 'count' else ' ' + unit}"
