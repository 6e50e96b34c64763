"""The first start: when it is one, what it finds in plain words, its three steps, and that it does not come back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from parlor_tui.events import Failed, MicLevel
from parlor_tui.settings import Devices, Settings
from parlor_tui.ui import first_run
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.first_run import Finding, examine, findings, of_terminal
from parlor_tui.ui.screens.devices import DevicesScreen
from parlor_tui.ui.screens.first_run import FirstRunScreen
from tests.ui import stand_in
from tests.ui.test_keys import screen_text
from tests.ui.test_offer import click

ADVICE = "no microphone found: plug one in or start the sound server"


def check(group: str, name: str, status: str, found: str, advice: str = "") -> dict[str, str]:
    return {"group": group, "name": name, "status": status, "found": found, "advice": advice}


REPORT = json.dumps(
    {
        "ok": False,
        "checks": [
            check("Machine", "processor", "ok", "8 cores, AVX2"),
            check("Packages", "emoji", "missing", "not installed", "pip install emoji"),
            check("Sound", "PortAudio", "ok", "V19.7.0"),
            check("Sound", "microphone", "missing", "default: cannot be used", ADVICE),
            check("Sound", "speaker", "ok", "1 Built-in Audio, ALSA, 48000 Hz"),
            check("Camera", "camera", "ok", "none, as the settings say; 1 found"),
            check("Models", "smollm2-135m", "missing", "answers", "parlor-tui models get smollm2-135m"),
            check("Models", "disk", "ok", "131.2 GB free"),
        ],
    }
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No mark of the person who runs the tests is read or made."""
    monkeypatch.setattr(first_run, "done_file", lambda: tmp_path / "state" / "done")
    monkeypatch.setattr(first_run, "config_file", lambda: tmp_path / "config.toml")
    return tmp_path


def make(state: Path, report: str = REPORT, settings: Settings | None = None) -> tuple[ParlorApp, stand_in.StandIn]:
    file = state / "report.json"
    file.write_text(report, encoding="utf-8")
    app, assistant = stand_in.make_app(settings)
    app.first_run = [sys.executable, "-c", "import sys; print(open(sys.argv[1]).read())", str(file)]
    return app, assistant


async def until(pilot: Pilot[int], words: str) -> str:
    app: Any = pilot.app
    for _ in range(200):
        if words in (text := screen_text(app)):
            return text
        await pilot.pause(0.02)
    raise AssertionError(f"{words!r} does not come: {screen_text(app)}")


def test_it_is_the_first_start_until_there_are_settings_or_it_is_over(state: Path) -> None:
    assert first_run.is_first(None)
    assert not first_run.is_first(state / "mine.toml"), "who names a settings file knows the program"
    (state / "config.toml").touch()
    assert not first_run.is_first(None)
    (state / "config.toml").unlink()
    first_run.mark_done()
    assert not first_run.is_first(None)


def test_what_is_found_is_said_in_plain_words() -> None:
    assert findings(REPORT, "F6") == [
        Finding("missing", "microphone", "none works: you type", ADVICE),
        Finding("ok", "speaker", "Built-in Audio"),
        Finding("ok", "camera", "off: 1 found", "F6 opens it at any time"),
        Finding("ok", "models", "smollm2-135m: downloaded now, once"),
        Finding("missing", "emoji", "not installed", "pip install emoji"),
    ]


def test_without_portaudio_it_says_what_to_install() -> None:
    report = {"checks": [check("Sound", "PortAudio", "missing", "not found", "sudo apt-get install libportaudio2")]}
    found = findings(json.dumps(report), "F6")
    assert found[0].mark == "missing"
    assert found[0].advice == "sudo apt-get install libportaudio2"


@given(st.text() | st.builds(json.dumps, st.dictionaries(st.sampled_from(["checks", "ok"]), st.lists(st.integers()))))
def test_whatever_the_checks_print_is_found_something_in(report: str) -> None:
    assert all(isinstance(one, Finding) for one in findings(report, "F6"))


