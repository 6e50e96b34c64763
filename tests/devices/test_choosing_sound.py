"""Which device a person means; and a machine that has none."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices import select, sound_system
from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.files import SOUND_SUFFIXES, means_file
from parlor_tui.devices.microphone import DENIED, ZEROS_S, SilenceWatch
from parlor_tui.devices.sound_system import SoundDevice
from parlor_tui.devices.stand_ins import FileMicrophone, FileSpeaker


def device(number: int, name: str, host: str = "WASAPI", ins: int = 1, outs: int = 0, **more: bool) -> SoundDevice:
    flags = {"default_microphone": False, "default_speaker": False, "default_host": host == "WASAPI", **more}
    return SoundDevice(number, name, host, ins, outs, 48000, **flags)


KNOWN = [
    device(0, "Built-in Mic", "MME"),
    device(1, "Built-in Mic", "WASAPI", default_microphone=True),
    device(2, "USB Headset"),
    device(3, "USB Headset Pro"),
    device(4, "USB Headset", ins=0, outs=2, default_speaker=True),
    device(12, "Größe (2- Röde)"),
]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sound_system, "devices", lambda: KNOWN)
    monkeypatch.setattr(sound_system, "rescan", lambda: True)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("choice", "number"),
    [
        ("default", 1),
        ("2", 2),
        ("02", 2),
        ("12", 12),
        ("built-in", 1),
        ("Built-in Mic, MME", 0),
        ("usb headset", 2),
        ("PRO", 3),
        ("RÖDE", 12),
    ],
)
def test_one_is_meant(choice: str, number: int) -> None:
    assert sound_system.choose("microphone", choice).number == number


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("choice", "says", "missing"),
    [
        ("usb", "several match: 2 USB Headset, 3 USB Headset Pro", False),
        ("4", "no such device or file; there are: 0 Built-in Mic", True),
        ("99999999999999999999", "no such device", True),
        ("-1", "no such device", True),
        ("", "no such device", True),
        ("   ", "no such device", True),
        ("a\nb", "no such device", True),
    ],
)
def test_none_or_several_are_meant(choice: str, says: str, missing: bool) -> None:
    with pytest.raises(DeviceError, match=says) as caught:
        sound_system.choose("microphone", choice)
    assert caught.value.missing is missing
    assert "\n" not in str(caught.value)


def outcome(choice: str) -> str:
    try:
        microphone = select.open_microphone(choice)
    except DeviceError as error:
        return str(error)
    return "none" if microphone is None else "a device"


@given(st.text())
def test_any_choice_is_a_device_or_one_line(choice: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sound_system, "devices", lambda: KNOWN)
        patch.setattr(sound_system, "rescan", lambda: False)
        assert "\n" not in outcome(choice)


@pytest.mark.parametrize(
    ("choice", "file"),
    [
        ("talk.wav", True),
        ("TALK.WAV", True),
        ("./talk", True),
        ("/tmp", True),
        ("~/talk", True),
        ("", False),
        ("pulse", False),
        ("hw:0,0", False),
        ("Line (Realtek(R) Audio/2)", False),
        ("x" * 5000, False),
        ("a\0b", False),
    ],
)
def test_what_means_a_file(choice: str, file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert means_file(choice, SOUND_SUFFIXES) is file


def test_files_and_none_need_no_sound_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_portaudio() -> None:
        raise OSError("PortAudio library not found")

    monkeypatch.setattr(sound_system, "_import_sounddevice", no_portaudio)
    soundfile.write(tmp_path / "in.wav", np.zeros(100, np.float32), 16000)
    assert isinstance(select.open_microphone(str(tmp_path / "in.wav")), FileMicrophone)
    speaker = select.open_speaker(str(tmp_path / "out.wav"), 500, 40)
    assert isinstance(speaker, FileSpeaker)
    speaker.stop()
    assert select.open_microphone("none") is None
    assert select.open_speaker("none", 500, 40) is None
    with pytest.raises(DeviceError, match="PortAudio is missing") as caught:
        select.open_microphone("default")
    assert caught.value.missing
    with pytest.raises(DeviceError, match=re.escape("gone.wav")):
        select.open_microphone(str(tmp_path / "gone.wav"))


def test_zeros_are_told_once_and_their_end_too() -> None:
    watch = SilenceWatch()
    zeros, sound = np.zeros((512, 1), np.float32), np.full((512, 1), 1e-5, np.float32)
    told = [watch.feed(zeros, 0.032) for _ in range(400)]
    assert [text for text in told if text is not None] == [DENIED]
    assert told.index(DENIED) * 0.032 == pytest.approx(ZEROS_S, abs=0.05)
    assert watch.feed(sound, 0.032) == ""
    assert watch.feed(sound, 0.032) is None
    assert [watch.feed(zeros, 0.032) for _ in range(50)] == [None] * 50
    assert watch.feed(sound, 0.032) is None


LIST = """
import argparse, sys
from parlor_tui.commands import devices
from parlor_tui.devices import sound_system
from parlor_tui.settings import Settings
if sys.argv[1] == "no-portaudio":
    sys.argv.pop(1)
    import ctypes.util
    ctypes.util.find_library = lambda name: None
parser = argparse.ArgumentParser()
devices.add_arguments(parser)
sys.exit(devices.run(parser.parse_args([a for a in sys.argv[1:] if a]), Settings()))
"""


def listed(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("PULSE_SERVER", "ALSA_CONFIG_PATH", "VIRTUAL_AUDIO_DIR")}
    return subprocess.run(
        [sys.executable, "-c", LIST, *words],
        env={**kept, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


def test_without_portaudio_the_command_says_how_to_get_it() -> None:
    done = listed("no-portaudio")
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("\n") == 1
    assert "PortAudio is missing: sudo apt-get install libportaudio2" in done.stderr
    assert "cameras" in done.stdout
    done = listed("no-portaudio", "--json")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert report["microphones"] == []
    assert "PortAudio is missing" in report["trouble"]


def test_without_a_device_the_command_says_so(tmp_path: Path) -> None:
    done = listed("", PULSE_SERVER=f"unix:{tmp_path}/none", LC_ALL="C")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "no microphone and no speaker found" in done.stderr
    assert done.stderr.count("\n") == 1
