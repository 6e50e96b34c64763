"""Status line, bars and progress as pure functions of what they show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import (
    CoreFound,
    EagerCount,
    EchoLevel,
    Event,
    MicLevel,
    Ready,
    State,
    StateChanged,
    TurnCommitted,
)
from parlor_tui.observe.stages import STAGES
from parlor_tui.settings import Settings
from parlor_tui.ui.exchange import Exchange
from parlor_tui.ui.widgets.last_turn import bar, scale_ms, stacked_lines, stage_lines
from parlor_tui.ui.widgets.progress import Step, banner_line, progress_line
from parlor_tui.ui.widgets.sounds import Sounds, sound_line
from parlor_tui.ui.widgets.status import METER, SYMBOLS, YIELDING, Status, meter, shown_db, status_line
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
        yields=st.sampled_from([None, "dipped", "held"]),
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
    words = [*SYMBOLS.values(), *(word[0] for word, _ in YIELDING.values())]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("width", [120, 80, 26])
def test_a_reply_that_makes_way_is_told_in_the_state(width: int) -> None:
    held = Status(state=State.SPEAKING, yields="held", profile="lite")
    assert "‖ HELD" in status_line(held, width).plain
    assert "▷ QUIETER" in status_line(Status(state=State.SPEAKING, yields="dipped"), width).plain
    assert "LISTENING" in status_line(Status(state=State.LISTENING, yields="held"), width).plain


def test_the_status_follows_the_events() -> None:
    events: list[Event] = [
        CoreFound(at_s=0.0, profile="lite", model="m", demo_grade=True),
        Ready(at_s=0.0, profile="gemma", model="g", load_ms=1.0),
        MicLevel(at_s=0.0, dbfs=-24.0, speech_probability=0.0),
        StateChanged(at_s=0.0, state=State.MUTED),
        StateChanged(at_s=0.0, state=State.SPEAKING),
        TurnCommitted(at_s=0.0, turn=4, last_speech_at_s=None),
    ]
    status = Status()
    for event in events:
        status = status.after(event)
    expected = Status(State.SPEAKING, None, True, "gemma", "g", True, mic_db=-24, turn=4)
    assert status == expected
    assert not status.after(StateChanged(at_s=0.0, state=State.LISTENING)).muted


COUNT = EagerCount(at_s=1.0, hits=12, dropped=2, saved_ms=3420.0, wasted_ms=815.0)
PLAYING = Sounds(speaker_db=-18, echo_db=-32, suppressed_db=31, eager=COUNT)


def test_the_sound_line_at_both_sizes() -> None:
    narrow, wide = (" ".join(sound_line(PLAYING, width).plain.split()) for width in (78, 116))
    assert narrow == "spk ▁▂▃▄▅▆·· echo -32 dB, 31 less eager 12/14: saved 3420, wasted 815 ms"
    assert wide == ("spk ▁▂▃▄▅▆·· echo -32 dB, 31 dB taken out eager 12 of 14 used · 3420 ms saved · 815 ms wasted")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "echo \N{EN DASH}"),
        ({"hearing.echo": "headphones"}, "headphones"),
        ({"hearing.echo": "off"}, "echo not cancelled"),
        ({"hearing.eager_ms": 0}, "eager off"),
    ],
)
def test_the_settings_show_where_nothing_is_measured(values: dict[str, object], told: str) -> None:
    sounds = Sounds.of(Settings().with_values(values, "test").hearing)
    assert told in sound_line(sounds, 78).plain


def test_an_echo_too_weak_to_measure_is_called_so() -> None:
    assert "echo below -60 dB   " in sound_line(Sounds(speaker_db=-18, echo_db=-60, suppressed_db=0), 78).plain


def test_a_canceller_that_cannot_run_is_told() -> None:
    assert "echo not cancelled" in sound_line(Sounds(can_cancel=False), 78).plain


def test_nothing_moves_when_an_echo_comes_and_its_figures_are_calm() -> None:
    silent, playing = Sounds(eager=COUNT), PLAYING
    assert sound_line(silent, 78).plain.index("eager") == sound_line(playing, 78).plain.index("eager")
    exchange = Exchange(0.5)
    exchange.echo, exchange.speaker_dbfs = EchoLevel(at_s=0.0, dbfs=-33.0, suppressed_db=32.0), -19.0
    after = playing.now(exchange)
    assert (after.speaker_db, after.echo_db, after.suppressed_db) == (-18, -32, 31)


@given(
    st.builds(
        Sounds,
        speaker_db=st.none() | st.integers(-60, 0),
        echo=st.sampled_from(["cancel", "headphones", "off"]),
        can_cancel=st.booleans(),
        echo_db=st.none() | st.integers(-60, 0),
        suppressed_db=st.none() | st.integers(0, 80),
        may_be_eager=st.booleans(),
        eager=st.none()
        | st.builds(
            EagerCount,
            at_s=st.just(0.0),
            hits=st.integers(0, 9999),
            dropped=st.integers(0, 9999),
            saved_ms=st.floats(0, 1e7),
            wasted_ms=st.floats(0, 1e7),
        ),
    ),
    st.integers(1, 200),
)
def test_the_sound_line_never_overflows(sounds: Sounds, width: int) -> None:
    assert sound_line(sounds, width).cell_length <= width


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
    assert stacked_lines(STAGES_MS, 78, eager_ms=352.4)[0].plain.endswith(" eager -352 ms · voice to voice 1259 ms")
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
