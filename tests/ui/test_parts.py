"""Status line, bars and progress as pure functions of what they show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import State
from parlor_tui.observe.stages import STAGES
from parlor_tui.ui.widgets.last_turn import bar, scale_ms, stacked_lines, stage_lines
from parlor_tui.ui.widgets.progress import Step, banner_line, progress_line
from parlor_tui.ui.widgets.status import METER, SYMBOLS, Status, meter, shown_db, status_line
from tests.ui.stand_in import STAGES_MS

FULL = Status(
    state=State.LISTENING, profile="lite", model="SmolLM2-135M", demo_grade=True, mic_db=-24, camera=True, turn=14
)


def test_the_status_line_in_full() -> None:
    line = status_line(FULL, 100).plain
    assert line.startswith(" parlor  ● LISTENING   lite · SmolLM2-135M · demo-grade  ")
    assert line.endswith("mic ▁▂▃▄▅··· -24 dB   cam ▣   turn 14 ")


@pytest.mark.parametrize("width", [80, 60, 40, 26])
def test_a_narrow_status_line_keeps_the_state_and_the_mute(width: int) -> None:
    line = status_line(Status(state=State.SPEAKING, muted=True, profile="lite", model="m" * 30, turn=3), width).plain
    assert "SPEAKING" in line
    if width >= 40:
        assert "mic muted" in line


def test_demo_grade_is_said_at_80_columns() -> None:
    assert "lite · SmolLM2-135M · demo-grade" in status_line(FULL, 80).plain


@given(
    st.builds(
        Status,
        state=st.sampled_from(State),
        muted=st.booleans(),
        profile=st.sampled_from(["", "lite"]),
        model=st.text(max_size=20),
        demo_grade=st.booleans(),
        microphone=st.booleans(),
        mic_db=st.none() | st.integers(-60, 0),
        camera=st.booleans(),
        turn=st.none() | st.integers(0, 999),
    ),
    st.integers(1, 200),
)
def test_the_status_line_never_overflows(status: Status, width: int) -> None:
    assert status_line(status, width).cell_length <= width


def test_every_state_has_a_shape_of_its_own() -> None:
    assert set(SYMBOLS) == set(State)
    assert len(set(SYMBOLS.values())) == len(State)


@given(st.floats(-200, 50), st.none() | st.integers(-60, 0))
def test_the_shown_level_is_close_and_calm(dbfs: float, shown: int | None) -> None:
    new = shown_db(dbfs, shown)
    assert -60 <= new <= 0
    assert abs(new - min(max(dbfs, -60.0), 0.0)) <= 2.0
    assert len(meter(new)) == len(METER)


@given(st.dictionaries(st.sampled_from([*STAGES, "voice_to_voice"]), st.floats(0, 100_000)), st.integers(1, 200))
def test_bars_fit_any_times_and_width(stages_ms: dict[str, float], width: int) -> None:
    lines = stage_lines(stages_ms, width)
    assert len(lines) == len(STAGES)
    if width >= 30:
        assert all(line.cell_length <= width for line in lines)
        assert all(line.cell_length <= width for line in stacked_lines(stages_ms, width))
    assert len(stacked_lines(stages_ms, width)) == 2


def test_bars_share_one_scale_and_a_missing_stage_is_a_dash() -> None:
    lines = [line.plain for line in stage_lines(STAGES_MS, 80)]
    assert [line.split()[0] for line in lines] == list(STAGES)
    assert lines[0].split()[-1] == "612"
    assert lines[2].split() == ["see", "\N{EN DASH}"]
    assert scale_ms(STAGES_MS) == 1000.0
    lengths = [line.count("█") for line in lines]
    assert lengths[0] == round(612 / 1000 * (80 - 16 - 6) - 0.5)
    assert lengths[0] > lengths[5] > lengths[1] > lengths[3]


def test_a_bar_is_never_longer_than_its_room_nor_invisible() -> None:
    assert bar(2000.0, 1000.0, 10) == "█" * 10
    assert bar(0.001, 1000.0, 10) == "▏"
    assert bar(0.0, 1000.0, 10) == ""


def test_the_short_form_names_every_stage_and_the_total() -> None:
    head, legend = (line.plain for line in stacked_lines(STAGES_MS, 78))
    assert head.startswith("last turn ███")
    assert head.endswith(" voice to voice 1259 ms")
    assert legend == "endpoint 612  hear 143  see \N{EN DASH}  token 88  sentence 121  audio 254  playout 41"


def test_progress_shows_megabytes_or_just_the_text() -> None:
    assert progress_line(Step("loading the voice"), 80).plain == "loading the voice"
    line = progress_line(Step("fetching", 46_000_000, 92_000_000), 80).plain
    assert line.startswith("fetching  ━━━")
    assert line.endswith("46 / 92 MB  50 %")
    assert line.count("━") == line.count("─")


@given(st.text(), st.integers(-5, 10**10), st.integers(-5, 10**10), st.integers(10, 200))
def test_progress_and_banner_fit(text: str, done_bytes: int, total_bytes: int, width: int) -> None:
    assert progress_line(Step(text, done_bytes, total_bytes), width).cell_length <= width
    assert banner_line(("warning", text), width).cell_length <= width
