"""The panel's knobs as data: derived from the declarations, moved, typed, paced, and told of in the talk."""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import DeviceUsed, Failed, Ready, Tuned
from parlor_tui.settings import SECTIONS, Settings, Tuning, check
from parlor_tui.settings.presets import COME_ALONG
from parlor_tui.ui.tune_marks import MARKED_AFTER_S, Marks, Pace
from parlor_tui.ui.tuning import GROUPS, KNOBS, VOICE, Panel, help_lines, sample_text

SLIDERS = [knob for knob in KNOBS.values() if knob.kind == "slider"]
ALL = Tuning().values()
HELP_COLUMNS, HELP_ROWS = 38, 5


def tuned(
    changed: tuple[str, ...] = (), saved: dict[str, Any] | None = None, preset: str = "", **values: object
) -> Tuned:
    now = ALL | {name.replace("__", "."): value for name, value in values.items()}
    return Tuned(at_s=1.0, values=now, saved=ALL | (saved or {}), changed=changed, preset=preset)


def test_everything_that_should_be_tuned_has_a_control_and_every_control_is_of_a_live_setting() -> None:
    assert set(KNOBS) <= set(ALL)
    assert list(GROUPS) == ["Hearing", "Answering", "Voice", "Seeing"]
    # what nobody turns while talking
    left = {"hearing.native_s", "hearing.vad_threshold_speaking", "hearing.vad_release", "hearing.max_utterance_s"}
    left |= {"hearing.barge_in_sure_ms", "hearing.barge_in_grace_ms"}
    left |= {"answering.top_k", "answering.seed", "answering.preset"}
    assert set(ALL) - set(KNOBS) == left


@pytest.mark.parametrize("name", KNOBS)
def test_a_control_is_as_its_setting_is_declared(name: str) -> None:
    section, item = name.split(".")
    declared = next(field for field in fields(SECTIONS[section]) if field.name == item)
    knob = KNOBS[name]
    assert knob.why == declared.metadata["why"]
    if knob.kind == "slider":
        assert (knob.low, knob.high) == (declared.metadata["low"], declared.metadata["high"])
    elif knob.kind == "switch":
        assert knob.choices == (True, False)
    else:
        assert knob.choices == declared.metadata["choices"]
    assert len(knob.label) <= 15
    assert knob.acts.startswith(("now", "with the next "))


@given(st.sampled_from(SLIDERS), st.floats(-0.5, 1.5), st.integers(-300, 300), st.booleans())
def test_wherever_a_slider_is_put_its_value_may_be_set(knob: Any, fraction: float, steps: int, big: bool) -> None:
    at = knob.at(fraction)
    for value in (at, knob.moved(at, steps, big=big)):
        section, item = knob.name.split(".")
        assert check(section, item, value, "test") == value
        assert 0.0 <= knob.fraction(value) <= 1.0
    assert abs(knob.fraction(knob.at(knob.fraction(at))) - knob.fraction(at)) < 0.05


@pytest.mark.parametrize("knob", SLIDERS, ids=[knob.name for knob in SLIDERS])
def test_one_step_is_felt_and_comes_back(knob: Any) -> None:
    up = knob.moved(knob.default, 1)
    assert up > knob.default
    assert knob.moved(up, -1) <= knob.default
    assert (knob.at(0.0), knob.at(1.0)) == (knob.low, knob.high)
    assert knob.moved(knob.high, 1) == knob.high
    assert knob.moved(knob.low, -1, big=True) == knob.low
    assert 0.15 < knob.fraction(knob.default) < 0.95, "there is room to both sides"


