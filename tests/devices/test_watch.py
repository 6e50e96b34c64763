"""Devices that come and go: noticed by a glance, by the sound server's word, and listed by another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices import listing, pulse, select, sound_system, watch
from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.listing import Found
from parlor_tui.devices.pulse import PulseDevice, parse_devices
from parlor_tui.devices.watch import Watcher, tells_of_devices
from tests.conftest import ROOT
from tests.rig import Rig
from tests.waiting import until

HEADSET = "USB_headset"


@pytest.fixture(autouse=True)
def product(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children find the product, installed or not."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)


class Told:
    """What a watcher told."""

    def __init__(self) -> None:
        self.lists: list[Found] = []
        self.came: list[tuple[str, ...]] = []

    def __call__(self, found: Found, came: tuple[str, ...]) -> None:
        self.lists.append(found)
        self.came.append(came)


class Machine:
    """A machine whose devices a test plugs in."""

    def __init__(self) -> None:
        self.found: Found | None = Found(("Built-in",), ("Built-in",), ())
        self.look: watch.Glance = ("",)
        self.listed = 0

    def list_now(self) -> Found | None:
        self.listed += 1
        return self.found


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("GLANCE_S", 0.02), ("SETTLE_S", 0.02), ("CHOOSING_S", 0.1)):
        monkeypatch.setattr(watch, name, seconds)


@pytest.mark.usefixtures("fast")
def test_a_list_is_made_only_when_the_glance_changed_and_told_only_when_it_is_another_one() -> None:
    machine, told = Machine(), Told()
    watcher = Watcher(told, list_now=machine.list_now, look=lambda: machine.look, subscribe=False)
    watcher.start()
    until(lambda: machine.listed == 1, "list 1")
    threading.Event().wait(0.3)
    assert machine.listed == 1, "nothing had changed"
    machine.look = ("video0",)
    until(lambda: machine.listed == 2, "list 2")
    machine.found = Found(("Built-in",), ("Built-in",), ("Camera",))
    machine.look = ("video0", "video1")
    until(lambda: len(told.lists) == 2, "another list")
    assert told.came == [(), ("Camera",)]
    machine.found, machine.look = None, ()  # the list could not be made
    until(lambda: machine.listed == 4, "list 4")
    watcher.stop()
    assert len(told.lists) == 2


@pytest.mark.usefixtures("fast")
def test_where_nothing_can_be_glanced_at_it_is_listed_now_and_then_while_somebody_chooses() -> None:
    machine, told = Machine(), Told()
    watcher = Watcher(told, list_now=machine.list_now, look=lambda: None, subscribe=False)
    watcher.start()
    until(lambda: machine.listed == 1, "list 1")
    threading.Event().wait(0.3)
    assert machine.listed == 1
    watcher.choosing(True)
    until(lambda: machine.listed >= 4, "list 4")
    watcher.choosing(False)
    threading.Event().wait(0.2)
    listed = machine.listed
    threading.Event().wait(0.3)
    assert machine.listed == listed
    watcher.stop()


def test_what_is_glanced_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    cards = tmp_path / "cards"
    before = watch.glance(tmp_path, cards)
    (tmp_path / "video0").touch()
    with_camera = watch.glance(tmp_path, cards)
    cards.write_text(" 0 [Headset]: USB-Audio\n", encoding="utf-8")
    assert len({before, with_camera, watch.glance(tmp_path, cards)}) == 3
    monkeypatch.setattr("sys.platform", "darwin")
    assert watch.glance(tmp_path, cards) is None


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("Event 'new' on source #3", True),
        ("Event 'remove' on sink #1", True),
        ("Event 'new' on card #2", True),
        ("Event 'new' on sink-input #41", False),
        ("Event 'new' on source-output #7", False),
        ("Event 'change' on source #3", False),
        ("Event 'new' on client #9", False),
        ("", False),
    ],
)
def test_the_sound_servers_word(line: str, means: bool) -> None:
    assert tells_of_devices(line) is means


def test_recordings_of_what_a_speaker_plays_are_no_microphones() -> None:
    listed = """[
        {"name": "speaker.monitor", "description": "Monitor of Speaker", "monitor_source": "speaker"},
        {"name": "usb", "description": "USB headset", "monitor_source": ""},
        {"name": "speaker", "description": "Speaker", "monitor_source": "speaker.monitor"},
        {"name": "nameless"}, {"description": "no name"}, 7]"""
    assert parse_devices(listed) == [
        PulseDevice("usb", "USB headset"),
        PulseDevice("speaker", "Speaker"),
        PulseDevice("nameless", "nameless"),
    ]


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(str))
def test_whatever_is_printed_is_a_list_or_nothing(text: str) -> None:
    devices = parse_devices(text)
    assert devices is None or isinstance(devices, list)
    found = listing.parse(text)
    assert found is None or isinstance(found, Found)


@given(
    *[st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]))).map(tuple)] * 3,
    st.text(alphabet=st.characters(exclude_categories=["Cs"])),
)
def test_what_the_process_says_is_read_as_it_was_meant(
    microphones: tuple[str, ...], speakers: tuple[str, ...], cameras: tuple[str, ...], trouble: str
) -> None:
    found = Found(microphones, speakers, cameras, trouble)
    assert listing.parse("a library's own line\n" + json.dumps(asdict(found)) + "\n") == found


def pactl(rig: Rig, *words: str) -> str:
    done = subprocess.run(
        ["pactl", *words], env={**rig.env, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def load_headset(rig: Rig) -> str:
    """Plug in a headset's speaker; the number by which it is unplugged."""
    words = ("sink_name=usb", f"sink_properties=device.description={HEADSET}")
    return pactl(rig, "load-module", "module-null-sink", *words)


