"""Pictures of everything that opens over the talk or beside it, at three sizes and in three themes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandInput
from textual.containers import VerticalScroll
from textual.pilot import Pilot

from parlor_tui.events import Event, Failed, MicLevel, Ready, State, StateChanged, Tuned
from parlor_tui.settings import Settings, Tuning
from parlor_tui.settings.presets import COME_ALONG
from parlor_tui.ui import first_run as first
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.widgets.tune_rows import KEEP, PRESET, Rows
from tests.ui import machines, stand_in, test_conversations, test_devices, test_first_run, test_history
from tests.ui.pictures import SIZES, Compare
from tests.ui.test_camera import camera_on, frame
from tests.ui.test_keys import screen_text

YOURS = Path("/home/you")
SAVED = Tuning().values()
TUNED = Tuned(
    at_s=50.0,
    values=SAVED | {"hearing.min_speech_ms": 250, "hearing.echo": "headphones"},
    saved=SAVED,
    presets=(*COME_ALONG, "quiet office"),
)
VOICES = ("af_heart", "af_bella", "bf_emma", "bm_george", "zf_xiaoyi")
TALK: list[Event] = [
    *machines.minute(machines.NVIDIA),
    *[replace(event, voices=VOICES) if isinstance(event, Ready) else event for event in stand_in.whole_talk()],
    *test_devices.USED,
    StateChanged(at_s=49.0, state=State.LISTENING),
]
SPEECH = MicLevel(at_s=51.0, dbfs=-21.0, speech_probability=0.93)


@dataclass(frozen=True, slots=True)
class Desk:
    """The whole screen, with a talk on it."""

    app: ParlorApp
    assistant: stand_in.StandIn
    pilot: Pilot[Any]

    async def tell(self, *events: Event) -> None:
        self.assistant.replay(list(events))
        self.app.drain()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, words: str) -> None:
        """Threads read and search; the screen shows when they are done."""
        for _ in range(400):
            if words in screen_text(self.app):
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"{words!r} does not come:\n{screen_text(self.app)}")


async def history(at: Desk) -> AsyncIterator[str]:
    await at.press("f3")
    await at.tell(*test_history.TALK)
    await at.press("down", "down", "down")
    yield ""


async def tune(at: Desk) -> AsyncIterator[str]:
    await at.press("f2")
    await at.tell(TUNED)
    await at.press("down", "down", "down", "4", "2")
    yield "number"
    rows = at.app.query_one(Rows)
    preset = next(line for line in rows.lines if line.name == PRESET)
    preset.focus()
    await at.press("left", "delete")
    yield "delete"
    rows.press(KEEP).focus()
    await at.press("enter")
    yield "name"


async def devices(at: Desk) -> AsyncIterator[str]:
    await at.tell(*camera_on())
    await at.press("f9")
    await at.tell(SPEECH)
    yield "microphone"
    await at.press("down", "down", "enter", "right")
    await at.tell(Failed(at_s=52.0, text="the microphone USB headset cannot be opened: another program uses it"))
    yield "refused"
    await at.press("right")
    await at.tell(frame())
    yield "camera"


async def help_text(at: Desk) -> AsyncIterator[str]:
    await at.press("f1")
    yield "begin"
    await at.press("end")
    at.app.screen.query_one(VerticalScroll).scroll_end(animate=False)
    yield "end"


async def conversations(at: Desk) -> AsyncIterator[str]:
    await at.press("ctrl+o")
    await at.until("3 of 3")
    await at.press("down")
    yield "list"
    await at.press("delete")
    yield "delete"
    await at.press("escape", *"nothing like it")
    yield "nothing found"


async def themes(at: Desk) -> AsyncIterator[str]:
    at.app.action_themes()
    await at.pilot.pause()
    yield ""


async def palette(at: Desk) -> AsyncIterator[str]:
    await at.press("ctrl+p")
    await at.until("Interrupt  esc")
    yield "everything"
    at.app.screen.query_one(CommandInput).value = "voice"
    await at.until("One of 5")
    await at.until("Voice: bf_emma")
    yield "voice"


async def notes(at: Desk) -> AsyncIterator[str]:
    await at.press("tab", "tab", "shift+tab")
    at.app.notify("Exported to /home/you/Documents/parlor-2026-11-30-1422.md", markup=False)
    await at.tell(Failed(at_s=52.0, text="no such thing"))
    at.app.notify("Not exported: /home/you/Documents is full", severity="error", markup=False)
    yield ""


OVER = {
    "history": history,
    "tune": tune,
    "devices": devices,
    "help": help_text,
    "conversations": conversations,
    "themes": themes,
    "palette": palette,
    "notes": notes,
}


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same on every machine."""
    monkeypatch.setattr("parlor_tui.ui.cockpit.config_file", lambda: YOURS / "config.toml")
    monkeypatch.setattr("parlor_tui.ui.help_text.log_file", lambda: YOURS / "parlor-tui.log")
    monkeypatch.setattr("parlor_tui.ui.help_text.user_folder", lambda: YOURS / "themes")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("over", OVER)
async def test_picture(over: str, size: str, tmp_path: Path, pictures: Compare) -> None:
    test_conversations.keep(tmp_path / "kept", test_conversations.TALKS)
    (tmp_path / "kept" / "2026-11-28-210455" / "0001-user.wav").write_bytes(b"RIFF")
    chosen = {"conversations.folder": str(tmp_path / "kept"), "devices.camera": "0"}
    app, assistant = stand_in.make_app(Settings().with_values(chosen, "test"))
    app.animation_level = "none"
    async with app.run_test(size=SIZES[size], notifications=True) as pilot:
        at = Desk(app, assistant, pilot)
        await at.tell(*TALK)
        async for name in OVER[over](at):
            await pictures(pilot, name)


@pytest.mark.parametrize("size", SIZES)
async def test_picture_of_the_first_start(
    size: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pictures: Compare
) -> None:
    monkeypatch.setattr(first, "done_file", lambda: tmp_path / "done")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    app, assistant = test_first_run.make(tmp_path)
    app.animation_level = "none"
    async with app.run_test(size=SIZES[size]) as pilot:
        at = Desk(app, assistant, pilot)
        await at.tell(*stand_in.found(), stand_in.offered())
        await at.until("terminal")
        await pictures(pilot, "1")
        await at.press("escape")
        await pictures(pilot, "2")
        await at.press("escape")
        await at.tell(*stand_in.ready(), SPEECH)
        await pictures(pilot, "3")
