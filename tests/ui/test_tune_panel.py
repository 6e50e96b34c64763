"""The side panel on the screen: every control by keys and by mouse, and what the assistant is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import asynccontextmanager
from typing import Any

from textual.events import Key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Static

from parlor_tui.events import DeviceUsed, Failed, Notice, Ready, SpeechStarted, State, StateChanged, Tuned, now_s
from parlor_tui.settings import Tuning
from parlor_tui.settings.presets import COME_ALONG
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.sensed import Side
from parlor_tui.ui.transcript import LineEntry
from parlor_tui.ui.tuning import KNOBS
from parlor_tui.ui.widgets.choice import Choice, Press
from parlor_tui.ui.widgets.prompt import Prompt
from parlor_tui.ui.widgets.slider import LABEL_CELLS, Slider, track_cells
from parlor_tui.ui.widgets.tune_panel import TunePanel
from parlor_tui.ui.widgets.tune_rows import Rows
from tests.ui import stand_in

ALL = Tuning().values()
VOICES = ("af_heart", "bf_emma", "zf_xiaoyi")


class Desk:
    """The screen with its panel open, and an assistant that takes everything over that it is asked for."""

    def __init__(self, app: ParlorApp, assistant: stand_in.StandIn, pilot: Pilot[Any]) -> None:
        self.app, self.assistant, self.pilot = app, assistant, pilot
        self.values: dict[str, Any] = dict(ALL)
        self.answered = 0

    @property
    def panel(self) -> TunePanel:
        return self.app.query_one(TunePanel)

    def asked(self, kind: str) -> list[Any]:
        return [what for call, what in self.assistant.asked if call == kind]

    def line(self, name: str) -> Slider | Choice:
        lines: list[Slider | Choice] = [*self.app.query(Slider), *self.app.query(Choice)]
        return next(line for line in lines if name in (line.name, getattr(getattr(line, "knob", None), "name", "")))

    def press_named(self, name: str) -> Press:
        return next(press for press in self.app.query(Press) if press.name == name)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def focus(self, line: Widget) -> None:
        line.focus()
        await self.pilot.pause()

    async def last_asked(self) -> Mapping[str, Any]:
        """What the panel wants set, all in all, since the last time; after every delay."""
        await self.pilot.pause(0.12)
        wanted: dict[str, Any] = {}
        for values in self.asked("tune")[self.answered :]:
            wanted |= values
        self.answered = len(self.asked("tune"))
        return wanted

    async def answer(self, *, preset: str = "", **more: Any) -> None:
        """Say that everything was taken over."""
        wanted = dict(await self.last_asked())
        changed = {name: ALL[name] if value is None else value for name, value in (wanted | more).items()}
        self.values |= changed
        told = Tuned(
            at_s=now_s(), values=dict(self.values), saved=ALL, changed=tuple(changed), preset=preset,
            presets=(*COME_ALONG, "desk"),
        )  # fmt: skip
        self.tell(told)
        await self.pilot.pause()

    def tell(self, *events: Any) -> None:
        self.assistant.replay(list(events))
        self.app.drain()

    def help(self) -> str:
        return str(self.app.query_one("#tune-help", Static).content)

    def marks(self) -> list[str]:
        entries = self.app._transcript.entries
        return [entry.text for entry in entries if isinstance(entry, LineEntry) and "from here on" in entry.text]


@asynccontextmanager
async def desk(size: tuple[int, int] = (120, 40)) -> Any:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=size) as pilot:
        made = Desk(app, assistant, pilot)
        made.tell(*stand_in.ready(), Ready(at_s=4.0, profile="lite", model="m", load_ms=1.0, voices=VOICES))
        await made.press("f2")
        await made.answer()
        yield made


async def test_f2_opens_it_with_the_focus_and_closes_it_and_so_does_esc() -> None:
    async with desk() as at:
        assert at.panel.display
        assert at.asked("tell_tuning") == [None]
        at.tell(DeviceUsed(at_s=1.0, kind="camera", choice="0", label="a camera"))
        picture = at.app.query_one(Side)
        assert not picture.display, "the talk keeps its room"
        assert at.app.focused is at.line("hearing.mode")
        await at.press("down", "down")
        assert at.app.focused is at.line("hearing.vad_threshold")
        await at.press("f2")
        assert not at.panel.display
        assert picture.display
        assert isinstance(at.app.focused, Prompt)
        await at.press("f2")
        assert at.app.focused is at.line("hearing.vad_threshold"), "one goes on where one was"
        await at.press("escape")
        assert not at.panel.display
        assert isinstance(at.app.focused, Prompt)
        assert at.asked("interrupt") == []
        await at.press("f2")
        at.tell(StateChanged(at_s=5.0, state=State.SPEAKING))
        await at.press("escape")
        assert at.panel.display
        assert at.asked("interrupt") == [None], "a reply is stopped first"


async def test_every_control_is_reached_by_keys_and_seen() -> None:
    async with desk((80, 24)) as at:
        lines = at.panel._rows.lines
        assert len(lines) == len(KNOBS) + 2 + 4, "camera and preset, and four buttons"
        for number, line in enumerate(lines):
            assert at.app.focused is line
            inside = at.app.query_one("TunePanel Rows").region
            assert inside.contains_region(line.region), f"{line} is not seen"
            assert at.help()
            await at.pilot.press("down" if number % 2 else "tab")
        await at.press("shift+tab", "up")
        assert at.app.focused is lines[-2]


async def test_a_banner_or_a_smaller_terminal_hides_no_control_that_has_the_focus() -> None:
    async with desk((120, 36)) as at:
        rows = at.app.query_one(Rows)
        for _ in range(30):
            await at.press("down")
            focused = at.app.focused
            assert focused is not None
            if focused.region.bottom == rows.region.bottom and rows.max_scroll_y > rows.scroll_y:
                break
        at.assistant.replay([Notice(at_s=5.0, text="the microphone gives only silence", severity="warning", key="mic")])
        at.app.drain()
        await seen(at.pilot, rows, focused)
        await at.pilot.resize_terminal(120, 30)
        await seen(at.pilot, rows, focused)


async def seen(pilot: Pilot[Any], rows: Rows, line: Widget) -> None:
    """Wait until the screen is laid out anew, and `line` is in view."""
    for _ in range(50):
        await pilot.pause(0.02)
        if rows.region.contains_region(line.region):
            return
    raise AssertionError(f"{line} is not seen")


async def test_a_slider_has_keys_for_every_step_and_a_refusal_shows_the_value_in_use_again() -> None:
    async with desk() as at:
        slider = at.line("hearing.silence_ms")
        await at.focus(slider)
        for key, wanted in (
            ("right", 610),
            ("left", 600),
            ("shift+right", 700),
            ("pageup", 800),
            ("shift+left", 700),
            ("pagedown", 600),
            ("end", 5000),
            ("home", 100),
        ):
            await at.press(key)
            assert slider.shown.value == wanted, key
        assert await at.last_asked() == {"hearing.silence_ms": 100}
        await at.press("delete")
        assert await at.last_asked() == {"hearing.silence_ms": None}
        assert at.app.query_one(Prompt).text == "", "keys of a slider type nothing"
        await at.answer()
        await at.press("right")
        assert slider.shown.waits
        at.tell(Failed(at_s=now_s(), text="not changed: for a reason"))
        await at.pilot.pause()
        assert slider.shown.value == 600
        assert at.help() == "not changed: for a reason"


async def test_keys_that_come_faster_than_the_screen_is_drawn_are_not_lost() -> None:
    async with desk() as at:
        at.app.screen.set_focus(at.line("hearing.mode"))
        await at.pilot.pause()
        for key in ("down", "down"):
            at.app.post_message(Key(key, None))
        await at.pilot.pause()
        assert at.app.focused is at.line("hearing.vad_threshold")
        for key in ("right", "right", "right"):
            at.app.post_message(Key(key, None))
        await at.pilot.pause()
        assert await at.last_asked() == {"hearing.vad_threshold": 0.53}


async def test_every_control_changes_by_a_key_and_by_the_mouse() -> None:
    async with desk((80, 24)) as at:
        for name, knob in KNOBS.items():
            line = at.line(name)
            line.focus()
            await at.pilot.press("right")
            choices = VOICES if name == "speaking.voice" else knob.choices
            slides = knob.kind == "slider"
            wanted = knob.moved(ALL[name], 1) if slides else knob.next_choice(ALL[name], 1, choices)
            assert line.shown.value == (wanted if slides else knob.words(wanted))
            assert line.shown.changed
            cells = track_cells(line.content_size.width)
            await at.pilot.click(line, offset=(LABEL_CELLS + cells - 1 if slides else LABEL_CELLS, 0))
            wanted = knob.high if slides else ALL[name]
            assert line.shown.value == (wanted if slides else knob.words(wanted)), "at its end; or the one before"
        sliders = {name: knob.high for name, knob in KNOBS.items() if knob.kind == "slider"}
        assert sliders.items() <= (await at.last_asked()).items()
        await at.answer(**sliders)
        assert not any(slider.shown.waits for slider in at.app.query(Slider))


async def test_a_slider_is_clicked_and_dragged_and_a_drag_is_one_line_in_the_talk() -> None:
    async with desk() as at:
        slider = at.line("answering.temperature")
        await at.focus(slider)
        last, began_s = track_cells(slider.content_size.width) - 1, now_s()
        await at.pilot.mouse_down(slider, offset=(LABEL_CELLS, 0))
        assert at.panel._panel.value("answering.temperature") == 0.0
        for cell in range(1, last + 1, 2):
            await at.pilot.hover(slider, offset=(LABEL_CELLS + cell, 0))
        await at.pilot.hover(slider, offset=(LABEL_CELLS + last + 9, 3))
        assert at.panel._panel.value("answering.temperature") == 2.0, "beyond the end is the end"
        assert len(at.asked("tune")) <= 1 + (now_s() - began_s) / 0.1, "at most ten a second"
        await at.pilot.mouse_up(slider, offset=(LABEL_CELLS + last, 0))
        await at.answer()
        await at.pilot.hover(slider, offset=(LABEL_CELLS, 0))
        assert at.panel._panel.value("answering.temperature") == 2.0, "it was let go"
        for _ in range(60):
            if not at.marks():
                await at.pilot.pause(0.05)
        assert at.marks() == ["temperature 2.00 from here on"]
        await at.pilot.click(slider, offset=(slider.content_size.width - 1, 0))
        await at.pilot.pause()
        assert await at.last_asked() == {"answering.temperature": None}, "the mark has it as it was saved"


async def test_a_number_is_typed_entered_refused_and_forgotten() -> None:
    async with desk() as at:
        slider = at.line("hearing.silence_ms")
        await at.focus(slider)
        await at.press("4", "5", "1", "backspace", "0", "enter")
        assert await at.last_asked() == {"hearing.silence_ms": 450}
        await at.answer()
        await at.press("9", "enter")
        assert at.help() == "9 is not a whole number from 100 to 5000 (ms)"
        assert slider.shown.value == 450
        await at.press("7", "0", "0", "escape")
        assert at.panel.display, "esc forgot the number alone"
        await at.press("enter", "7", "tab", "shift+tab", "enter")
        assert await at.last_asked() == {}


async def test_typing_goes_to_the_input_line_but_digits_to_the_slider_at_hand() -> None:
    async with desk() as at:
        await at.focus(at.line("hearing.silence_ms"))
        await at.press("4")
        assert at.app.query_one(Prompt).text == ""
        await at.press("h", "4")
        assert at.app.query_one(Prompt).text == "h4"
        assert isinstance(at.app.focused, Prompt)
        await at.focus(at.line("hearing.mode"))
        await at.press("5")
        assert at.app.query_one(Prompt).text == "h45"
        assert await at.last_asked() == {}


async def test_a_change_stands_in_the_talk_before_what_is_said_after_it() -> None:
    async with desk() as at:
        await at.focus(at.line("hearing.echo"))
        await at.press("right")
        await at.answer()
        at.tell(SpeechStarted(at_s=now_s(), turn=7))
        kinds = [type(entry).__name__ for entry in at.app._transcript.entries[-2:]]
        assert kinds == ["LineEntry", "TurnEntry"]
        await at.press("right")
        await at.answer()
        at.app.query_one(Prompt).focus()
        await at.press("a", "enter")
        assert at.marks() == ["echo headphones from here on", "echo off from here on"]
        assert type(at.app._transcript.entries[-1]).__name__ == "TurnEntry"


async def test_a_sample_is_played_by_its_button_and_by_enter_on_the_voice_and_the_camera_is_switched() -> None:
    async with desk() as at:
        await at.focus(at.line("speaking.voice"))
        await at.press("enter", "left", "enter")
        await at.focus(at.press_named("sample"))
        await at.pilot.click(at.press_named("sample"))
        await at.pilot.pause()
        english, chinese = "Hello! This is how I sound.", "你好！我的声音是这样的。"
        assert at.asked("speak") == [(english, "af_heart"), (chinese, "zf_xiaoyi"), (chinese, "zf_xiaoyi")]
        await at.focus(at.line("camera"))
        await at.press("right")
        assert at.asked("use_device") == [("camera", "default", False)]


async def test_presets_are_passed_used_kept_and_deleted() -> None:
    async with desk() as at:
        preset = at.line("preset")
        await at.focus(preset)
        await at.press("right", "right", "right")
        assert preset.shown.value == "noisy room"
        assert COME_ALONG["noisy room"].why in at.help()
        assert at.asked("use_preset") == [], "passing one uses nothing"
        await at.press("delete")
        assert "only presets of your own" in at.help()
        await at.press("enter")
        assert at.asked("use_preset") == ["noisy room"]
        await at.answer(preset="noisy room", **COME_ALONG["noisy room"].values)
        at.tell(SpeechStarted(at_s=now_s(), turn=7))
        assert at.marks() == ["preset noisy room from here on"]
        await at.press("left", "left", "left")
        assert preset.shown.value == "desk"
        await at.press("delete")
        assert at.asked("delete_preset") == []
        await at.press("delete")
        assert at.asked("delete_preset") == ["desk"]
        await at.focus(at.press_named("keep"))
        await at.press("enter")
        asks = at.app.query_one(Input)
        assert asks.has_focus
        assert at.app.query_one("TunePanel Rows").region.contains_region(asks.region)
        await at.press("escape")
        assert not asks.display
        assert at.panel.display
        await at.press("enter")
        asks.value = ""
        await at.press("m", "y", "space", "1", "enter")
        assert at.asked("keep_preset") == ["my 1"]
        assert at.app.focused is at.press_named("keep")


async def test_all_of_it_is_saved_and_taken_back() -> None:
    async with desk() as at:
        await at.focus(at.press_named("save"))
        await at.pilot.click(at.press_named("save"))
        assert at.asked("save_tuning") == [None]
        await at.pilot.click(at.press_named("reset"))
        assert await at.last_asked() == {}, "there is nothing to take back"
        await at.answer(**{"hearing.silence_ms": 450, "answering.top_k": 3})
        assert at.panel.border_subtitle == "● 2 not saved"
        await at.pilot.click(at.press_named("reset"))
        await at.pilot.pause()
        assert await at.last_asked() == {"hearing.silence_ms": None, "answering.top_k": None}
        await at.answer(**{"hearing.silence_ms": 600, "answering.top_k": 64})
        assert at.panel.border_subtitle == ""
