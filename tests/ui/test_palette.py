"""The palette: everything is in it, found by its words, and does what it says while a reply sounds too."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandInput, CommandList
from textual.pilot import Pilot

from parlor_tui.events import DevicesChanged, Event, Ready, State, StateChanged, Tuned
from parlor_tui.settings import Settings, Tuning
from parlor_tui.ui.actions import ACTIONS
from parlor_tui.ui.choices import voice_words
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.palette import Palette
from parlor_tui.ui.screens.devices import DevicesScreen
from parlor_tui.ui.widgets.tune_panel import TunePanel
from tests.ui import stand_in
from tests.ui.stand_in import make_app
from tests.ui.test_keys import screen_text

VALUES = Tuning().values()
CHANGED = Tuned(
    at_s=5.0,
    values={**VALUES, "answering.temperature": 0.9},
    saved=VALUES,
    changed=("answering.temperature",),
    presets=("m3-pro", "mine [/] \\"),
)
DEVICES = DevicesChanged(at_s=5.0, microphones=("USB [red]mic",), speakers=("Headset",), cameras=("Webcam",))


def everything() -> list[Event]:
    voices = ("af_heart", "bm_george")
    told = [replace(event, voices=voices) if isinstance(event, Ready) else event for event in stand_in.whole_talk()]
    return [*told, CHANGED, DEVICES, StateChanged(at_s=60.0, state=State.SPEAKING)]


def commands(app: ParlorApp) -> dict[str, tuple[str, Callable[[], Any], bool]]:
    found = list(app.get_system_commands(app.screen_stack[0]))
    assert len({command.title for command in found}) == len(found)
    return {command.title: (command.help, command.callback, command.discover) for command in found}


@pytest.fixture(autouse=True)
def exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlor_tui.ui.keeping.exports_folder", lambda: tmp_path)


async def test_every_entry_can_be_taken() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        assistant.replay([*everything(), stand_in.offered()])
        app.drain()
        await pilot.pause()
        titles = sorted(commands(app), key=lambda title: title.startswith("Quit"))
        for alike in [title for title in titles if title.startswith("Theme: ")][2:]:
            titles.remove(alike)  # each draws everything anew, which takes its time
        for title in titles:
            result = commands(app)[title][1]()
            if inspect.isawaitable(result):
                await result
            await pilot.pause(0.01)
            assert app.fault is None, title
            while len(app.screen_stack) > 1 and app.return_value is None:
                app.pop_screen()
            app.query_one(TunePanel).display = False
        assert app.return_value == 0
        asked = [call for call in assistant.asked if call[0] not in ("watch_devices", "show_camera", "tell_tuning")]
    for call in (
        ("interrupt", None),
        ("talk_key", None),
        ("get_model", None),
        ("tune", {"speaking.voice": "bm_george"}),
        ("tune", {"answering.temperature": None}),
        ("save_tuning", None),
        ("use_preset", "m3-pro"),
        ("use_preset", "mine [/] \\"),
        ("use_device", ("microphone", "USB [red]mic", True)),
        ("use_device", ("speaker", "none", True)),
        ("use_device", ("camera", "Webcam", True)),
        ("set_recording", "text+audio"),
        ("new_conversation", None),
    ):
        assert call in asked


async def test_everything_is_in_it_with_one_plain_line() -> None:
    app, assistant = make_app(Settings().with_values({"keys.mute": "f11"}, "test"))
    async with app.run_test() as pilot:
        assistant.replay(everything())
        app.drain()
        await pilot.pause()
        known = commands(app)
        assert "Mute  f11" in known
        for action in ACTIONS:
            assert not action.listed or any(title.startswith(action.title) for title in known)
        for kind in ("voice", "theme", "preset", "profile", "microphone", "speaker", "camera"):
            assert known[f"Choose a {kind}"][2]
            assert any(title.startswith(f"{kind.capitalize()}: ") for title in known)
        for title, (told, _, _) in known.items():
            assert told, title
            assert told[0].isupper(), told
            assert "\n" not in told
        assert not {"Keys", "Screenshot", "Maximize", "Minimize", "Theme", "Quit"} & set(known)


async def take(pilot: Pilot[int], app: ParlorApp, query: str, title: str) -> None:
    """Open the palette with its key, type `query`, and take what stands first, which is `title`."""
    await pilot.press("ctrl+p")
    await pilot.pause()
    app.screen.query_one(CommandInput).value = query

    async def first() -> str:
        await pilot.pause(0.02)
        shown = app.screen.query_one(CommandList)
        return str(shown.get_option_at_index(0).hit.text) if shown.option_count else ""  # type: ignore[attr-defined]

    for _ in range(50):
        if (found := await first()) == title:
            break
    assert found == title
    assert title in screen_text(app)
    await pilot.press("enter")
    await pilot.pause(0.02)


async def test_what_is_typed_finds_it_while_a_reply_sounds() -> None:
    app, assistant = make_app()
    remembered: list[object] = []
    app._remember = remembered.append
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        assistant.replay(everything())
        app.drain()
        for query, title, asked in (
            ("george", "Voice: bm_george", ("tune", {"speaking.voice": "bm_george"})),
            ("mine [/] \\", "Preset: mine [/] \\", ("use_preset", "mine [/] \\")),
            ("[red", "Microphone: USB [red]mic", ("use_device", ("microphone", "USB [red]mic", True))),
            ("interr", "Interrupt  esc", ("interrupt", None)),
            ("British", "Voice: bm_george", ("tune", {"speaking.voice": "bm_george"})),
        ):
            await take(pilot, app, query, title)
            assert assistant.asked[-1] == asked
            assert len(app.screen_stack) == 1
        await take(pilot, app, "theme nord", "Theme: nord")
        assert app.theme == "nord"
        await take(pilot, app, "profile lite", "Profile: lite")
        assert {"core.profile": "lite"} in remembered
        assert any("needs a new start" in str(note.message) for note in app._notifications)
        await take(pilot, app, "a speaker", "Choose a speaker")
        assert isinstance(app.screen, DevicesScreen)
        await pilot.press("escape")  # the reply sounds: it is stopped first
        assert assistant.asked[-1] == ("interrupt", None)
        assert isinstance(app.screen, DevicesScreen)


async def test_a_list_holds_its_own_kind_alone() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        assistant.replay(everything())
        app.drain()
        await take(pilot, app, "choose a voice", "Choose a voice")
        assert isinstance(app.screen, Palette)
        for _ in range(50):
            await pilot.pause(0.02)
            if "bm_george" in screen_text(app):
                break
        rows = [row.strip() for row in screen_text(app).splitlines()]
        assert "British English, a man's voice; from the next reply on" in rows
        assert "American English, a woman's voice; from the next reply on (chosen)" in rows
        assert "Interrupt  esc" not in rows
        await pilot.press("down", "enter")
        await pilot.pause(0.05)
        assert assistant.asked[-1] == ("tune", {"speaking.voice": "bm_george"})


def test_a_voice_is_told_in_words_if_its_name_says_so() -> None:
    assert voice_words("zf_xiaobei") == "Chinese, a woman's voice; from the next reply on"
    assert voice_words("mine") == "mine; from the next reply on"
