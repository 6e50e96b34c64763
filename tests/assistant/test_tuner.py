"""Settings that change while one talks: told, refused, taken back, saved, and kept as presets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parlor_tui.assistant.tuner import Tuner
from parlor_tui.events import Event, Failed, Notice, Tuned
from parlor_tui.settings import Settings, load
from parlor_tui.settings.presets import COME_ALONG


class Desk:
    """A tuner with a settings file and a presets folder of its own, and what it told."""

    def __init__(self, folder: Path, **chosen: Any) -> None:
        self.file, self.presets = folder / "config.toml", folder / "presets"
        self.told: list[Event] = []
        values = {name.replace("__", "."): value for name, value in chosen.items()}
        settings = Settings().with_values(values, "test")
        self.tuner = Tuner(settings, self.file, self.told.append, self.presets)

    def tuned(self) -> Tuned:
        event = self.told[-1]
        assert isinstance(event, Tuned)
        return event

    def refusal(self) -> str:
        event = self.told[-1]
        assert isinstance(event, Failed)
        assert "\n" not in event.text
        return event.text


def test_a_change_is_told_with_everything_as_it_is_now(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert desk.tuner.change({"answering.temperature": 0.9, "hearing.echo": "off"}) == {
        "answering.temperature": 0.9,
        "hearing.echo": "off",
    }
    told = desk.tuned()
    assert told.values == desk.tuner.now.values()
    assert told.values["answering.temperature"] == 0.9
    assert told.saved["answering.temperature"] == 0.7
    assert set(told.changed) == {"hearing.echo", "answering.temperature"}


def test_what_is_so_already_is_no_change_but_is_answered(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert desk.tuner.change({"answering.top_p": 0.9}) == {}
    assert desk.tuned().changed == ()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"answering.temperature": 9.0}, "not changed: answering.temperature = 9.0: must be a number from 0 to 2"),
        ({"hearing.echo": "off", "hearing.silence_ms": 1}, "not changed: hearing.silence_ms = 1: must be"),
        ({"core.threads": 2}, "not changed: core.threads needs a new start"),
        ({"core.threads": None}, "not changed: core.threads needs a new start"),
        ({"hearing.nothing": None}, "not changed: unknown key hearing.nothing"),
        ({"nothing": 1}, "not changed: unknown key nothing"),
    ],
)
def test_a_refusal_changes_nothing(tmp_path: Path, values: dict[str, Any], says: str) -> None:
    desk = Desk(tmp_path)
    before = desk.tuner.now
    assert desk.tuner.change(values) == {}
    assert desk.refusal().startswith(says)
    assert desk.tuner.now == before


def test_what_nobody_chose_follows_the_cores_profile_also_after_it_was_tried_and_taken_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, answering__top_p=0.8)
    assert desk.tuner.use_profile("lite").answering.temperature == 0.1
    assert desk.tuned().saved["answering.temperature"] == 0.1
    desk.tuner.change({"answering.temperature": 0.5})
    assert desk.tuner.use_profile("gemma").answering.temperature == 0.5
    assert desk.tuner.use_profile("lite").answering.temperature == 0.5
    desk.tuner.change({"answering.temperature": None, "answering.top_p": None})
    assert desk.tuned().values["answering.temperature"] == 0.1
    assert desk.tuner.use_profile("gemma").answering.temperature == 0.7
    assert desk.tuner.now.answering.top_p == 0.8


def test_only_what_was_changed_is_saved(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.file.write_text("# mine\n[hearing]\nsilence_ms = 600 # calm\n", "utf-8")
    desk.tuner.use_profile("lite")
    desk.tuner.change({"hearing.silence_ms": 450})
    desk.tuner.manage("save", "")
    assert desk.file.read_text("utf-8") == "# mine\n[hearing]\nsilence_ms = 450 # calm\n"
    assert desk.tuned().saved["hearing.silence_ms"] == 450
    assert desk.told[-2] == Notice(at_s=desk.told[-2].at_s, text=f"saved in {desk.file}: hearing.silence_ms")
    desk.tuner.manage("save", "")
    assert isinstance(desk.told[-2], Notice)
    assert desk.told[-2].text.startswith("nothing to save")
    assert load(desk.file).tuning("lite").values() == desk.tuner.now.values(), "the next start is as it is now"


def test_a_file_that_cannot_be_saved_into_is_told_and_the_values_stay(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.file.write_text("[hearing\n", "utf-8")
    desk.tuner.change({"hearing.silence_ms": 450})
    desk.tuner.manage("save", "")
    assert desk.refusal() == f"{desk.file}:1: not valid TOML: expected ']' at the end of a table declaration"
    assert desk.tuner.now.hearing.silence_ms == 450


def test_a_preset_is_used_as_one_change(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    changed = desk.tuner.manage("use", "noisy room")
    assert changed.items() <= COME_ALONG["noisy room"].values.items()
    told = desk.tuned()
    assert (told.preset, set(told.changed)) == ("noisy room", set(changed))
    desk.tuner.change({"hearing.silence_ms": 450})
    assert desk.tuned().preset == "", "it is none any more"


def test_a_preset_of_ones_own_is_kept_listed_used_and_deleted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.tuner.change({"hearing.silence_ms": 450, "speaking.volume_percent": 60})
    desk.tuner.manage("keep", "desk")
    assert desk.tuned().presets == (*COME_ALONG, "desk")
    desk.tuner.change({"hearing.silence_ms": None, "speaking.volume_percent": None})
    assert desk.tuner.manage("use", "desk") == {"hearing.silence_ms": 450, "speaking.volume_percent": 60}
    (desk.presets / "other.toml").write_text("[answering]\ntop_p = 7\n", "utf-8")
    desk.tuner.manage("tell", "")
    assert desk.tuned().presets == (*COME_ALONG, "desk", "other")
    assert desk.tuner.manage("use", "other") == {}
    assert desk.refusal().startswith(f"{desk.presets / 'other.toml'}:2: answering.top_p = 7")
    desk.tuner.manage("delete", "desk")
    assert desk.tuned().presets == (*COME_ALONG, "other")
    for wish, name in (("use", "gone"), ("delete", "m3-pro"), ("keep", "a/b"), ("keep", "m3-pro")):
        desk.tuner.manage(wish, name)  # type: ignore[arg-type]  # of a tuple
        assert desk.refusal()