def test_steps_are_round_numbers() -> None:
    assert [KNOBS["hearing.eager_ms"].moved(64, steps) for steps in (-1, 1, 2)] == [60, 70, 80]
    assert KNOBS["answering.temperature"].moved(0.7, 1) == 0.71
    assert KNOBS["answering.temperature"].moved(0.7, -1, big=True) == 0.6
    assert KNOBS["hearing.silence_ms"].moved(600, 1, big=True) == 700


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("answering.temperature", "0.9", 0.9),
        ("answering.temperature", ".5", 0.5),
        ("answering.temperature", "0,25", 0.25),
        ("answering.temperature", "1", 1.0),
        ("hearing.silence_ms", "450", 450),
        ("hearing.silence_ms", "4.5e2", 450),
    ],
)
def test_numbers_are_typed_as_people_do(name: str, text: str, value: float) -> None:
    typed = KNOBS[name].typed(text)
    assert (typed, type(typed)) == (value, type(value))


@pytest.mark.parametrize("text", ["9", "", ".", "1.2.3", "nan", "inf", "-1", "99999999999999999999"])
def test_what_is_no_value_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number from 0 to 2"):
        KNOBS["answering.temperature"].typed(text)
    with pytest.raises(ValueError, match=r"is not a whole number from 100 to 5000 \(ms\)"):
        KNOBS["hearing.silence_ms"].typed(text)


def test_choices_go_round() -> None:
    echo = KNOBS["hearing.echo"]
    assert [echo.next_choice("cancel", steps) for steps in (1, 2, 3, -1)] == ["headphones", "off", "cancel", "off"]
    assert KNOBS["hearing.barge_in"].next_choice(True, 1) is False
    assert KNOBS["seeing.image_tokens"].next_choice(280, 1) == 560
    voice = KNOBS[VOICE]
    assert voice.next_choice("af_heart", 1) == "af_heart", "nobody knows another"
    assert voice.next_choice("af_heart", -1, ("af_heart", "bm_lewis")) == "bm_lewis"
    assert voice.next_choice("gone", 1, ("af_heart", "bm_lewis")) == "af_heart"


def test_what_is_asked_for_shows_at_once_and_goes_back_if_it_is_refused() -> None:
    panel = Panel(Settings())
    panel.ask({"answering.temperature": 0.9})
    assert (panel.value("answering.temperature"), panel.waits("answering.temperature")) == (0.9, True)
    assert panel.changed("answering.temperature")
    assert panel.apply(Failed(at_s=1.0, text="not changed: no"))
    assert (panel.value("answering.temperature"), panel.waits("answering.temperature")) == (0.7, False)


def test_an_answer_to_an_earlier_step_of_a_drag_moves_nothing_back() -> None:
    panel = Panel(Settings())
    for value in (0.8, 0.9):
        panel.ask({"answering.temperature": value})
    panel.apply(tuned(("answering.temperature",), answering__temperature=0.8))
    assert panel.value("answering.temperature") == 0.9
    panel.apply(tuned(("answering.temperature",), answering__temperature=0.9))
    assert not panel.waits("answering.temperature")
    assert panel.changed("answering.temperature")


def test_the_truth_is_shown_whoever_changed_it() -> None:
    panel = Panel(Settings())
    panel.apply(tuned(saved={"answering.temperature": 0.1}, answering__temperature=0.1, answering__top_k=3))
    assert not panel.changed("answering.temperature")
    assert panel.all_changed() == ["answering.top_k"], "also what has no control"
    panel.apply(Ready(at_s=1.0, profile="lite", model="m", load_ms=1.0, voices=("af_heart", "zf_xiaoyi")))
    assert panel.choices(VOICE) == ("af_heart", "zf_xiaoyi")
    assert panel.camera_words == "off"
    panel.apply(DeviceUsed(at_s=1.0, kind="camera", choice="0", label="a camera"))
    assert panel.camera_words == "on"
    panel.ask({"answering.top_k": None})
    assert panel.value("answering.top_k") == 64


def test_the_help_says_what_can_be_set_when_it_acts_and_why() -> None:
    panel, knob = Panel(Settings()), KNOBS["hearing.silence_ms"]
    why = "this much silence ends a turn of which nothing else is known"
    assert help_lines(panel, knob) == f"acts now · 100–5000 ms\n{why}"
    panel.ask({"hearing.silence_ms": 450})
    assert help_lines(panel, knob) == f"on its way · 100–5000 ms\n{why}"
    panel.apply(tuned(("hearing.silence_ms",), hearing__silence_ms=450))
    assert help_lines(panel, knob) == f"✓ now · saved 600 ms · 100–5000 ms\n{why}"
    assert "once the models are loaded" in help_lines(panel, KNOBS[VOICE])


