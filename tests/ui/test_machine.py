"""The machine on the screen: what is told of it, in which words and marks, at every size."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from parlor_tui.events import CoreFound, Event, MachineRead, MachineSeen, MicLevel, Reading
from parlor_tui.ui import cockpit, themes
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.machine import KEPT, Machine
from parlor_tui.ui.machine_lines import LONG_ROWS, heat_words, machine_line, panel_lines, spark, title
from parlor_tui.ui.theme_watch import ThemeFolders
from parlor_tui.ui.widgets.last_turn import LastTurn
from parlor_tui.ui.widgets.machine import MachinePanel
from tests.ui import machines, stand_in

SIZES = [(80, 24), (120, 40), (200, 60)]
size_names = ["80x24", "120x40", "200x60"]


def shown(reading: Reading, **own: Any) -> Machine:
    return Machine().after(machines.seen(reading, **own))


def text(lines: list[Content]) -> str:
    return "\n".join(line.plain for line in lines)


# --- what is told -----------------------------------------------------------------------------------------------------


def test_the_line_of_a_low_screen_has_the_weightiest_figures() -> None:
    assert machine_line(shown(machines.HOST), 58).plain == "GPU – · mem 1.2/7.8 GB · CPU 23 % · core 816 MB"
    known = machine_line(shown(machines.NVIDIA), 78).plain
    assert known == "GPU 71 % 61 °C 118 W · mem 5.1/8.4 GB · CPU 23 % 54 °C · core 816 MB"
    assert machine_line(shown(machines.NVIDIA), 160).plain.startswith(
        known + " · terminal 96 MB · clock 2610 of 3105 MHz"
    )


def test_what_goes_wrong_comes_first_and_has_a_mark() -> None:
    line = machine_line(shown(machines.THROTTLED), 78).plain
    assert line.startswith("✗ THROTTLED: GPU hot · GPU 71 % 91 °C! 118 W · mem 9.1/8.4 GB!")


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (machines.NVIDIA, "ok, not throttled"),
        (machines.HOT, "▲ HOT 87 °C, not throttled"),
        (machines.THROTTLED, "✗ THROTTLED: GPU hot"),
        (replace(machines.THROTTLED, throttle_reason=""), "✗ THROTTLED"),
        (machines.HOST, "–"),
        (replace(machines.HOST, cpu_temperature_c=54.0), "ok, throttling –"),
        (replace(machines.HOST, cpu_temperature_c=85.0), "▲ HOT 85 °C, throttling –"),
        (replace(machines.NVIDIA, thermal_pressure="fair"), "▲ fair, not throttled"),
        (replace(machines.NVIDIA, gpu_temperature_c=84.4), "ok, not throttled"),
    ],
)
def test_how_things_stand_with_heat_is_said_in_words(reading: Reading, words: str) -> None:
    assert heat_words(shown(reading)).plain == words


def test_limits_have_their_colours() -> None:
    def styles(content: Content) -> set[str]:
        return {str(span.style) for span in content.spans}

    assert "bold $text-error" in styles(heat_words(shown(machines.THROTTLED)))
    assert "bold $text-warning" in styles(heat_words(shown(machines.HOT)))
    assert "bold $text-warning" in styles(machine_line(shown(machines.HOT), 78))
    assert not any("text-" in style for style in styles(machine_line(shown(machines.NVIDIA), 78)))


def test_more_memory_in_use_than_the_budget_has_is_marked() -> None:
    assert "8.3/8.4 GB\n" in text(panel_lines(shown(replace(machines.NVIDIA, gpu_memory_used_mb=8300.0)), 33, 8))
    assert "8.4/8.4 GB!" in text(panel_lines(shown(replace(machines.NVIDIA, gpu_memory_used_mb=8400.0)), 33, 8))


def test_memory_of_processes() -> None:
    large = replace(machines.seen(machines.HOST), terminal_mb=None)
    large = replace(large, machine=replace(large.machine, core_mb=3400.0, children_mb=210.0))
    lines = text(panel_lines(Machine().after(large), 33, 8))
    assert "core  3.4 GB · helpers 210 MB" in lines
    assert "terminal – · 3 % of a core" in lines


def test_the_frame_has_the_gpus_name() -> None:
    assert title(shown(machines.NVIDIA)).plain == "Machine · GeForce RTX 4070"
    assert title(shown(machines.HOST)).plain == "Machine"


figures = st.none() | st.floats(0, 1e6)
readings = st.builds(
    Reading,
    gpu_name=st.none() | st.text(max_size=60),
    throttled=st.none() | st.booleans(),
    throttle_reason=st.text(max_size=30),
    **{
        name: figures
        for name in Reading.__dataclass_fields__
        if name not in ("gpu_name", "throttled", "throttle_reason", "thermal_pressure")
    },
)


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
@given(readings, st.integers(10, 200), st.integers(1, 20))
def test_nothing_is_wider_or_higher_than_its_room(reading: Reading, width: int, rows: int) -> None:
    machine = shown(reading)
    lines = panel_lines(machine, width, rows)
    assert len(lines) <= rows
    assert all(line.cell_length <= width for line in [*lines, machine_line(machine, width)])


def test_unknown_is_a_dash_and_never_a_nought() -> None:
    nothing = Machine().after(MachineSeen(at_s=0.0, machine=MachineRead(Reading())))
    for machine in (Machine(), nothing):
        told = text([*panel_lines(machine, 48, LONG_ROWS), *panel_lines(machine, 33, 8), machine_line(machine, 200)])
        assert not re.search(r"[0-9]", told)
        assert "–" in told


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_a_minute_is_kept_for_the_sparklines() -> None:
    machine = Machine()
    for percent in range(2 * KEPT):
        machine = machine.after(machines.seen(replace(machines.NVIDIA, gpu_busy_percent=float(percent % 100))))
    assert len(machine.busy) == len(machine.cpu) == len(machine.heat) == KEPT
    assert machine.busy[-1] == pytest.approx(0.19)


def test_another_core_may_be_on_another_machine() -> None:
    machine = shown(machines.NVIDIA).after(CoreFound(at_s=1.0, profile="lite", model="x", demo_grade=True))
    assert machine == Machine(terminal_mb=96.0, terminal_cpu_percent=3.2)


def test_other_events_change_nothing() -> None:
    machine = shown(machines.NVIDIA)
    assert machine.after(MicLevel(at_s=1.0, dbfs=-20.0, speech_probability=0.1)) is machine


@given(st.lists(st.none() | st.floats(-1, 2), max_size=30), st.integers(0, 20))
def test_a_sparkline_has_its_width_and_blanks_for_the_unknown(shares: list[float | None], cells: int) -> None:
    drawn = spark(shares, cells)
    assert len(drawn) == cells
    newest = shares[-cells:] if cells else []
    assert [mark == " " for mark in drawn[cells - len(newest) :]] == [share is None for share in newest]


def test_a_sparkline_rises_from_none_to_all() -> None:
    assert spark([0.0, 0.5, 1.0, 7.0, 1e308], 7) == "  ▁▅███"


# --- the widget -------------------------------------------------------------------------------------------------------


class Bottom(App[None]):
    """The panel in the cockpit's style sheet, themes and sizes, without its neighbours."""

    CSS = "#beside { width: 1fr; height: 2; }"

    CSS_PATH = Path(cockpit.__file__).with_name("cockpit.tcss")
    HORIZONTAL_BREAKPOINTS = ParlorApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = ParlorApp.VERTICAL_BREAKPOINTS
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        for theme in ThemeFolders([themes.shipped_folder()]).first().themes.values():
            self.register_theme(theme)
        self.theme = themes.DEFAULT_THEME

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return themes.VARIABLES

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield Static()
        with Horizontal(id="bottom"):
            yield Static(id="beside")
            yield MachinePanel()

    def see(self, events: list[Event]) -> None:
        panel = self.query_one(MachinePanel)
        for event in events:
            panel.machine = panel.machine.after(event)


