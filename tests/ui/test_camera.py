"""The camera's picture in a terminal: its shape, its colours, where it stands, and when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from parlor_tui.events import CameraFrame, DeviceUsed, Event
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.camera import CameraPicture, fitted, half_blocks, resized, shaded
from parlor_tui.ui.sensed import Side
from parlor_tui.ui.widgets.camera_view import CameraView
from tests.ui import stand_in
from tests.ui.test_keys import screen_text


def picture(width_px: int = 96, height_px: int = 54) -> np.ndarray:
    y, x = np.mgrid[0:height_px, 0:width_px]
    return np.stack([x * 255 // width_px, y * 255 // height_px, 128 + 0 * x], -1).astype(np.uint8)


def frame(rgb: np.ndarray | None = None, at_s: float = 5.0) -> CameraFrame:
    rgb = picture() if rgb is None else rgb
    return CameraFrame(at_s=at_s, width_px=rgb.shape[1], height_px=rgb.shape[0], rgb=rgb.tobytes())


def camera_on(label: str = "HD Webcam", choice: str = "default") -> list[Event]:
    return [DeviceUsed(at_s=4.0, kind="camera", choice=choice, label=label)]


@given(*[st.integers(1, 2000)] * 2, *[st.integers(1, 300)] * 2)
def test_a_picture_keeps_its_shape_within_what_there_is(width: int, height: int, columns: int, rows: int) -> None:
    wide, high = fitted(width, height, columns, rows)
    assert 1 <= wide <= columns
    assert 1 <= high <= rows
    assert wide == columns or high == rows
    if min(wide, high) > 10:
        assert wide / (2 * high) == pytest.approx(width / height, rel=0.12)


@given(*[st.integers(1, 40)] * 4)
def test_another_size_has_the_same_mean(height: int, width: int, high: int, wide: int) -> None:
    assert (
        resized(np.full((height, width, 3), 77, np.uint8), wide, high).tolist() == np.full((high, wide, 3), 77).tolist()
    )
    assert resized(picture(80, 40), 20, 10).mean() == pytest.approx(picture(80, 40).mean(), abs=2)


def test_two_pixels_stand_in_each_cell_and_equal_cells_as_one() -> None:
    rgb = np.zeros((2, 3, 3), np.uint8)
    rgb[0], rgb[1, 2] = (255, 0, 0), (0, 0, 255)
    red, black, blue = (255, 0, 0), (0, 0, 0), (0, 0, 255)
    assert half_blocks(rgb, 3, 1) == [[((red, black), 2), ((red, blue), 1)]]


def test_light_and_dark_without_colours() -> None:
    rgb = np.zeros((1, 3, 3), np.uint8)
    rgb[0, 1], rgb[0, 2] = 128, 255
    assert shaded(rgb, 3, 1) == [" =@"]


def test_a_frame_that_does_not_add_up_is_no_picture() -> None:
    torn = CameraFrame(at_s=1.0, width_px=10, height_px=10, rgb=b"\0" * 299)
    assert CameraPicture().after(torn).rgb is None
    assert CameraPicture().after(CameraFrame(at_s=1.0)).rgb is None
    shown = CameraPicture().after(frame()).rgb
    assert shown is not None
    assert shown.tolist() == picture().tolist()


def test_of_frames_that_nobody_took_yet_only_the_newest_counts() -> None:
    bridge = Bridge()
    for at_s in (1.0, 2.0, 3.0):
        bridge.put(frame(at_s=at_s))
    assert [event.at_s for event in bridge.drain()] == [3.0]


async def test_it_stands_beside_the_talk_where_there_is_room_and_is_sent_only_then() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        assistant.replay([*stand_in.ready(), frame()])
        app.drain()
        await pilot.pause()
        assert not app.query_one(Side).display
        assert assistant.asked == []
        assistant.replay([*camera_on(), frame()])
        app.drain()
        await pilot.pause()
        assert app.query_one(Side).display
        assert assistant.asked == [("show_camera", True)]
        assert "HD Webcam" in screen_text(app)
        assert "▀▀▀" in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert not app.query_one(Side).display
        assert assistant.asked == [("show_camera", True), ("show_camera", False)]


async def test_f6_opens_what_was_used_last_and_closes_it() -> None:
    app, assistant = stand_in.make_app(stand_in.with_camera())
    async with app.run_test(size=(80, 24)) as pilot:
        assistant.replay([*stand_in.ready(), *camera_on(choice="0")])
        app.drain()
        await pilot.press("f6")
        assert assistant.asked == [("use_device", ("camera", "none", False))]
        assistant.replay(camera_on(label="", choice="none"))
        app.drain()
        await pilot.press("f6")
        assert assistant.asked[1:] == [("use_device", ("camera", "0", False))]


async def test_it_is_drawn_anew_only_when_there_is_another_one() -> None:
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        assistant.replay([*stand_in.ready(), *camera_on(), frame()])
        app.drain()
        await pilot.pause()
        view = app.query_one("#side-camera", CameraView)
        drawn = view.render_line(6)
        assert view.render_line(6) is drawn
        assistant.replay(stand_in.hearing())
        app.drain()
        await pilot.pause()
        assert view.render_line(6) is drawn
        assistant.replay([frame(255 - picture())])
        app.drain()
        await pilot.pause()
        assert view.render_line(6) is not drawn


def test_picture_of_the_camera_beside_the_talk(snap_compare: Callable[..., bool]) -> None:
    app, assistant = stand_in.make_app()

    async def play(pilot: Pilot[Any]) -> None:
        assistant.replay([*stand_in.whole_talk(), *camera_on(), frame()])
        app.drain()
        await pilot.pause()

    assert snap_compare(app, terminal_size=(120, 40), run_before=play)