def test_checks_that_cannot_be_made_are_no_end() -> None:
    assert examine(["/there/is/no/such/program"]) == ""
    assert findings("", "F6")[0].words == "could not be made"


def test_the_terminal_is_looked_at() -> None:
    assert of_terminal(80, 24, "truecolor") == Finding("ok", "terminal", "80 x 24, 16 million colours")
    assert of_terminal(60, 24, None).mark == "warning"


async def test_three_steps_that_esc_skips_and_it_does_not_come_back(state: Path) -> None:
    app, assistant = make(state)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await until(pilot, "plug one in")
        assert "1 of 3" in text
        assert "none works: you type" in text
        assert assistant.asked == [("watch_devices", True)]
        await pilot.press("escape")
        assert "2 of 3" in await until(pilot, "Two can answer")
        await pilot.press("escape")
        assert "3 of 3" in await until(pilot, "Did you hear two notes?")
        assert assistant.asked[-1] == ("play_tone", None)
        assert not first_run.done_file().exists()
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.screen_stack) == 1
        assert first_run.done_file().exists()
        assert not first_run.is_first(None)
        await pilot.press("h", "i", "enter")
        assert assistant.asked[-1] == ("say", "hi")


async def test_keys_are_named_as_they_are_set(state: Path) -> None:
    chosen = {"keys.camera": "f12", "keys.get_model": "ctrl+k", "keys.no_model": ""}
    app, assistant = make(state, settings=Settings().with_values(chosen, "test"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, "F12 opens it at any time")
        await pilot.press("enter")
        await until(pilot, "2 of 3")
        assistant.replay([*stand_in.found(), stand_in.offered()])
        app.drain()
        text = await until(pilot, "^k gets it")
        assert "the palette puts it" in " ".join(text.split())


async def test_the_better_model_is_taken_or_put_off_here(state: Path) -> None:
    for button, asked in (("Get Gemma", "get_model"), ("Stay with lite", "decline_model")):
        app, assistant = make(state)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("enter")
            assert "is told in a moment" in await until(pilot, "2 of 3")
            assistant.replay([*stand_in.found(), stand_in.offered()])
            app.drain()
            await until(pilot, "2.7 GB to download")
            await click(app, pilot, button)
            assert (asked, None) in assistant.asked
            assert "3 of 3" in await until(pilot, "Did you hear")


async def test_where_no_speaker_is_wanted_nothing_is_played_and_nothing_fails(state: Path) -> None:
    app, assistant = make(state, settings=Settings(devices=Devices(speaker="none")))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape", "escape")
        assert "No speaker" in await until(pilot, "3 of 3")
        assert ("play_tone", None) not in assistant.asked


async def test_who_hears_nothing_chooses_another_speaker_and_the_level_moves(state: Path) -> None:
    app, assistant = make(state)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape", "escape")
        await until(pilot, "3 of 3")
        assistant.replay([MicLevel(at_s=5.0, dbfs=-12.0, speech_probability=0.97)])
        app.drain()
        await until(pilot, "-12 dB")
        await click(app, pilot, "Again")
        assert assistant.asked[-1] == ("play_tone", None)
        assistant.replay([Failed(at_s=6.0, text="nothing can be heard: no speaker is open")])
        app.drain()
        await until(pilot, "no speaker is open")
        await click(app, pilot, "No: choose")
        assert isinstance(app.screen, DevicesScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, FirstRunScreen)
        await click(app, pilot, "Yes")
        await until(pilot, "Good: the speaker works.")


async def test_what_happens_while_it_opens_is_not_lost(state: Path) -> None:
    app, assistant = make(state)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape", "escape", "escape")
        app.welcome(app.first_run)
        assistant.replay(
            [*stand_in.found(), stand_in.offered(), MicLevel(at_s=5.0, dbfs=-12.0, speech_probability=0.9)]
        )
        app.drain()
        await pilot.press("escape")
        await until(pilot, "2.7 GB to download")


async def test_nobody_is_welcomed_who_did_not_ask(state: Path) -> None:
    app, _ = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert len(app.screen_stack) == 1
