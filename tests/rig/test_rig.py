"""The rig itself: what is spoken into the microphone and played by the speaker arrives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from parlor_tui.events import now_s
from tests import rig as rig_module
from tests.rig import RATE_HZ, Rig
from tests.speaking import make_utterance, normalise, transcribe, word_error_rate


def play_tone(rig: Rig, length_s: float) -> None:
    tone = np.sin(2 * np.pi * 440 * np.arange(int(length_s * RATE_HZ)) / RATE_HZ).astype(np.float32) * 0.5
    command = ["pacat", "-d", "virtual_speaker", "--format=float32le", f"--rate={RATE_HZ}", "--channels=1"]
    subprocess.run(command, env={**os.environ, **rig.env}, input=tone.tobytes(), check=True, timeout=20)


def tone_share(audio: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(audio)) ** 2
    frequencies = np.fft.rfftfreq(audio.size, 1 / RATE_HZ)
    return float(spectrum[np.abs(frequencies - 440) < 15].sum() / spectrum.sum())


def test_what_the_speaker_plays_is_recorded_with_its_time(rig: Rig) -> None:
    with rig.record() as recording:
        began_s = now_s()
        play_tone(rig, 1.0)
    audio = recording.audio()
    assert audio.dtype == np.float32
    assert tone_share(audio) > 0.95
    first_s, last_s = recording.first_sound_at_s(), recording.last_sound_at_s()
    assert first_s is not None
    assert last_s is not None
    assert began_s < first_s < began_s + 1.5
    assert last_s - first_s == pytest.approx(1.0, abs=0.1)


def test_portaudio_hears_what_is_spoken(rig: Rig, tmp_path: Path) -> None:
    words = make_utterance("Hello, can you hear me?", tmp_path / "words.wav")
    program = (
        "import sys, threading, subprocess, numpy as np, sounddevice as sd\n"
        "speak = threading.Thread(target=subprocess.run, args=(['paplay', '-d', 'virtual_mic_in', sys.argv[1]],))\n"
        "with sd.InputStream(samplerate=16000, channels=1, dtype='float32') as stream:\n"
        "    speak.start()\n"
        "    audio, _ = stream.read(3 * 16000)\n"
        "print(float(np.abs(audio).max()))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(words)],
        env={**os.environ, **rig.env},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert float(done.stdout) > 0.1


def test_the_microphone_can_be_lost_and_comes_back(rig: Rig) -> None:
    assert "virtual_mic\t" in rig.control("status")
    rig.control("lose-mic")
    assert "virtual_mic\t" not in rig.control("status")
    rig.reset()
    assert "virtual_mic\t" in rig.control("status")


def test_a_killed_and_a_hung_server_come_back(rig: Rig) -> None:
    rig.control("kill-server")
    rig.reset()
    assert "virtual_speaker" in rig.control("status")
    rig.control("kill-server", "STOP")
    rig.reset()
    assert "virtual_speaker" in rig.control("status")


def test_without_pulseaudio_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match=r"needs bash, pulseaudio.*apt-get install .*pulseaudio"):
        rig_module.Rig(tmp_path)


def test_numbers_case_and_punctuation_do_not_count_as_errors() -> None:
    assert normalise("It's 42, or 1,305!") == "its forty two or one thousand three hundred five"
    assert word_error_rate("The answer is forty-two.", "the answer is 42") == 0
    assert word_error_rate("one two three four", "one two tree four") == 0.25


def test_whisper_reads_back_what_espeak_says(tmp_path: Path) -> None:
    text = "The weather is very nice in the city today."
    assert word_error_rate(text, transcribe(make_utterance(text, tmp_path / "text.wav"))) <= 0.25
