"""Presets: those that come along say what they should, the user's own come back as they were kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlor_tui.settings import Settings, SettingsError, Tuning
from parlor_tui.settings.presets import (
    COME_ALONG,
    delete_preset,
    load_preset,
    preset_names,
    presets_folder,
    save_preset,
)
from tests.test_settings import CHOSEN


@pytest.mark.parametrize("name", COME_ALONG)
def test_every_preset_that_comes_along_can_be_used(name: str, tmp_path: Path) -> None:
    preset = load_preset(name, tmp_path)
    assert preset.why
    tuned = Tuning().with_values(preset.values, name)
    assert preset.values.items() <= tuned.values().items()
    assert tuned.hearing.vad_release < tuned.hearing.vad_threshold


def test_m3_pro_is_how_the_seeds_were_set_up() -> None:
    tuned = Tuning().with_values(COME_ALONG["m3-pro"].values, "test")
    hearing, answering = tuned.hearing, tuned.answering
    assert (hearing.vad_threshold, hearing.vad_threshold_speaking, hearing.vad_release) == (0.5, 0.92, 0.25)
    assert (hearing.min_speech_ms, hearing.pre_roll_ms, hearing.barge_in_grace_ms) == (300, 300, 800)
    assert (hearing.end_of_turn, hearing.silence_ms, hearing.eager_ms) == ("fixed", 600, 0)
    assert (answering.temperature, answering.top_p, answering.max_tokens) == (0.7, 0.9, 25)
    assert (tuned.speaking.voice, tuned.speaking.speed) == ("af_heart", 1.1)


def test_the_rooms_name_the_same_keys_so_that_one_follows_the_other_without_a_rest() -> None:
    assert COME_ALONG["quiet room"].values.keys() == COME_ALONG["noisy room"].values.keys()
    assert COME_ALONG["quiet room"].values["hearing.vad_threshold"] < 0.5
    assert COME_ALONG["noisy room"].values["hearing.vad_threshold"] > 0.5


def no_device(name: str) -> bool:
    return not name.startswith("co")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHOSEN, st.from_regex(r"[b-d0-9_é]([a-z0-9 .-]{0,30}[a-z0-9_])?", fullmatch=True).filter(no_device))
def test_what_is_kept_comes_back(tmp_path: Path, values: dict[str, Any], name: str) -> None:
    live = Tuning().values().keys()
    kept = {key: value for key, value in values.items() if key in live}
    save_preset(name, kept, tmp_path)
    assert load_preset(name, tmp_path).values == kept
    assert name in preset_names(tmp_path)
    delete_preset(name, tmp_path)
    assert preset_names(tmp_path) == tuple(COME_ALONG)


def test_the_users_own_are_listed_behind_those_that_come_along(tmp_path: Path) -> None:
    for name in ("kitchen", "Am Schreibtisch"):
        save_preset(name, {"hearing.vad_threshold": 0.6}, tmp_path / "presets")
    (tmp_path / "presets" / "notes.txt").touch()
    (tmp_path / "presets" / "M3-Pro.toml").touch()
    assert preset_names(tmp_path / "presets") == (*COME_ALONG, "Am Schreibtisch", "kitchen")
    assert preset_names(tmp_path / "absent") == tuple(COME_ALONG)


def test_keeping_again_replaces(tmp_path: Path) -> None:
    save_preset("mine", {"hearing.vad_threshold": 0.6, "answering.top_p": 0.5}, tmp_path)
    file = save_preset("mine", {"answering.top_p": 0.6}, tmp_path)
    assert file.read_text("utf-8") == "[answering]\ntop_p = 0.6\n"
    assert load_preset("mine", tmp_path).values == {"answering.top_p": 0.6}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[hearing]\nsilence_ms = 50", ":2: hearing.silence_ms = 50: must be"),
        ("[hearing\n", ":1: not valid TOML"),
        ("[hearing]\nsilence_ms = 500\n[core]\n\nthreads = 2", ":5: core.threads needs a new start"),
        ("[speaking]\nruntime = 'onnx'", ":2: speaking.runtime needs a new start"),
        ("[hearing]\nsilense_ms = 500", ":2: unknown key hearing.silense_ms; did you mean"),
    ],
)
def test_a_broken_one_is_told_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    with pytest.raises(SettingsError) as raised:
        load_preset("mine", tmp_path)
    assert str(raised.value).startswith(f"{tmp_path / 'mine.toml'}{message}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["", ".hidden", "../up", "a/b", "a\\b", "x" * 41, "tab\there", "end.", "nul", "a\n"])
def test_a_name_that_no_file_could_have_everywhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="cannot be a preset's name: letters, digits"):
        save_preset(name, {"answering.top_p": 0.6}, tmp_path)
    with pytest.raises(SettingsError, match="cannot be a preset's name"):
        load_preset(name, tmp_path)


def test_one_that_comes_along_stays(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="choose another name"):
        save_preset("M3-Pro", {"answering.top_p": 0.6}, tmp_path)
    with pytest.raises(SettingsError, match="comes along and stays"):
        delete_preset("m3-pro", tmp_path)
    with pytest.raises(SettingsError, match="there is no preset mine"):
        delete_preset("mine", tmp_path)
    with pytest.raises(SettingsError, match="there is no preset mine; there are m3-pro, quiet room"):
        load_preset("mine", tmp_path)


def test_a_bad_value_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"answering\.top_p = 7: must be"):
        save_preset("mine", {"answering.top_p": 7}, tmp_path)
    with pytest.raises(SettingsError, match="needs a new start"):
        save_preset("mine", {"core.threads": 7}, tmp_path)
    assert preset_names(tmp_path) == tuple(COME_ALONG)


def test_they_stand_beside_the_settings_file() -> None:
    assert presets_folder().name == "presets"
    assert Settings().tuning("gemma").answering.temperature == 0.7