def test_a_headset_that_is_plugged_in_is_noticed_can_be_used_and_is_missed(rig: Rig) -> None:
    told = Told()
    watcher = Watcher(told)
    watcher.start()
    try:
        until(lambda: bool(told.lists), "a first list")
        assert told.lists[0].microphones == ("Virtual_Microphone",)
        assert HEADSET not in told.lists[0].speakers
        threading.Event().wait(0.3)  # until the server is listened to
        module = load_headset(rig)
        until(lambda: len(told.lists) == 2, "it is noticed")
        assert told.came[1] == (HEADSET,)
        assert sound_system.rescan()
        speaker = select.open_speaker(HEADSET, 500, 40)
        assert speaker is not None
        speaker.start(lambda reason: None)
        playing = pactl(rig, "list", "short", "sink-inputs")
        sinks = dict(line.split("\t")[1::-1] for line in pactl(rig, "list", "short", "sinks").splitlines())
        speaker.stop()
        assert any(line.split("\t")[1] == sinks["usb"] for line in playing.splitlines()), "it plays elsewhere"
        pactl(rig, "unload-module", module)
        until(lambda: len(told.lists) == 3, "that it is gone is noticed")
        assert HEADSET not in told.lists[2].speakers
    finally:
        watcher.stop()


def test_without_a_microphone_there_is_none_to_choose(rig: Rig) -> None:
    with pytest.raises(DeviceError, match=r"there are: Virtual_Microphone$"):
        sound_system.choose("microphone", "Nobody's")
    command = [sys.executable, "-P", "-m", "parlor_tui", "devices", "--json"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(listed.stdout)["served"]["microphones"] == ["Virtual_Microphone"]
    rig.control("lose-mic")
    found = watch.list_in_child()
    assert found is not None
    assert found.microphones == ()
    assert "Virtual_Speaker" in found.speakers


def test_the_way_to_a_device_is_shut_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULSE_SINK", "mine")
    monkeypatch.delenv("PULSE_SOURCE", raising=False)
    with pulse.routed("speaker", "usb"), pulse.routed("microphone", "usb"):
        assert (os.environ["PULSE_SINK"], os.environ["PULSE_SOURCE"]) == ("usb", "usb")
    assert os.environ["PULSE_SINK"] == "mine"
    assert "PULSE_SOURCE" not in os.environ
    with pulse.routed("speaker", ""):
        assert os.environ["PULSE_SINK"] == "mine"
