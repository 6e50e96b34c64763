"""F9: what is listed, chosen by keys and by mouse, typed, refused, plugged in meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from parlor_tui.events import DevicesChanged, DeviceUsed, Event, Failed, MicLevel, now_s
from parlor_tui.settings import Devices
from parlor_tui.ui.device_choices import DeviceChoices, news
from parlor_tui.ui.screens.devices import TONE_REFUSED_S, DevicesScreen
from parlor_tui.ui.widgets.level import level_line
from tests.ui import stand_in
from tests.ui.test_camera import camera_on, frame
from tests.ui.test_keys import screen_text
from tests.ui.test_offer import click

FOUND = DevicesChanged(
    at_s=4.0,
    microphones=("Built-in Audio", "USB headset"),
    speakers=("Built-in Audio", "USB headset"),
    cameras=("HD Webcam",),
)
USED: list[Event] = [
    FOUND,
    DeviceUsed(at_s=4.0, kind="microphone", choice="default", label="Built-in Audio"),
    DeviceUsed(at_s=4.0, kind="speaker", choice="USB headset", label="USB headset"),
]


async def opened(pilot: Pilot[int], assistant: stand_in.StandIn, *events: Event) -> DevicesScreen:
    app: Any = pilot.app
    assistant.replay([*stand_in.ready(), *events])
    app.drain()
    await pilot.press("f9")
    await pilot.pause()
    assert isinstance(app.screen, DevicesScreen)
    return app.screen


async def told(pilot: Pilot[int], assistant: stand_in.StandIn, *events: Event) -> str:
    app: Any = pilot.app
    assistant.replay(list(events))
    app.drain()
    await pilot.pause()
    return screen_text(app)


async def test_what_is_there_is_listed_what_is_used_is_marked_and_enter_uses_another() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, assistant)
        assert assistant.asked == [("show_camera", True), ("watch_devices", True)]
        assert "looking what there is" in screen_text(app)
        text = await told(pilot, assistant, *USED)
        assert "looking" not in text
        assert "● default: Built-in Audio" in text
        await pilot.press("down", "down", "down", "enter")
        assert assistant.asked[2:] == [("use_device", ("microphone", "USB headset", True))]
        assert "trying USB headset" in screen_text(app)
        text = await told(
            pilot, assistant, DeviceUsed(at_s=5.0, kind="microphone", choice="USB headset", label="USB headset")
        )
        assert "Microphone: USB headset, from now on" in text
        assert "● USB headset" in text
        await pilot.press("escape")
        await pilot.pause()
        assert assistant.asked[-1] == ("watch_devices", False)
        assert len(app.screen_stack) == 1


async def test_what_happens_while_it_opens_is_not_lost() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        app.action_devices()
        level = MicLevel(at_s=5.0, dbfs=-12.0, speech_probability=0.97)
        text = await told(pilot, assistant, *USED, *camera_on(), level, frame())
        assert isinstance(app.screen, DevicesScreen)
        assert "● default: Built-in Audio" in text


async def test_one_that_cannot_be_used_says_why_where_it_was_chosen() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, assistant, *USED)
        await pilot.press("right", "right")
        await pilot.pause()
        app.screen.query_one("#other-camera", Input).focus()
        await pilot.press(*"/x.png", "enter")
        assert assistant.asked[-1] == ("use_device", ("camera", "/x.png", True))
        text = await told(pilot, assistant, Failed(at_s=6.0, text="/x.png: there is no such file: give a picture"))
        assert "/x.png: there is no such file" in text
        assert app.screen.query_one("#other-camera", Input).value == ""


async def test_what_is_plugged_in_meanwhile_is_listed_and_the_mark_stays_where_it_was() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, assistant, *USED)
        await pilot.press("down", "down", "down")  # at the headset
        more = DevicesChanged(
            at_s=7.0, microphones=("A phone", *FOUND.microphones), speakers=FOUND.speakers, came=("A phone",)
        )
        text = await told(pilot, assistant, more)
        assert "A phone" in text
        await pilot.press("enter")
        assert assistant.asked[-1] == ("use_device", ("microphone", "USB headset", True))
        await pilot.press("escape")
        await pilot.pause()
        assert "A phone can be chosen with f9" in screen_text(app)


async def test_the_speaker_plays_on_demand_and_the_level_moves() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, assistant, *USED)
        quiet = await told(pilot, assistant, MicLevel(at_s=5.0, dbfs=-58.0, speech_probability=0.0))
        loud = await told(pilot, assistant, MicLevel(at_s=5.1, dbfs=-12.0, speech_probability=0.97))
        assert loud.count("━") > quiet.count("━") + 10
        await click(app, pilot, "Speaker")
        await click(app, pilot, "Play")
        assert assistant.asked[-1] == ("play_tone", None)
        refused = Failed(at_s=now_s() + 0.1, text="nothing can be heard")
        assert "nothing can be heard" in await told(pilot, assistant, refused)
        assert "not sent" not in await told(pilot, assistant, Failed(at_s=now_s() + 0.2, text="not sent"))
        await click(app, pilot, "Play")
        later = Failed(at_s=now_s() + TONE_REFUSED_S + 0.1, text="not kept")
        assert "not kept" not in await told(pilot, assistant, later), "the notes were played"


async def test_the_camera_is_seen_here_on_a_narrow_screen_too() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, assistant, *USED, *camera_on())
        assert ("show_camera", True) in assistant.asked
        await pilot.press("left")
        await pilot.pause()
        assert "▀▀▀▀" in await told(pilot, assistant, frame())
        await pilot.press("f9")
        await pilot.pause()
        assert ("show_camera", False) in assistant.asked


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60)])
async def test_it_fits(size: tuple[int, int]) -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, assistant, *USED)
        frame_of = screen.query_one("#devices-frame").region
        assert frame_of.right <= size[0]
        assert frame_of.bottom <= size[1]
        assert screen.query_one("#options-microphone").size.height >= 1


def names(choices: DeviceChoices) -> list[tuple[str, bool]]:
    return [(one.name, one.used) for one in choices.of_kind("microphone")]


def test_a_file_that_is_used_has_a_line_and_a_number_is_the_device_it_stands_for() -> None:
    by_file = DeviceChoices.of(Devices(microphone="talk.wav")).after(FOUND)
    assert names(by_file)[-1] == ("talk.wav", True)
    by_number = DeviceChoices.of(Devices(microphone="1")).after(FOUND)
    by_number = by_number.after(DeviceUsed(at_s=1.0, kind="microphone", choice="1", label="USB headset"))
    assert names(by_number)[-1] == ("USB headset", True)
    assert sum(used for _, used in names(by_number)) == 1


@given(st.text(max_size=12), st.text(max_size=12), st.lists(st.text(max_size=12), max_size=4))
def test_exactly_one_line_is_marked_whatever_is_there(choice: str, label: str, found: list[str]) -> None:
    choices = DeviceChoices.of(Devices(microphone=choice)).after(DevicesChanged(at_s=1.0, microphones=tuple(found)))
    choices = choices.after(DeviceUsed(at_s=1.0, kind="microphone", choice=choice, label=label))
    assert any(one.used for one in choices.of_kind("microphone"))


def test_news_in_one_line() -> None:
    assert news(DevicesChanged(at_s=1.0), "f9") == ""
    assert news(DevicesChanged(at_s=1.0, came=("A", "B")), "f9") == "A and B can be chosen with f9"
    assert news(DevicesChanged(at_s=1.0, came=("A", "B", "C")), "") == "3 devices can be chosen"


@given(st.floats(-200, 20), st.floats(0, 1), st.integers(1, 200))
def test_the_level_keeps_to_its_line(dbfs: float, probability: float, width: int) -> None:
    assert level_line((dbfs, probability), width).cell_length == max(width, 9)
    assert level_line(None, width).cell_length == max(width, 9)


async def test_enter_uses_what_was_marked_although_another_list_shows_before_it_is_answered() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, assistant, *USED)
        for name in ("down", "down", "down", "enter", "right"):
            app.post_message(Key(name, None))
        await pilot.pause()
        await pilot.pause()
        assert assistant.asked[-1] == ("use_device", ("microphone", "USB headset", True))