@pytest.mark.parametrize("name", KNOBS)
def test_the_help_has_room_whatever_is_chosen(name: str) -> None:
    panel, knob = Panel(Settings()), KNOBS[name]
    for value in (*knob.choices, knob.at(0.0) if knob.kind == "slider" else ALL[name]):
        panel.apply(tuned(**{name.replace(".", "__"): value}))
        rows = [row for line in help_lines(panel, knob).splitlines() for row in textwrap.wrap(line, HELP_COLUMNS)]
        assert len(rows) <= HELP_ROWS, rows


def test_where_each_choice_has_words_of_its_own_the_help_says_those() -> None:
    panel, knob = Panel(Settings()), KNOBS["hearing.echo"]
    panel.apply(tuned(hearing__echo="headphones"))
    assert help_lines(panel, knob).endswith("\nheadphones: nothing of it gets there")
    panel.apply(tuned())
    assert help_lines(panel, knob).endswith("\ncancel: what the speaker plays is taken out of the microphone's sound")


def test_a_sample_is_in_the_voices_own_language() -> None:
    texts = {sample_text(voice) for voice in ("af_heart", "zf_xiaoyi", "jf_alpha", "ff_siwis")}
    assert len(texts) == 4
    assert sample_text("") == sample_text("bm_lewis") == sample_text("af_heart")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9), st.floats(0, 0.3)), max_size=40))
def test_a_drag_sends_ten_times_a_second_at_most_and_the_last_value_in_any_case(
    moves: list[tuple[str, int, float]],
) -> None:
    pace, at_s, sent = Pace(0.1), 100.0, []
    for name, value, later_s in moves:
        at_s += later_s
        pace.put({name: value})
        if taken := pace.take(at_s):
            sent.append((at_s, taken))
    if taken := pace.take(at_s + 0.2):
        sent.append((at_s + 0.2, taken))
    assert not pace.waits
    assert all(later[0] - one[0] > 0.0999 for one, later in itertools.pairwise(sent))
    final: dict[str, int] = {}
    for _, values in sent:
        final |= values
    assert final == {name: value for name, value, _ in moves}


def test_a_drag_leaves_one_line() -> None:
    marks = Marks()
    marks.apply(tuned(), 0.0)
    for number in range(20):
        value = 0.7 + 0.01 * (number + 1)
        assert marks.apply(tuned(("answering.temperature",), answering__temperature=round(value, 2)), number / 10)
        assert not marks.done(number / 10)
    assert not marks.done(1.9 + MARKED_AFTER_S / 2)
    assert marks.done(1.9 + MARKED_AFTER_S)
    assert marks.take() == "temperature 0.90 from here on"
    assert marks.take() == ""
    assert not marks.done(99.0)


def test_what_went_back_to_where_it_was_leaves_none_and_a_preset_its_name() -> None:
    marks = Marks()
    marks.apply(tuned(), 0.0)
    marks.apply(tuned(("answering.temperature",), answering__temperature=0.9), 0.1)
    marks.apply(tuned(("answering.temperature",)), 0.2)
    assert marks.take() == ""
    preset = COME_ALONG["noisy room"].values
    assert marks.apply(Tuned(at_s=1.0, values=ALL | preset, saved=ALL, changed=tuple(preset), preset="noisy room"), 0.3)
    assert marks.take() == "preset noisy room from here on"
    changed = ("hearing.echo", "hearing.silence_ms", "answering.top_k", "seeing.prime")
    marks.apply(tuned(), 0.4)
    marks.apply(
        tuned(changed, hearing__echo="off", hearing__silence_ms=450, answering__top_k=3, seeing__prime=False), 1
    )
    assert marks.take() == "echo off · silence 450 ms · prime off · 1 more from here on"
