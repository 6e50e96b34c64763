"""Sound files of every kind, whole and damaged, all made here."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import sys
import time
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlor_tui.devices.base import MIC_RATE_HZ, DeviceError
from parlor_tui.devices.sound_file import WavRecording, read_sound

RATES = [8000, 16000, 22050, 44100, 48000, 96000]


def tone(rate_hz: int, seconds: float = 1.0, channels: int = 1) -> np.ndarray:
    mono = 0.5 * np.sin(2 * np.pi * 440 * np.arange(int(rate_hz * seconds)) / rate_hz)
    return np.repeat(mono[:, np.newaxis], channels, axis=1).astype(np.float32)


def refused(path: Path, max_seconds: float = 60.0) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        read_sound(path, max_seconds)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return caught.value


@pytest.mark.parametrize("rate_hz", RATES)
@pytest.mark.parametrize(
    ("kind", "channels", "error"),
    [
        ((".wav", "PCM_U8"), 1, 0.02),
        ((".wav", "PCM_16"), 2, 0.01),
        ((".wav", "PCM_24"), 1, 0.01),
        ((".wav", "FLOAT"), 6, 0.01),
        ((".flac", "PCM_16"), 2, 0.01),
    ],
)
def test_every_kind_becomes_mono_at_16_khz(
    tmp_path: Path, rate_hz: int, kind: tuple[str, str], channels: int, error: float
) -> None:
    suffix, subtype = kind
    path = tmp_path / f"ünï code{suffix}"
    soundfile.write(path, tone(rate_hz, channels=channels), rate_hz, subtype=subtype)
    samples = read_sound(path, 60.0)
    assert samples.dtype == np.float32
    assert samples.shape == (MIC_RATE_HZ,)
    assert np.abs(samples - tone(MIC_RATE_HZ)[:, 0])[300:-300].max() < error


@pytest.mark.parametrize(("suffix", "rate_hz"), [(".mp3", 44100), (".ogg", 48000)])
def test_lossy_kinds_work(tmp_path: Path, suffix: str, rate_hz: int) -> None:
    path = tmp_path / f"talk{suffix}"
    soundfile.write(path, tone(rate_hz, channels=2), rate_hz)
    samples = read_sound(path, 60.0)
    assert len(samples) / MIC_RATE_HZ == pytest.approx(1.0, abs=0.1)
    spectrum = np.abs(np.fft.rfft(samples))
    assert spectrum.argmax() * MIC_RATE_HZ / len(samples) == pytest.approx(440, abs=2)


def test_a_wav_from_a_pipe_has_no_length_and_is_read(tmp_path: Path) -> None:
    path = tmp_path / "piped.wav"
    soundfile.write(path, tone(16000), 16000)
    content = bytearray(path.read_bytes())
    content[4:8] = content[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    assert len(read_sound(path, 60.0)) == 16000


def test_missing_folder_and_empty(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.wav").missing
    assert "no such file" in str(refused(tmp_path / "none.wav"))
    assert "folder" in str(refused(tmp_path))
    empty = tmp_path / "empty.wav"
    empty.touch()
    assert "empty" in str(refused(empty))


@pytest.mark.parametrize("name", ["a\0b.wav", "x" * 5000 + ".wav", "~nobody-of-that-name/x.wav"])
def test_impossible_names(name: str) -> None:
    refused(Path(name))


def test_text_and_noise_named_wav(tmp_path: Path) -> None:
    text = tmp_path / "text.wav"
    text.write_text("not a sound\n" * 50, encoding="utf-8")
    assert "no sound that can be read" in str(refused(text))
    noise = tmp_path / "noise.mp3"
    noise.write_bytes(bytes(range(256)) * 40)
    refused(noise)


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.95])
def test_files_that_were_cut_short(tmp_path: Path, suffix: str, share: float) -> None:
    path = tmp_path / f"cut{suffix}"
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 48000).astype(np.float32)
    soundfile.write(path, noise, 16000)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    refused(path)


def test_only_a_header(tmp_path: Path) -> None:
    path = tmp_path / "header.wav"
    soundfile.write(path, np.zeros(0, np.float32), 16000)
    assert "0 samples" in str(refused(path))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number(tmp_path: Path, value: float) -> None:
    path = tmp_path / "bad.wav"
    samples = tone(16000)
    samples[777] = value
    soundfile.write(path, samples, 16000, subtype="FLOAT")
    assert "NaN" in str(refused(path))


def test_beyond_full_scale_is_clipped(tmp_path: Path) -> None:
    path = tmp_path / "loud.wav"
    soundfile.write(path, tone(16000) * 1e20, 16000, subtype="FLOAT")
    assert np.abs(read_sound(path, 60.0)).max() == 1.0


def test_too_long_says_how_long_and_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    soundfile.write(path, tone(8000, 3.5), 8000)
    message = str(refused(path, 3.0))
    assert "3.5 s" in message
    assert "3 s" in message
    assert len(read_sound(path, 3.5)) == 56000


def test_a_strange_rate(tmp_path: Path) -> None:
    path = tmp_path / "slow.wav"
    soundfile.write(path, tone(16000, 0.01), 11)
    assert "11 Hz" in str(refused(path))


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.wav"
    os.mkfifo(pipe)
    assert "no regular file" in str(refused(pipe))


def sound_or_error(path: Path) -> np.ndarray | str:
    try:
        return read_sound(path, 60.0)
    except DeviceError as error:
        return str(error)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 43), st.binary(min_size=1, max_size=8))
def test_a_header_with_wrong_bytes_gives_a_sound_or_one_line(tmp_path: Path, at: int, wrong: bytes) -> None:
    path = tmp_path / "fuzzed.wav"
    soundfile.write(path, tone(16000, 0.1), 16000)
    content = bytearray(path.read_bytes())
    content[at : at + len(wrong)] = wrong
    path.write_bytes(content)
    outcome = sound_or_error(path)
    if isinstance(outcome, str):
        assert "\n" not in outcome
    else:
        assert np.isfinite(outcome).all()
        assert len(outcome) <= 60 * MIC_RATE_HZ


def test_a_recording_is_whole_after_every_seal(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    recording = WavRecording(path)
    for number in range(1, 4):
        recording.add(np.full(480, 0.25 * number, np.float32))
        recording.seal()
        with wave.open(str(path)) as opened:
            assert (opened.getframerate(), opened.getnchannels(), opened.getsampwidth()) == (24000, 1, 2)
            assert opened.getnframes() == 480 * number
    recording.close()
    recording.close()
    assert struct.unpack("<I", path.read_bytes()[4:8])[0] == path.stat().st_size - 8
    samples, _ = soundfile.read(path)
    np.testing.assert_allclose(samples[::480], [0.25, 0.5, 0.75], atol=1e-4)


def test_a_recording_goes_only_where_it_can(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "x.wav", tmp_path / "dir.wav", Path("a\0.wav"), tmp_path / "x.mp3"):
        if path.name == "dir.wav":
            path.mkdir()
        with pytest.raises(DeviceError, match=re.escape(str(path))):
            WavRecording(path)


KILLED = """
import sys, time, numpy as np
from pathlib import Path
from parlor_tui.devices.stand_ins import FileSpeaker
speaker = FileSpeaker(Path(sys.argv[1]), 500)
speaker.start(lambda reason: print("lost", reason, flush=True))
speaker.write(np.full(12000, 0.5, np.float32))
print("started", flush=True)
time.sleep(60)
"""


def test_a_recording_survives_sigkill(tmp_path: Path) -> None:
    path = tmp_path / "killed.wav"
    with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "started"
        time.sleep(2.3)
        child.send_signal(signal.SIGKILL)
        child.wait(5)
    samples, rate_hz = soundfile.read(path)
    assert rate_hz == 24000
    assert 0.9 * 24000 <= len(samples) <= 2.5 * 24000
    at_half = np.count_nonzero(samples > 0.25)  # a glide of 10 ms at either end: half of it below, half of it above
    assert at_half == pytest.approx(12000, abs=2)
    assert len(read_sound(path, 60.0)) == pytest.approx(len(samples) * 2 / 3, abs=2)
