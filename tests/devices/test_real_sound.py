"""The real microphone and speaker, through PortAudio and PulseAudio, on the rig."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from parlor_tui.devices import select, sound_system
from parlor_tui.devices import speaker as speaker_module
from parlor_tui.devices.base import BLOCK_SAMPLES, MIC_RATE_HZ, SPEAKER_RATE_HZ, DeviceError, Microphone, Speaker
from parlor_tui.devices.resample import resample_whole
from parlor_tui.events import now_s
from tests.devices.told import Told
from tests.rig import RATE_HZ, Rig

pytestmark = pytest.mark.usefixtures("fresh_list")
ROOT = Path(__file__).resolve().parents[2]


_opened: list[Microphone | Speaker] = []


@pytest.fixture
def fresh_list(rig: Rig) -> Iterator[None]:
    """PortAudio lists the devices of the rig, whatever it listed before; a test that failed leaves no stream open."""
    assert sound_system.rescan(), "a test before left a stream open"
    yield
    while _opened:
        _opened.pop().stop()


class Heard:
    """What a microphone gave."""

    def __init__(self) -> None:
        self.blocks: list[np.ndarray] = []
        self.captured_at_s: list[float] = []
        self.given_at_s: list[float] = []

    def __call__(self, block: np.ndarray, captured_at_s: float) -> None:
        self.blocks.append(block)
        self.captured_at_s.append(captured_at_s)
        self.given_at_s.append(now_s())

    def sound(self) -> np.ndarray:
        return np.concatenate(self.blocks)


def chirp(rate_hz: int, seconds: float = 1.5) -> np.ndarray:
    """From 200 to 3000 Hz: matches itself at one place only."""
    t = np.arange(int(rate_hz * seconds)) / rate_hz
    return (0.5 * np.sin(2 * np.pi * (200 * t + (2800 / (2 * seconds)) * t**2))).astype(np.float32)


def likeness(heard: np.ndarray, source: np.ndarray) -> tuple[float, int]:
    """Correlation of `source` with the part of `heard` that matches best, and where that part begins.

    A sound server that changes the rate may place it between two samples.
    """
    size = 1 << int(np.ceil(np.log2(len(heard) + len(source))))
    spectrum, turn = np.fft.rfft(heard, size), 2j * np.pi * np.fft.rfftfreq(size)
    found = []
    for fraction in (0.0, 0.25, 0.5, 0.75):
        placed = np.fft.irfft(spectrum * np.exp(turn * fraction), size)
        cross = np.fft.irfft(np.fft.rfft(placed) * np.conj(np.fft.rfft(source, size)), size)
        at = int(np.argmax(cross[: max(1, len(heard) - len(source) + 1)]))
        part = placed[at : at + len(source)]
        found.append((float(np.dot(part, source) / (np.linalg.norm(part) * np.linalg.norm(source) + 1e-9)), at))
    return max(found)


def wait_until(what: Any, seconds: float) -> bool:
    deadline_s = now_s() + seconds
    while not what():
        if now_s() > deadline_s:
            return False
        threading.Event().wait(0.01)
    return True


def opened_microphone(choice: str = "default") -> Microphone:
    microphone = select.open_microphone(choice)
    assert microphone is not None
    _opened.append(microphone)
    return microphone


def settle(seconds: float = 3.0) -> None:
    """Record once: to its first recorder a null sink that has just started reports sound as 100 ms older than it is."""
    microphone, heard = opened_microphone(), Heard()
    microphone.start(heard, pytest.fail)
    assert wait_until(lambda: heard.blocks, seconds)
    microphone.stop()


def opened_speaker(choice: str = "default", jitter_buffer_ms: int = 500) -> Speaker:
    speaker = select.open_speaker(choice, jitter_buffer_ms, 40)
    assert speaker is not None
    _opened.append(speaker)
    return speaker


def play_all(speaker: Speaker, samples: np.ndarray) -> None:
    at = 0
    while at < len(samples):
        at += speaker.write(samples[at:])
        threading.Event().wait(0.02)


def only_at(rates_hz: set[int], channels: set[int], patch: pytest.MonkeyPatch) -> None:
    """Let PortAudio refuse what a device that knows only these rates and channels refuses; the sound stays real."""
    sd = sound_system.load()

    def strict(kind: type) -> type:
        class Strict(kind):  # type: ignore[misc,valid-type]
            def __init__(self, *, samplerate: int, channels: int, **more: Any) -> None:
                if samplerate not in rates_hz:
                    raise sd.PortAudioError("Error opening stream: Invalid sample rate", -9997)
                if channels not in allowed:
                    raise sd.PortAudioError("Error opening stream: Invalid number of channels", -9998)
                super().__init__(samplerate=samplerate, channels=channels, **more)

        return Strict

    allowed = channels
    patch.setattr(sd, "InputStream", strict(sd.InputStream))
    patch.setattr(sd, "OutputStream", strict(sd.OutputStream))


DEVICE_KINDS = [
    pytest.param(None, None, id="any rate"),
    pytest.param({44100}, {1}, id="44.1 kHz"),
    pytest.param({48000}, {2}, id="48 kHz stereo"),
]


@pytest.mark.parametrize(("rates_hz", "channels"), DEVICE_KINDS)
def test_the_microphone_gives_what_is_said(
    rig: Rig, tmp_path: Path, rates_hz: set[int], channels: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if rates_hz:
        only_at(rates_hz, channels, monkeypatch)
    settle()
    soundfile.write(tmp_path / "said.wav", chirp(48000), 48000)
    microphone, heard, end = opened_microphone(), Heard(), Told()
    microphone.start(heard, end)
    assert wait_until(lambda: heard.blocks, 3)
    said_at_s = now_s()
    rig.speak(tmp_path / "said.wav")
    threading.Event().wait(0.4)
    microphone.stop()
    count = len(heard.blocks)
    threading.Event().wait(0.1)
    assert len(heard.blocks) == count
    assert end.words == []
    assert {block.shape for block in heard.blocks} == {(BLOCK_SAMPLES,)}
    alike, at = likeness(heard.sound(), chirp(MIC_RATE_HZ))
    assert alike > 0.97
    began_at_s = heard.captured_at_s[at // BLOCK_SAMPLES] - (BLOCK_SAMPLES - at % BLOCK_SAMPLES) / MIC_RATE_HZ
    assert 0 < began_at_s - said_at_s < 0.8
    ages_s = np.subtract(heard.given_at_s, heard.captured_at_s)
    assert ages_s.min() >= -0.005
    assert np.median(ages_s) < 0.15
    np.testing.assert_allclose(np.diff(heard.captured_at_s)[5:].mean(), BLOCK_SAMPLES / MIC_RATE_HZ, rtol=0.05)


@pytest.mark.parametrize(("rates_hz", "channels"), DEVICE_KINDS)
def test_the_speaker_plays_what_is_written_and_knows_when(
    rig: Rig, rates_hz: set[int], channels: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if rates_hz:
        only_at(rates_hz, channels, monkeypatch)
    source, lost = chirp(SPEAKER_RATE_HZ), Told()
    with rig.record() as recording:
        speaker = opened_speaker()
        speaker.start(lost)
        threading.Event().wait(0.3)
        for _ in range(2):
            speaker.restart()
            written_at_s = now_s()
            play_all(speaker, source)
            clock = speaker.clock()
            assert clock.first_audible_at_s is not None
            assert 0 <= clock.first_audible_at_s - written_at_s < 0.25
            expected = (now_s() - clock.first_audible_at_s) * SPEAKER_RATE_HZ
            assert clock.played_samples == pytest.approx(min(len(source), expected), abs=0.06 * SPEAKER_RATE_HZ)
            assert wait_until(lambda: speaker.clock().played_samples == len(source), 2)
            assert speaker.clock().written_samples == len(source)
            assert speaker.clock().underruns == 0
            threading.Event().wait(0.3)
            heard_at_s = recording.first_sound_at_s(after_s=written_at_s)
            assert heard_at_s is not None
            assert heard_at_s == pytest.approx(clock.first_audible_at_s, abs=0.12)
        speaker.stop()
    assert lost.words == []
    alike, _ = likeness(recording.audio(), resample_whole(source, SPEAKER_RATE_HZ, RATE_HZ))
    assert alike > 0.97


def test_a_flush_is_heard_as_silence_soon(rig: Rig) -> None:
    with rig.record() as recording:
        speaker = opened_speaker(jitter_buffer_ms=2000)
        speaker.start(pytest.fail)
        assert speaker.write(chirp(SPEAKER_RATE_HZ, 10.0)) == 2 * SPEAKER_RATE_HZ
        assert wait_until(lambda: speaker.clock().played_samples > 12000, 3)
        flushed_at_s = now_s()
        speaker.flush()
        threading.Event().wait(0.6)
        clock = speaker.clock()
        last_at_s = recording.last_sound_at_s()
        speaker.stop()
    assert last_at_s is not None
    assert last_at_s - flushed_at_s < 0.2
    assert clock.buffered_samples == 0
    assert 12000 < clock.played_samples < 12000 + 0.2 * SPEAKER_RATE_HZ


def test_a_held_reply_is_silent_soon_and_goes_on_where_it_was(rig: Rig) -> None:
    source = chirp(SPEAKER_RATE_HZ)
    with rig.record() as recording:
        speaker = opened_speaker(jitter_buffer_ms=2000)
        speaker.start(pytest.fail)
        speaker.wake()
        threading.Event().wait(0.3)
        assert recording.first_sound_at_s(above=0.0005) is None, "what wakes a sink is not heard"
        assert speaker.write(source) == len(source)
        assert wait_until(lambda: speaker.clock().played_samples > 12000, 3)
        held_at_s = now_s()
        speaker.hold()
        threading.Event().wait(0.5)
        stood = speaker.clock().played_samples
        last_at_s = recording.last_sound_at_s()
        assert last_at_s is not None
        assert last_at_s - held_at_s < 0.2
        assert speaker.clock().buffered_samples > 0
        speaker.go_on()
        assert wait_until(lambda: speaker.clock().played_samples == len(source), 3)
        threading.Event().wait(0.2)
        speaker.stop()
    assert 12000 < stood < 12000 + 0.2 * SPEAKER_RATE_HZ
    sound = recording.audio()
    before, where = likeness(sound, source[:11000])
    after, again = likeness(sound, source[stood + 500 :])
    assert before > 0.97
    assert after > 0.97
    assert 0.3 * RATE_HZ < again - where - (stood + 500) < 0.8 * RATE_HZ


def plays_here() -> bool:
    """Whether the server has a stream of this process to play."""
    listed = subprocess.run(
        ["pactl", "--format=json", "list", "sink-inputs"], capture_output=True, text=True, check=True, timeout=10
    )
    return any(one["properties"].get("application.process.id") == str(os.getpid()) for one in json.loads(listed.stdout))


def test_a_speaker_with_nothing_to_play_sleeps_and_is_awake_at_once(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speaker_module, "ASLEEP_AFTER_S", 0.3)
    source, lost = chirp(SPEAKER_RATE_HZ), Told()
    with rig.record() as recording:
        speaker = opened_speaker()
        speaker.start(lost)
        assert wait_until(plays_here, 3)
        for told in (True, False):
            assert wait_until(lambda: not plays_here(), 3)
            threading.Event().wait(0.3)  # the times of before are no help
            if told:
                speaker.wake()
                threading.Event().wait(0.2)
            speaker.restart()
            written_at_s = now_s()
            play_all(speaker, source)
            clock = speaker.clock()
            assert clock.first_audible_at_s is not None
            assert 0 <= clock.first_audible_at_s - written_at_s < 1.0
            assert wait_until(lambda: speaker.clock().played_samples == len(source), 2)
            heard_at_s = recording.first_sound_at_s(after_s=written_at_s)
            assert heard_at_s == pytest.approx(clock.first_audible_at_s, abs=0.2)
            if told:
                known = speaker.reference(clock.first_audible_at_s, MIC_RATE_HZ)
                alike, at = likeness(known, resample_whole(source, SPEAKER_RATE_HZ, MIC_RATE_HZ)[800:12000])
                assert alike > 0.97
                assert abs(at - 800) < 0.03 * MIC_RATE_HZ
        assert wait_until(lambda: not plays_here(), 3)
        speaker.stop()
    assert lost.words == []
    alike, _ = likeness(recording.audio(), resample_whole(source, SPEAKER_RATE_HZ, RATE_HZ))
    assert alike > 0.97


def test_a_speaker_that_is_lost_in_its_sleep_is_told_of_when_it_is_wanted_and_leaves_nothing_behind(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speaker_module, "ASLEEP_AFTER_S", 0.3)
    speaker, lost = opened_speaker(), Told()
    speaker.start(lost)
    assert wait_until(plays_here, 3)
    assert wait_until(lambda: not plays_here(), 3)
    rig.control("kill-server")
    speaker.wake()
    assert lost.wait(8)
    assert len(lost.words) == 1
    assert "cannot go on" in str(lost.words[0])
    speaker.stop()
    assert sound_system.rescan(), "and so the server's devices can be found when it is back"


def test_writes_are_bounded_and_do_not_wait(rig: Rig) -> None:
    speaker = opened_speaker(jitter_buffer_ms=100)
    speaker.start(pytest.fail)
    began_s = now_s()
    taken = sum(speaker.write(np.zeros(24000, np.float32)) for _ in range(50))
    assert now_s() - began_s < 0.2
    assert taken <= 2400 + 0.3 * SPEAKER_RATE_HZ
    assert speaker.clock().buffered_samples <= 2400
    speaker.stop()


def test_the_server_dies(rig: Rig) -> None:
    microphone, speaker, heard, end, lost = opened_microphone(), opened_speaker(), Heard(), Told(), Told()
    microphone.start(heard, end)
    speaker.start(lost)
    assert wait_until(lambda: heard.blocks, 3)
    rig.control("kill-server")
    killed_at_s = now_s()
    assert end.wait(2)
    assert lost.wait(2)
    assert end.at_s[0] - killed_at_s < 2
    with pytest.raises(DeviceError) as caught:
        opened_microphone().start(heard, end)
    assert caught.value.missing
    assert "the sound server does not run" in str(caught.value)
    assert "\n" not in str(caught.value)
    began_s = now_s()
    microphone.stop()
    speaker.stop()
    assert now_s() - began_s < 2.2
    assert len(end.words) == len(lost.words) == 1
    assert "microphone" in str(end.words)
    assert "speaker" in str(lost.words)
    rig.control("start")
    again, heard = opened_microphone(), Heard()
    again.start(heard, end)
    assert wait_until(lambda: heard.blocks, 3)
    again.stop()


def test_the_server_hangs(rig: Rig) -> None:
    microphone, speaker, heard, end, lost = opened_microphone(), opened_speaker(), Heard(), Told(), Told()
    microphone.start(heard, end)
    speaker.start(lost)
    assert wait_until(lambda: heard.blocks, 3)
    threading.Event().wait(0.7)
    rig.control("kill-server", "STOP")
    try:
        assert end.wait(2)
        assert lost.wait(2)
        assert "the sound system hangs" in str(end.words + lost.words)
        began_s = now_s()
        microphone.stop(0.5)
        speaker.stop(0.5)
        assert now_s() - began_s < 1.3
        began_s = now_s()
        with pytest.raises(DeviceError, match="does not answer"):
            opened_microphone().start(heard, end)
        assert now_s() - began_s < sound_system.ANSWER_S * 2 + 1
    finally:
        rig.control("kill-server", "CONT")
    assert wait_until(sound_system.rescan, 15)
    again, heard = opened_microphone(), Heard()
    again.start(heard, end)
    assert wait_until(lambda: heard.blocks, 3)
    again.stop()


LEAVE = """
import sys
from parlor_tui.devices import select
microphone, speaker = select.open_microphone("default"), select.open_speaker("default", 500, 40)
microphone.start(lambda block, at_s: None, lambda reason: None)
speaker.start(lambda reason: None)
print("started", flush=True)
sys.stdin.readline()
microphone.stop(0.5)
speaker.stop(0.5)
"""


def test_a_server_that_hangs_does_not_hold_up_the_end_of_the_program(rig: Rig) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LEAVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        rig.control("kill-server", "STOP")
        try:
            began_s = now_s()
            child.stdin.write("\n")
            child.stdin.flush()
            assert child.wait(3) == 0
            assert now_s() - began_s < 2
        finally:
            child.kill()
            rig.control("kill-server", "CONT")


def test_a_microphone_that_gives_only_zeros_is_a_trouble_and_no_loss(rig: Rig, tmp_path: Path) -> None:
    microphone, heard, end, trouble = opened_microphone(), Heard(), Told(), Told()
    microphone.start(heard, end, trouble)
    assert trouble.wait(7)
    soundfile.write(tmp_path / "said.wav", chirp(48000, 0.5), 48000)
    rig.speak(tmp_path / "said.wav")
    assert wait_until(lambda: len(trouble.words) == 2, 2)
    microphone.stop()
    assert "only silence" in str(trouble.words[0])
    assert trouble.words[1] == ""
    assert end.words == []


def test_stopping_from_within_the_loss(rig: Rig) -> None:
    microphone, heard, done = opened_microphone(), Heard(), Told()

    def stop(reason: str | None) -> None:
        microphone.stop()
        done(reason)

    microphone.start(heard, stop)
    assert wait_until(lambda: heard.blocks, 3)
    rig.control("kill-server")
    assert done.wait(4)


def test_a_listener_that_fails_ends_it_with_a_reason(rig: Rig) -> None:
    def fail(block: np.ndarray, at_s: float) -> None:
        raise RuntimeError("the listener fell over")

    microphone, end = opened_microphone(), Told()
    microphone.start(fail, end)
    assert end.wait(3)
    assert "the listener fell over" in str(end.words)
    microphone.stop()


def test_a_device_that_appears_later_is_found(rig: Rig, tmp_path: Path) -> None:
    rig.control("kill-server")
    assert sound_system.rescan()
    with pytest.raises(DeviceError, match="no microphone found") as caught:
        opened_microphone()
    assert caught.value.missing
    rig.control("start")
    microphone, heard = opened_microphone(), Heard()
    microphone.start(heard, pytest.fail)
    assert wait_until(lambda: heard.blocks, 3)
    assert not sound_system.rescan(), "an open stream forbids a rescan"
    microphone.stop()
    assert sound_system.rescan()


def test_the_command_lists_the_rig(rig: Rig) -> None:
    program = (
        "import argparse, sys; from parlor_tui.commands import devices; from parlor_tui.settings import Settings\n"
        "parser = argparse.ArgumentParser(); devices.add_arguments(parser)\n"
        "sys.exit(devices.run(parser.parse_args(), Settings()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "--json"], capture_output=True, text=True, check=True, timeout=20, cwd=ROOT
    )
    report = json.loads(done.stdout)
    assert [one["name"] for one in report["microphones"] if one["default"]] == ["default"]
    assert [one["name"] for one in report["speakers"] if one["default"]] == ["default"]
    assert all(one["rate_hz"] > 0 and one["channels"] > 0 for one in report["microphones"] + report["speakers"])
    assert report["trouble"] == ""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=20, cwd=ROOT
    )
    assert "*   1 default, ALSA" in done.stdout or "*   0 default, ALSA" in done.stdout
    assert "microphones (setting: default)" in done.stdout
    assert done.stderr == ""
