"""Devices that are chosen, slow, broken, taken away and brought back while the talk goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlor_tui.assistant.devices.looking import has_changed
from parlor_tui.assistant.devices.opening import AT_WORK_AT_MOST
from parlor_tui.assistant.devices.senses import Senses
from parlor_tui.assistant.inbox import CameraGone, Input, MicrophoneTrouble, OfSenses, UseDevice
from parlor_tui.assistant.inbox import DevicesFound as Noticed
from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.listing import Found
from parlor_tui.devices.select import Opener
from parlor_tui.devices.watch import Watcher
from parlor_tui.events import CameraFrame, DevicesChanged, DeviceUsed, Event, Failed, now_s
from parlor_tui.settings import Devices, load
from tests.assistant.loudspeaker import Loudspeaker
from tests.waiting import until


class Plugged(Loudspeaker):
    """A device of any kind: it is told when it is started and stopped, and shows what a test puts before it."""

    def __init__(self, room: Room, name: str) -> None:
        super().__init__()
        self.label = name
        self._room = room
        self.picture: np.ndarray | None = np.zeros((4, 6, 3), np.uint8)

    def start(self, *callbacks: Any) -> None:
        self._room.hold.wait(5)
        if self.label in self._room.exclusive and self._room.open_now:
            raise DeviceError(f"{self.label} cannot be opened: it is in use")
        self._room.open_now.append(self.label)

    def stop(self, timeout_s: float = 1.0) -> None:
        if self.label in self._room.open_now:
            self._room.open_now.remove(self.label)

    def newest_jpeg(self) -> tuple[bytes, float] | None:
        return b"jpeg", now_s()

    def newest_rgb(self, widest_px: int, tallest_px: int) -> tuple[np.ndarray, float] | None:
        return None if self.picture is None else (self.picture, now_s())


class Room:
    """The senses of an assistant, in a room in which devices are plugged in and out; the inbox is taken by `settle`."""

    def __init__(self, file: Path, **chosen: str) -> None:
        self.there = {"built-in", "headset"}
        self.exclusive: set[str] = set()
        self.open_now: list[str] = []
        self.hold = threading.Event()
        self.hold.set()
        self.events: list[Event] = []
        self.notices: list[tuple[str, str]] = []
        self.opened: list[Plugged] = []
        self._inbox: queue.Queue[Input] = queue.Queue()
        devices = Devices(**{"microphone": "none", "speaker": "none", "camera": "none", **chosen})
        opener = Opener(self._open, lambda choice, _buffer, _latency: self._open(choice), self._open)
        self.senses = Senses(
            devices,
            opener,
            self._inbox.put,
            lambda text, key: self.notices.append((key, text)),
            self.events.append,
            file,
            Watcher(lambda found, came: None, list_now=lambda: None, look=lambda: None, subscribe=False),
        )

    def _open(self, choice: str) -> Any:
        if choice == "none":
            return None
        name = "built-in" if choice == "default" else choice
        if name not in self.there:
            raise DeviceError(f"no such device: {name}", missing=True)
        self.opened.append(Plugged(self, name))
        return self.opened[-1]

    def settle(self, until: Callable[[], bool], seconds: float = 5.0) -> None:
        deadline_s = now_s() + seconds
        while not until():
            assert now_s() < deadline_s, f"it did not come to that: {self.events} {self.notices}"
            try:
                message = self._inbox.get(timeout=0.02)
            except queue.Empty:
                continue
            assert isinstance(message, OfSenses)
            self.senses.take(message)

    def label(self, kind: str) -> str:
        used = [event for event in self.events if isinstance(event, DeviceUsed) and event.kind == kind]
        return used[-1].label if used else ""

    def failures(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Failed)]

    def notice(self, key: str) -> str:
        return next((text for name, text in reversed(self.notices) if name == key), "")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_another_microphone_is_used_at_once_and_remembered(file: Path) -> None:
    room = Room(file, microphone="default")
    room.senses.open("microphone")
    room.settle(lambda: room.label("microphone") == "built-in")
    room.senses.take(UseDevice("microphone", "headset", remember=True))
    room.settle(lambda: room.label("microphone") == "headset")
    room.settle(lambda: room.open_now == ["headset"])
    assert load(file).devices.microphone == "headset"
    room.senses.take(UseDevice("microphone", "none", remember=False))
    room.settle(lambda: not room.senses.has_microphone)
    assert load(file).devices.microphone == "headset"
    assert room.failures() == []


def test_one_that_does_not_work_says_why_and_the_old_one_goes_on(file: Path) -> None:
    room = Room(file, speaker="default")
    room.senses.open("speaker")
    room.settle(lambda: room.senses.speaker is not None)
    before = room.senses.speaker
    room.senses.take(UseDevice("speaker", "gone", remember=True))
    room.settle(lambda: bool(room.failures()))
    assert room.failures() == ["no such device: gone; going on with built-in"]
    assert room.senses.speaker is before
    assert room.open_now == ["built-in"]
    assert not file.exists()


def test_nobody_waits_for_a_device_that_is_slow_and_what_was_chosen_last_counts(file: Path) -> None:
    room = Room(file)
    room.hold.clear()
    began_s = now_s()
    room.senses.take(UseDevice("camera", "built-in", remember=False))
    room.senses.take(UseDevice("camera", "headset", remember=False))
    assert now_s() - began_s < 4, "they wait for it"
    room.hold.set()
    room.settle(lambda: room.label("camera") == "headset")
    room.settle(lambda: room.open_now == ["headset"])
    room.senses.close()


def test_one_that_wants_to_be_alone_is_opened_once_the_others_made_way(file: Path) -> None:
    room = Room(file, microphone="default", speaker="default")
    for kind in ("microphone", "speaker"):
        room.senses.open(kind)  # type: ignore[arg-type]
    room.settle(lambda: len(room.open_now) == 2)
    room.settle(lambda: room.label("microphone") == room.label("speaker") == "built-in")
    room.exclusive.add("headset")
    room.senses.take(Noticed(Found(("headset",), ("headset",)), ()))
    room.senses.take(UseDevice("microphone", "headset", remember=False))
    room.settle(lambda: room.label("microphone") == "headset" and room.senses.speaker is not None)
    assert sorted(room.open_now) == ["built-in", "headset"]
    assert room.failures() == []


def test_where_openings_hang_no_other_stream_makes_way_for_one_more(file: Path) -> None:
    room = Room(file, microphone="default")
    room.senses.open("microphone")
    room.settle(lambda: room.senses.has_microphone)
    microphone = room.senses.microphone
    room.hold.clear()
    for _ in range(AT_WORK_AT_MOST):
        room.senses.take(UseDevice("speaker", "headset", remember=False))
    room.senses.take(UseDevice("speaker", "default", remember=False))
    room.settle(lambda: bool(room.failures()))
    assert "does not answer" in room.failures()[0]
    assert room.senses.microphone is microphone
    room.hold.set()


def test_a_speaker_that_falls_silent_while_models_load_is_opened_again_without_a_word(file: Path) -> None:
    room = Room(file, speaker="default")
    room.senses.open("speaker")
    room.settle(lambda: room.senses.speaker is not None)
    room.senses.lost("speaker", "it takes no sound")
    assert room.senses.speaker is None
    room.senses.retry(idle=True)
    room.settle(lambda: room.senses.speaker is not None)
    assert room.notice("speaker") == ""
    room.senses.ready()
    room.senses.lost("speaker", "it takes no sound")
    assert "it takes no sound" in room.notice("speaker")
    room.there.clear()
    room.senses.retry(idle=True)
    room.settle(lambda: "no such device" in room.notice("speaker"))
    room.there.add("built-in")
    room.senses.retry(idle=True)
    room.settle(lambda: room.senses.speaker is not None)
    assert room.notice("speaker") == ""


def test_a_chosen_microphone_that_leaves_the_list_is_gone_and_used_again_when_it_is_back(file: Path) -> None:
    room = Room(file, microphone="headset")
    room.senses.open("microphone")
    room.settle(lambda: room.senses.has_microphone)
    room.senses.take(Noticed(Found(("built-in", "headset")), ()))
    room.senses.take(Noticed(Found(("built-in",)), ()))
    assert not room.senses.has_microphone
    assert "headset is there no more" in room.notice("microphone")
    room.senses.take(Noticed(Found(("built-in", "headset", "phone")), ("headset", "phone")))
    came = [event.came for event in room.events if isinstance(event, DevicesChanged)][-1]
    assert came == ("phone",), "what is waited for is no news"
    room.senses.retry(idle=True)
    room.settle(lambda: room.senses.has_microphone)
    assert room.notice("microphone") == ""


def test_what_is_plugged_in_again_is_looked_for_once_with_every_stream_closed(file: Path) -> None:
    """PortAudio lists a device that came later only then."""
    room = Room(file, microphone="headset", speaker="default")
    room.senses.open("speaker")
    room.settle(lambda: room.senses.speaker is not None)
    room.exclusive.add("headset")
    room.senses.open("microphone")
    room.settle(lambda: "in use" in room.notice("microphone"))
    for _ in range(2):
        room.senses.retry(idle=True)
        room.settle(lambda: not room.senses.is_opening("microphone"))
    assert not room.senses.has_microphone, "the speaker is not to stop for nothing"
    room.senses.take(Noticed(Found(("headset",), ("built-in",)), ()))
    for _ in range(2):
        room.senses.retry(idle=True)
        room.settle(lambda: not room.senses.is_opening("microphone"))
    room.settle(lambda: room.senses.has_microphone and room.senses.speaker is not None)


def test_a_loss_that_is_told_of_an_earlier_device_means_nothing(file: Path) -> None:
    room = Room(file, speaker="default")
    room.senses.open("speaker")
    room.settle(lambda: room.senses.speaker is not None)
    before = room.opened[0]
    room.senses.take(UseDevice("speaker", "headset", remember=False))
    room.settle(lambda: room.label("speaker") == "headset")
    room.senses.ready()
    room.senses.ended("speaker", "it takes no sound", before)
    assert room.senses.speaker is room.opened[1]
    room.senses.ended("speaker", "it takes no sound", room.opened[1])
    assert room.senses.speaker is None
    assert "it takes no sound" in room.notice("speaker")


@pytest.mark.parametrize("kind", ["microphone", "camera"])
def test_trouble_that_an_earlier_device_tells_late_is_not_the_new_ones(file: Path, kind: str) -> None:
    room = Room(file, **{kind: "default"})
    room.senses.open(kind)  # type: ignore[arg-type]
    room.settle(lambda: room.label(kind) == "built-in")
    room.senses.take(UseDevice(kind, "headset", remember=False))  # type: ignore[arg-type]
    room.settle(lambda: room.label(kind) == "headset")
    before, now = room.opened
    for device, told in ((before, False), (now, True)):
        if kind == "camera":
            room.senses.take(CameraGone("no picture", device))
        else:
            room.senses.take(MicrophoneTrouble("only silence", device))
        assert any("no picture" in text or "only silence" in text for _, text in room.notices) is told
    room.senses.close()


def test_one_that_ends_before_it_came_into_use_is_lost_and_opened_again(file: Path) -> None:
    room = Room(file, microphone="default")
    room.senses.ready()
    room.senses.open("microphone")
    until(lambda: bool(room.opened), "it is opened")
    room.senses.ended("microphone", "it died at once", room.opened[0])
    room.settle(lambda: "it died at once" in room.notice("microphone"))
    assert not room.senses.has_microphone
    assert room.senses.hurry, "it is tried again at once"
    room.senses.retry(idle=True)
    room.settle(lambda: room.senses.has_microphone)
    assert room.notice("microphone") == ""


def test_the_camera_is_seen_only_while_somebody_looks_and_a_still_picture_once(file: Path) -> None:
    room = Room(file, camera="built-in")
    room.senses.open("camera")
    room.settle(lambda: room.label("camera") == "built-in")
    threading.Event().wait(0.4)
    frames = lambda: [event for event in room.events if isinstance(event, CameraFrame) and event.rgb]  # noqa: E731
    assert frames() == []
    from parlor_tui.assistant.inbox import ShowCamera

    room.senses.take(ShowCamera(True))
    room.settle(lambda: len(frames()) == 1)
    assert (frames()[0].width_px, frames()[0].height_px, len(frames()[0].rgb)) == (6, 4, 72)
    threading.Event().wait(0.6)
    room.opened[0].picture = np.full((4, 6, 3), 90, np.uint8)
    room.settle(lambda: len(frames()) == 2)
    room.senses.close()


def test_a_camera_that_gives_no_picture_any_more_is_gone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlor_tui.assistant.devices.looking.FIRST_S", 0.2)
    monkeypatch.setattr("parlor_tui.assistant.devices.looking.NOT_SHOWN_S", 0.05)
    room = Room(file, camera="built-in")
    room.senses.open("camera")
    room.settle(lambda: room.label("camera") == "built-in")
    room.opened[0].picture = None
    room.settle(lambda: "the camera is gone" in room.notice("camera"))
    assert room.label("camera") == ""
    room.senses.retry(idle=True)
    room.settle(lambda: room.label("camera") == "built-in")
    assert room.notice("camera") == ""
    room.senses.close()


def test_noise_is_no_change() -> None:
    random = np.random.default_rng(1)
    before = np.full((54, 96, 3), 120, np.uint8)
    noisy = (before + random.integers(-2, 3, before.shape)).astype(np.uint8)
    hand = before.copy()
    hand[:20, :40] = 200
    assert not has_changed(before, noisy)
    assert has_changed(before, hand)
    assert has_changed(None, before)
    assert has_changed(before, before[:10])
