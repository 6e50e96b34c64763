"""Status line, bars and progress as pure functions of what they show."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.events import (
    CoreFound,
    DeviceUsed,
    EagerCount,
    EchoLevel,
    Event,
    MicLevel,
    Ready,
    State,
    StateChanged,
    Tuned,
    TurnCommitted,
)
from parlor_tui.settings import Settings
from parlor_tui.ui.exchange import Exchange
from parlor_tui.ui.widgets.progress import Step, banner_line, progress_line
from parlor_tui.ui.widgets.sounds import Sounds, sound_line
from parlor_tui.ui.widgets.status import (
    METER,
    SYMBOLS,
    THRESHOLD,
    THRESHOLD_PASSED,
    VOICE,
    VOICE_CELLS,
    YIELDING,
    Status,
    meter,
    shown_db,
    status_line,
    voice_cells,
    voice_meter,
)

FULL = Status(
    state=State.LISTENING, profile="lite", model="SmolLM2-135M", demo_grade=True, mic_db=-24, camera=True, turn=14
)


def test_the_status_line_in_full() -> None:
    line = status_line(FULL, 110).plain
    assert line.startswith(" parlor  ● LISTENING   lite · SmolLM2-135M · demo-grade  ")
    assert line.endswith("mic ▁▂▃▄▅··· -24 dB ····┆····   cam ▣   turn 14 ")


@pytest.mark.parametrize("width", [80, 60, 40, 26])
def test_a_narrow_status_line_keeps_the_state_and_the_mute(width: int) -> None:
    line = status_line(Status(state=State.SPEAKING, muted=True, profile="lite", model="m" * 30, turn=3), width).plain
    assert "SPEAKING" in line
    if width >= 40:
        assert "mic muted" in line


def test_model_grade_and_both_meters_are_there_at_80_columns() -> None:
    line = status_line(replace(FULL, voice=voice_cells(0.9, 0.5)), 80).plain
    assert line == " ● LISTENING   lite · SmolLM2-135M · demo-grade   mic ▁▂▃▄▅··· -24 dB ━━━━┃━━━· "


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
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
        voice=st.none() | st.integers(0, 8),
        hands_free=st.booleans(),
        talk_key=st.sampled_from(["", "f7"]),
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
        MicLevel(at_s=0.0, dbfs=-24.0, speech_probability=0.3),
        StateChanged(at_s=0.0, state=State.MUTED),
        StateChanged(at_s=0.0, state=State.SPEAKING),
        TurnCommitted(at_s=0.0, turn=4, last_speech_at_s=None),
    ]
    status = Status()
    for event in events:
        status = status.after(event)
    expected = Status(State.SPEAKING, None, True, "gemma", "g", True, mic_db=-24, turn=4, voice=2)
    assert status == expected
    assert not status.after(StateChanged(at_s=0.0, state=State.LISTENING)).muted


def test_without_a_microphone_the_state_says_so_and_nobody_is_asked_to_talk() -> None:
    ready = Status.of(Settings(), "f7").after(StateChanged(at_s=0.0, state=State.LISTENING))
    assert ready.invitation == "type here, or just talk"
    gone = ready.after(DeviceUsed(at_s=1.0, kind="microphone", choice="default", label=""))
    gone = gone.after(StateChanged(at_s=1.0, state=State.MUTED))
    for width in (120, 80, 40):
        line = status_line(gone, width).plain
        assert "○ NO MICROPHONE" in line
        assert "muted" not in line.lower()
    assert gone.invitation == "type here"
    answering = gone.after(StateChanged(at_s=2.0, state=State.SPEAKING))
    assert "no microphone   cam" in status_line(answering, 80).plain
    back = gone.after(DeviceUsed(at_s=3.0, kind="microphone", choice="default", label="a headset"))
    back = back.after(StateChanged(at_s=3.0, state=State.LISTENING))
    assert back.invitation == "type here, or just talk"
    assert Status.of(Settings().with_values({"devices.microphone": "none"}, "test"), "f7").invitation == "type here"


@pytest.mark.parametrize("muted", [True, False])
def test_a_microphone_that_went_and_came_back_is_as_muted_as_it_was(muted: bool) -> None:
    status = Status.of(Settings(), "f7").after(StateChanged(at_s=0.0, state=State.LISTENING))
    if muted:
        status = replace(status, muted=True).after(StateChanged(at_s=0.5, state=State.MUTED))
    gone = status.after(DeviceUsed(at_s=1.0, kind="microphone", choice="default", label=""))
    gone = gone.after(StateChanged(at_s=1.0, state=State.MUTED))
    back = gone.after(DeviceUsed(at_s=3.0, kind="microphone", choice="default", label="a headset"))
    if not muted:
        back = back.after(StateChanged(at_s=3.0, state=State.LISTENING))
    assert back.muted is muted
    assert ("mic muted" in status_line(back, 120).plain) is muted
    assert back.invitation == ("type here" if muted else "type here, or just talk")


def test_with_a_key_to_talk_the_state_names_it_until_the_user_mutes() -> None:
    status = Status.of(Settings().with_values({"hearing.hands_free": False}, "test"), "f7")
    waiting = status.after(StateChanged(at_s=0.0, state=State.MUTED))
    assert "○ F7 TO TALK" in status_line(waiting, 80).plain
    assert waiting.invitation == "type here, or press f7 and talk"
    assert "○ MUTED" in status_line(replace(waiting, muted=True), 80).plain
    free = waiting.after(Tuned(at_s=1.0, values={"hearing.hands_free": True}, saved={}))
    assert free.invitation == "type here, or just talk"


@given(st.floats(0, 1), st.floats(0.01, 0.99))
def test_the_bar_passes_the_threshold_if_and_only_if_it_is_speech(probability: float, threshold: float) -> None:
    drawn = voice_meter(voice_cells(probability, threshold), threshold).plain
    assert len(drawn) == VOICE_CELLS + 1
    assert (THRESHOLD_PASSED in drawn) is (probability >= threshold)
    before, _, behind = drawn.partition(THRESHOLD_PASSED if probability >= threshold else THRESHOLD)
    assert before
    assert behind
    assert (VOICE in behind) is (probability >= threshold)


def test_the_threshold_moves_with_live_tuning_and_over_a_reply_that_echoes() -> None:
    status = Status.of(Settings(), "f7")
    tuned = status.after(Tuned(at_s=1.0, values={"hearing.vad_threshold": 0.25}, saved={}))
    assert voice_meter(0, tuned.threshold).plain == "··┆······"
    assert "··┆······" in status_line(replace(tuned, mic_db=-50, profile="lite"), 80).plain
    speaking = replace(status, state=State.SPEAKING)
    assert speaking.threshold == 0.5
    assert replace(speaking, can_cancel=False).threshold == 0.92
    off = speaking.after(Tuned(at_s=1.0, values={"hearing.echo": "off"}, saved={}))
    assert off.threshold == 0.92
    assert replace(off, state=State.LISTENING).threshold == 0.5


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


def test_live_tuning_reaches_the_sound_line() -> None:
    sounds = Sounds.of(Settings().hearing)
    tuned = sounds.after(Tuned(at_s=1.0, values={"hearing.echo": "headphones", "hearing.eager_ms": 0}, saved={}))
    line = sound_line(tuned, 78).plain
    assert "headphones" in line
    assert "eager off" in line


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
