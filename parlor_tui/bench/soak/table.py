"""The report of a soak for people."""

from __future__ import annotations

from typing import IO

from parlor_tui.bench.report import Spread
from parlor_tui.bench.soak.kinds import KINDS
from parlor_tui.bench.soak.report import Report
from parlor_tui.bench.soak.sampling import Growth


def print_report(report: Report, out: IO[str]) -> None:
    """Write the faults as a table, then the figures, then why it is not well, if it is not."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(file=out)

    def line(text: str) -> None:
        console.print(escape(text), highlight=False, soft_wrap=True)

    line(_headline(report))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("fault", no_wrap=True)
    for name in ("n", "told", "at most", "over", "at most", "late"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in report.faults:
        told, over = _seconds(one.noticed_s), _seconds(one.back_s)
        table.add_row(one.fault, str(one.times), *told, *over, str(one.late or ""))
    if report.faults:
        console.print(table)
    for text in (_said(report), _cores(report), *_memory(report), _latency(report), _left(report)):
        line(text)
    for name, why in report.setup.left_out.items():
        line(f"left out: {KINDS[name].words} ({name}): {why}")
    for text in report.unasked:
        line(f"opened again without a fault: {text}")
    for text in dict.fromkeys(report.errors):
        line(f"told as not done: {text}")
    for reason in report.reasons:
        console.print(f"[red]{escape(reason)}[/]", highlight=False, soft_wrap=True)
    line("all is well" if not report.reasons else "not well")


def _headline(report: Report) -> str:
    setup = report.setup
    loads = [f"{load:.1f}" for load in (setup.load_before, setup.load_after) if load is not None]
    load = f", load {' to '.join(loads)}" if loads else ""
    where = f"{setup.machine}, {setup.cores} cores{load}"
    stopped = "; stopped early" if report.stopped else ""
    told = f"{setup.model}, {setup.devices}, seed {setup.seed}, {where}"
    return f"parlor-tui soak: {setup.took_s / 60:.1f} min of talk with {told}{stopped}"


def _seconds(spread: Spread) -> tuple[str, str]:
    return (f"{spread.p50:.1f} s", f"{spread.max:.1f} s") if spread.n else ("-", "-")


def _said(report: Report) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in report.said.items() if count or name == "lost")
    unsaid = f"; {report.unsaid} turns that nobody spoke" if report.unsaid else ""
    return f"said: {sum(report.said.values())}, of which {counts or 'nothing'}{unsaid}"


def _cores(report: Report) -> str:
    reopened = ", ".join(f"{kind} {count} times" for kind, count in report.reopened.items() if count)
    return (
        f"cores started again: {report.restarts} after a fault, {len(report.unexpected)} without; links made anew: "
        f"{report.links}; told the talk so far: {report.restored} times; opened again: {reopened or 'no device'}"
    )


def _memory(report: Report) -> list[str]:
    memory = report.memory
    cores = ", ".join(f"{mb:.0f}" for mb in memory.cores_mb[:3])
    more = f", ... {memory.cores_mb[-1]:.0f}" if len(memory.cores_mb) > 3 else ""
    return [
        f"memory of the terminal process: {_growth(memory.terminal)}; threads {memory.threads[0]} to "
        f"{memory.threads[1]}, open files {memory.files[0]} to {memory.files[1]}",
        f"memory of the core that lived longest: {_growth(memory.core)}; successive cores at the same age: "
        f"{cores + more or '-'} MB",
    ]


def _growth(growth: Growth) -> str:
    if growth.first_mb is None or growth.last_mb is None:
        return "too short to tell"
    slope = "too short for a slope" if growth.mb_per_hour is None else f"{growth.mb_per_hour:+.1f} MB an hour"
    return f"{growth.first_mb:.0f} to {growth.last_mb:.0f} MB in {growth.seconds / 60:.1f} min ({slope})"


def _latency(report: Report) -> str:
    drift = report.latency_ms
    if drift.first is None or drift.last is None:
        return f"voice to voice of undisturbed turns: too few ({drift.n})"
    slope = "too few for a slope" if drift.per_hour is None else f"{drift.per_hour:+.0f} ms an hour"
    return (
        f"voice to voice of {drift.n} undisturbed turns: median of the first third {drift.first:.0f} ms, of the last "
        f"{drift.last:.0f} ms ({slope})"
    )


def _left(report: Report) -> str:
    return f"left running: {', '.join(report.left_running)}" if report.left_running else "nothing was left running"