@pytest.mark.parametrize("size", SIZES, ids=size_names)
@pytest.mark.parametrize("scene", ["hot", "throttled", "unknown"])
def test_picture(scene: str, size: tuple[int, int], snap_compare: Callable[..., bool]) -> None:
    app = Bottom()

    async def play(pilot: Pilot[Any]) -> None:
        app.see(machines.minute(machines.READINGS[scene]))
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=play)


def test_picture_without_colour(monkeypatch: pytest.MonkeyPatch, snap_compare: Callable[..., bool]) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Bottom()

    async def play(pilot: Pilot[Any]) -> None:
        app.see(machines.minute(machines.THROTTLED))
        await pilot.pause()

    assert snap_compare(app, terminal_size=(120, 40), run_before=play)


@pytest.mark.parametrize("size", SIZES, ids=size_names)
async def test_the_cockpit_shows_it_whole_at_every_size(size: tuple[int, int]) -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=size) as pilot:
        assistant.replay([*stand_in.ready(), *machines.minute(machines.THROTTLED)])
        app.drain()
        await pilot.pause()
        panel = app.query_one(MachinePanel)
        drawn = str(panel.render())
        assert "THROTTLED: GPU hot" in drawn
        assert "9.1/8.4 GB!" in drawn
        assert "…" not in drawn
        assert panel.region.bottom <= size[1] - 1, "the keys stand below it"
        assert panel.region.right <= size[0]
        assert panel.region.height == app.query_one(LastTurn).region.height or size == SIZES[0]


async def test_it_is_drawn_again_only_when_what_it_shows_has_changed() -> None:
    app = Bottom()
    async with app.run_test(size=(80, 24)) as pilot:
        panel = app.query_one(MachinePanel)
        app.see([machines.seen(machines.NVIDIA)])
        await pilot.pause()
        drawn: list[Machine] = []
        render = panel.render

        def count() -> Any:
            drawn.append(panel.machine)
            return render()

        panel.render = count  # type: ignore[method-assign]
        for second in range(5):
            app.see([machines.seen(replace(machines.NVIDIA, gpu_busy_percent=71.0 + second / 20), 6.0 + second)])
            await pilot.pause()
        assert drawn == []
        app.see([machines.seen(machines.HOT)])
        await pilot.pause()
        assert len(drawn) == 1


def test_of_readings_that_wait_the_newest_is_shown() -> None:
    bridge = Bridge()
    for event in machines.minute(machines.NVIDIA):
        bridge.put(event)
    assert bridge.drain() == [machines.minute(machines.NVIDIA)[-1]]
