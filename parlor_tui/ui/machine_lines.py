"""The machine in words and figures: a panel of lines, or one. Pure: figures and a width in, lines out."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from parlor_tui.events import HOT_C, Reading
from parlor_tui.ui.latency import DASH, SPARKS
from parlor_tui.ui.machine import Machine, share_of

LABEL_CELLS = 6
_HEAT_CELLS = 6
SPARK_CELLS, LONG_SPARK_CELLS = 6, 20
WIDE_CELLS = 44
LONG_ROWS = 12
"""From here on there is room for more sparklines."""
WARNING, ERROR = "bold $text-warning", "bold $text-error"
SEPARATOR = Content.styled(" · ", "dim")


def title(machine: Machine) -> Content:
    """What is in the frame: the GPU's name, where it has one."""
    name = (machine.seen.reading.gpu_name or "").removeprefix("NVIDIA ")
    return Content(f"Machine · {name}" if name else "Machine")


def panel_lines(machine: Machine, width: int, rows: int) -> list[Content]:
    """The figures in at most `rows` lines of `width` cells, the weightiest where there are too many."""
    lines = _long_lines(machine, width) if rows >= LONG_ROWS else _short_lines(machine, width)
    return [line.truncate(width, ellipsis=True) for line in lines[:rows]]


def _short_lines(machine: Machine, width: int) -> list[Content]:
    reading, cells = machine.seen.reading, _spark_cells(width)
    return [
        _row("GPU", spark(machine.busy, cells), _gpu(reading)),
        _row("mem", spark(machine.memory, cells), _memory(machine)),
        _row("CPU", spark(machine.cpu, cells), _cpu(reading)),
        _row("heat", "", heat_words(machine)),
        _row("clock", "", _clock(reading)),
        _row("fan", "", _fan(reading)),
        *_processes(machine),
    ]


def _long_lines(machine: Machine, width: int) -> list[Content]:
    seen, reading, cells = machine.seen, machine.seen.reading, _spark_cells(width)
    most_w = max((value for value in machine.power_w if value is not None), default=0.0)
    shares = [share_of(value, most_w) for value in machine.power_w]
    ram = [] if not seen.own_memory else [_row("RAM", spark(machine.ram, cells), _ram(reading))]
    return [
        _row("GPU", spark(machine.busy, cells), _percent(reading.gpu_busy_percent, 5)),
        _row("mem", spark(machine.memory, cells), _memory(machine)),
        *ram,
        _row("CPU", spark(machine.cpu, cells), _cpu(reading)),
        _row("temp", spark(machine.heat, cells), Content.assemble("GPU ", _celsius(reading.gpu_temperature_c))),
        _row("power", spark(shares, cells), _watts(reading.gpu_power_w)),
        _row("heat", "", heat_words(machine)),
        _row("clock", "", _clock(reading)),
        _row("fan", "", _fan(reading)),
        *_processes(machine),
    ]


def _processes(machine: Machine) -> list[Content]:
    """What the core and the terminal take."""
    children_mb, own = machine.seen.children_mb, _percent(machine.terminal_cpu_percent)
    helpers = Content.assemble(SEPARATOR, "helpers ", _mb(children_mb)) if children_mb else Content("")
    return [
        _row("core", "", Content.assemble(_mb(machine.seen.core_mb), helpers)),
        Content.assemble(("terminal ", "dim"), _mb(machine.terminal_mb), SEPARATOR, own, " of a core"),
    ]


def spark(shares: Sequence[float | None], cells: int) -> str:
    """The newest `cells` shares on a scale from 0 to 1, the newest at the right; blank where one is unknown."""
    steps = [" " if share is None else SPARKS[_step(share)] for share in shares[-cells:]] if cells else []
    return "".join(steps).rjust(cells)


def heat_words(machine: Machine) -> Content:
    """In words how things stand with heat: the worst first."""
    reading, hottest_c = machine.seen.reading, machine.hottest_c
    if reading.throttled:
        return Content.styled(_throttled(reading), ERROR)
    pressure = reading.thermal_pressure or "nominal"
    told = "not throttled" if reading.throttled is False else f"throttling {DASH}"
    if hottest_c is not None and hottest_c >= HOT_C:
        return Content.assemble((f"▲ HOT {hottest_c:.0f} °C", WARNING), f", {told}")
    if pressure != "nominal":
        return Content.assemble((f"▲ {pressure}", WARNING), f", {told}")
    if hottest_c is None and reading.throttled is None:
        return Content.styled(DASH, "dim")
    return Content(f"ok, {told}")


# --- the line ---------------------------------------------------------------------------------------------------------


