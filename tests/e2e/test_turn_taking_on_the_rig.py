"""Talking as people do: over a reply, in short words, with pauses, in a room that echoes. On the virtual rig."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.conftest import Home
from tests.e2e.running import READY_S, Live, headless
from tests.questions import QUESTIONS, VOICES, kokoro, question_wav
from tests.rig import RATE_HZ, Rig
from tests.speaking import character_error_rate, transcribe

STORY = QUESTIONS[5]
AUDIBLE = 0.01


@pytest.fixture
def echoing(rig: Rig) -> Iterator[Rig]:
    """The speaker leaks into the microphone, 60 ms late and 12 dB down."""
    rig.control("echo", "60", "-12")
    yield rig
    rig.control("echo", "off")


def silent_gaps_s(sound: NDArray[np.float32]) -> list[float]:
    """The silences between the first and the last audible sample."""
    loud = np.flatnonzero(np.abs(sound) > AUDIBLE)
    return [float(gap) / RATE_HZ for gap in np.diff(loud) if gap > RATE_HZ // 20]


def in_a_reply(live: Live, count: int) -> None:
    live.wait("audio_started", count=count)
    time.sleep(1.0)


def wav_of(samples: NDArray[np.float32], path: Path) -> Path:
    soundfile.write(path, samples, RATE_HZ)
    return path


@pytest.mark.timeout(300)
def test_in_a_room_that_echoes_it_is_stopped_by_people_alone(echoing: Rig, isolated_home: Home, tmp_path: Path) -> None:
    isolated_home.write_config("[answering]\nmax_tokens = 30\n")
    with headless(home=isolated_home, env=echoing.env) as live:
        live.wait("ready", timeout_s=READY_S)
        echoing.speak(question_wav(STORY))
        first = live.wait("turn_done")
        assert first["status"] == "completed"
        assert live.count("turn_committed") == 1, "it answered itself"
        assert live.count("interrupted") == 0

        echoing.speak(question_wav(STORY, VOICES[2]))
        in_a_reply(live, 2)
        cough = wav_of(coughed(), tmp_path / "cough.wav")
        echoing.speak(cough)
        assert live.wait("turn_done", count=2)["status"] == "completed"
        assert live.count("interrupted") == 0
        made_way = live.of("reply_yields")  # for a moment, or not at all
        assert not made_way or made_way[-1]["how"] == "resumed"
        assert live.count("turn_committed") == 2, "it answered itself"

        echoing.speak(question_wav(STORY, VOICES[3]))
        in_a_reply(live, 3)
        echoing.speak(question_wav("Stop.", VOICES[0]))
        assert live.wait("interrupted")["by"] == "voice"
        done = live.wait("turn_done", count=4)
        words = re.findall(r"\w+", done["heard"].lower())
        assert "stop" in words, done
        assert len(words) <= 3, done

        with echoing.record() as recording:
            echoing.speak(question_wav(QUESTIONS[0], VOICES[1]))
            last = live.wait("turn_done", count=5)
            time.sleep(0.5)
        assert last["status"] == "completed"
        heard = transcribe(wav_of(recording.audio(), tmp_path / "last.wav"))
        # To its end; the small model makes up names that the transcriber does not know.
        assert character_error_rate(last["reply"], heard) <= 0.35, (last["reply"], heard)


def coughed() -> NDArray[np.float32]:
    """A burst of shaped noise of 250 ms, as loud as speech."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.25, int(0.25 * RATE_HZ))
    envelope = np.exp(-np.linspace(0, 4, noise.size)) * np.minimum(1, np.linspace(0, 20, noise.size))
    return np.convolve(noise * envelope, np.ones(6) / 6, "same").astype(np.float32)


@pytest.mark.timeout(240)
def test_a_pause_inside_a_sentence_is_no_end_and_six_sentences_have_no_hole(
    rig: Rig, isolated_home: Home, tmp_path: Path
) -> None:
    isolated_home.write_config("[answering]\nmax_tokens = 80\n")
    with headless(home=isolated_home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        first, second = spoken("Please tell me a long story about a cat and"), spoken("a small brown dog.")
        pause = np.zeros(int(0.8 * RATE_HZ), np.float32)
        rig.speak(wav_of(np.concatenate((first, pause, second)), tmp_path / "paused.wav"))
        with rig.record() as recording:
            done = live.wait("turn_done")
            time.sleep(0.3)
        assert live.count("turn_committed") == 1
        assert "cat" in done["heard"].lower()
        assert "dog" in done["heard"].lower()
        gaps_s = silent_gaps_s(recording.audio())
        assert len(gaps_s) >= 3, "people breathe between sentences"
        assert max(gaps_s) < 1.0


def test_what_is_hardly_speech_brings_no_odd_reply(rig: Rig, isolated_home: Home, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    click = np.zeros(RATE_HZ // 5, np.float32)
    click[:200] = rng.normal(0, 0.4, 200)
    hiss = rng.normal(0, 0.03, RATE_HZ).astype(np.float32)
    blip = (0.3 * np.sin(np.arange(int(0.15 * RATE_HZ)) * 0.12)).astype(np.float32)
    with headless(home=isolated_home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        for name, sound in (("click", click), ("hiss", hiss), ("blip", blip), ("cough", coughed())):
            rig.speak(wav_of(sound, tmp_path / f"{name}.wav"))
            time.sleep(1.0)
        assert live.count("reply_text") == 0
        assert live.count("turn_done", status="completed") == 0
        rig.speak(wav_of(spoken("Yes."), tmp_path / "yes.wav"))
        assert live.wait("turn_committed")
        assert "yes" in live.wait("turn_done", status="completed")["heard"].lower()


def spoken(text: str) -> NDArray[np.float32]:
    from parlor_tui.speech.base import Stop

    return kokoro().synthesise(text, VOICES[1], 1.0, Stop())