def machine_line(machine: Machine, width: int) -> Content:
    """The figures in one line, the weightiest first; those that do not fit into `width` cells are left out."""
    reading, seen = machine.seen.reading, machine.seen
    has_fan = (reading.fan_percent, reading.fan_rpm) != (None, None)
    parts = [
        *([Content.styled(_throttled(reading), ERROR)] if reading.throttled else []),
        Content.assemble(("GPU ", "dim"), _gpu_in_line(reading)),
        Content.assemble(("mem ", "dim"), _memory(machine)),
        Content.assemble(("CPU ", "dim"), _joined([_percent(reading.cpu_percent), _known_celsius(reading)])),
        Content.assemble(("core ", "dim"), _mb(seen.core_mb)),
        Content.assemble(("terminal ", "dim"), _mb(machine.terminal_mb)),
        *([Content.assemble(("clock ", "dim"), _clock(reading))] if reading.gpu_clock_mhz is not None else []),
        *([Content.assemble(("fan ", "dim"), _fan(reading))] if has_fan else []),
    ]
    line = parts[0]
    for part in parts[1:]:
        longer = Content.assemble(line, SEPARATOR, part)
        if longer.cell_length <= width:
            line = longer
    return line.truncate(width, ellipsis=True)


# --- figures ----------------------------------------------------------------------------------------------------------


def _row(label: str, drawn: str, value: Content) -> Content:
    """Where nothing is drawn the value takes its place."""
    return Content.assemble((f"{label:<{LABEL_CELLS}}", "dim"), (f"{drawn}  " if drawn.strip() else "", "dim"), value)


def _spark_cells(width: int) -> int:
    return LONG_SPARK_CELLS if width >= WIDE_CELLS else SPARK_CELLS


def _step(share: float) -> int:
    return round(min(max(share, 0.0), 1.0) * (len(SPARKS) - 1))


def _figure(value: float | None, unit: str, cells: int = 0) -> Content:
    if value is None:
        return Content.styled(f"{DASH:<{cells}}", "dim")
    return Content(f"{f'{value:.0f} {unit}':<{cells}}")


def _percent(value: float | None, cells: int = 0) -> Content:
    return _figure(value, "%", cells)


def _watts(value: float | None) -> Content:
    return _figure(value, "W")


def _celsius(value: float | None) -> Content:
    """With a mark when it is hot, so that it can be told without colour."""
    if value is not None and value >= HOT_C:
        return Content.styled(f"{value:.0f} °C!", WARNING)
    return _figure(value, "°C")


def _mb(value_mb: float | None) -> Content:
    if value_mb is None:
        return Content.styled(DASH, "dim")
    return Content(f"{value_mb:.0f} MB" if value_mb < 999.5 else f"{value_mb / 1000:.1f} GB")


def _memory(machine: Machine) -> Content:
    """What is in use of the memory that models are loaded into, and the budget."""
    used, budget = (DASH if mb is None else f"{mb / 1000:.1f}" for mb in (machine.seen.used_mb, machine.seen.budget_mb))
    if used == budget == DASH:
        return Content.styled(DASH, "dim")
    if machine.over_budget:
        return Content.styled(f"{used}/{budget} GB!", WARNING)
    return Content(f"{used}/{budget} GB")


def _ram(reading: Reading) -> Content:
    if reading.ram_used_mb is None or reading.ram_total_mb is None:
        return Content.styled(DASH, "dim")
    return Content(f"{reading.ram_used_mb / 1000:.1f} of {reading.ram_total_mb / 1000:.1f} GB")


def _gpu(reading: Reading) -> Content:
    """In columns; one dash if nothing is known."""
    if not _gpu_figures(reading):
        return Content.styled(DASH, "dim")
    heat = _celsius(reading.gpu_temperature_c)
    padded = Content.assemble(heat, " " * (_HEAT_CELLS - heat.cell_length))
    return _joined([_percent(reading.gpu_busy_percent, 5), padded, _watts(reading.gpu_power_w)])


def _gpu_in_line(reading: Reading) -> Content:
    """What is known alone."""
    return _joined(_gpu_figures(reading)) if _gpu_figures(reading) else Content.styled(DASH, "dim")


def _gpu_figures(reading: Reading) -> list[Content]:
    known = (reading.gpu_busy_percent, reading.gpu_temperature_c, reading.gpu_power_w)
    figures = (_percent(known[0]), _celsius(known[1]), _watts(known[2]))
    return [figure for value, figure in zip(known, figures, strict=True) if value is not None]


def _cpu(reading: Reading) -> Content:
    return _joined([_percent(reading.cpu_percent, 5), _celsius(reading.cpu_temperature_c)])


def _known_celsius(reading: Reading) -> Content:
    return Content("") if reading.cpu_temperature_c is None else _celsius(reading.cpu_temperature_c)


def _clock(reading: Reading) -> Content:
    if reading.gpu_clock_mhz is None:
        return Content.styled(DASH, "dim")
    most = reading.gpu_clock_max_mhz
    return Content(f"{reading.gpu_clock_mhz:.0f}{f' of {most:.0f}' if most is not None else ''} MHz")


def _fan(reading: Reading) -> Content:
    known = [(reading.fan_percent, "%"), (reading.fan_rpm, "rpm")]
    figures = [_figure(value, unit) for value, unit in known if value is not None]
    return SEPARATOR.join(figures) if figures else Content.styled(DASH, "dim")


def _throttled(reading: Reading) -> str:
    return f"✗ THROTTLED: {reading.throttle_reason}" if reading.throttle_reason else "✗ THROTTLED"


def _joined(figures: Sequence[Content]) -> Content:
    return Content(" ").join(figure for figure in figures if figure.plain)
