"""People talk to the program through a microphone and hear it through a speaker: the virtual ones."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import soundfile

from tests.conftest import Home
from tests.e2e.running import READY_S, Live, headless
from tests.questions import QUESTIONS, VOICES, question_wav
from tests.rig import RATE_HZ, Recording, Rig
from tests.speaking import transcribe, word_error_rate


def heard_wav(recording: Recording, path: Path) -> Path:
    soundfile.write(path, recording.audio(), RATE_HZ)
    return path


def core_of(live: Live) -> psutil.Process:
    cores = [p for p in psutil.Process(live.process.pid).children() if "core" in p.cmdline()]
    assert len(cores) == 1
    return cores[0]


def test_a_question_is_heard_answered_and_the_answer_sounds_as_it_reads_and_it_ends_in_order(
    rig: Rig, isolated_home: Home, tmp_path: Path
) -> None:
    with headless(home=isolated_home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        with rig.record() as recording:
            rig.speak(question_wav(QUESTIONS[0]))
            done = live.wait("turn_done")
            time.sleep(0.5)
        assert live.count("caption", final=False) >= 1
        assert word_error_rate(QUESTIONS[0], done["heard"]) <= 0.1
        assert done["status"] == "completed"
        assert done["reply"]
        heard = transcribe(heard_wav(recording, tmp_path / "heard.wav"))
        assert word_error_rate(done["reply"], heard) <= 0.1
        stages = done["stages_ms"]
        names = {"endpoint", "hear", "first_token", "first_sentence", "first_audio", "playout", "voice_to_voice"}
        assert set(stages) == names
        assert sum(stages[name] for name in names - {"voice_to_voice"}) == pytest.approx(
            stages["voice_to_voice"], abs=2
        )
        core = core_of(live)
        live.process.send_signal(signal.SIGINT)
        assert live.end(timeout_s=5) == 0
        core.wait(1)


@pytest.mark.timeout(240)
def test_questions_of_four_people_in_one_run_are_as_many_turns(rig: Rig, isolated_home: Home) -> None:
    isolated_home.write_config("[answering]\nmax_tokens = 4\n")
    questions = tuple(QUESTIONS[number] for number in (1, 3, 4, 8))
    with headless(home=isolated_home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        for number, (question, voice) in enumerate(zip(questions, VOICES, strict=True), 1):
            rig.speak(question_wav(question, voice))
            live.wait("turn_done", count=number)
        turns = live.of("turn_done")
        assert [turn["status"] for turn in turns] == ["completed"] * len(questions)
        for question, turn in zip(questions, turns, strict=True):
            assert turn["heard"].split()[0].lower().strip(",.") == question.split()[0].lower()
        assert sum(word_error_rate(q, t["heard"]) for q, t in zip(questions, turns, strict=True)) / 4 <= 0.1
        assert live.count("error") == 0
        assert live.process.poll() is None


def test_a_voice_stops_the_reply_and_the_next_one_is_heard_in_full(
    rig: Rig, isolated_home: Home, tmp_path: Path
) -> None:
    isolated_home.write_config("[answering]\nmax_tokens = 120\n[hearing]\nbarge_in_grace_ms = 300\n")
    with headless(home=isolated_home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        rig.speak(question_wav(QUESTIONS[5]))
        live.wait("audio_started")
        time.sleep(1.0)
        with rig.record() as recording:
            rig.speak(question_wav(QUESTIONS[0]))
            interrupted = live.wait("interrupted")
            assert interrupted["by"] == "voice"
            done = live.wait("turn_done", status="completed")
            time.sleep(0.5)
        assert live.count("turn_done", status="interrupted") == 1
        assert done["turn"] == interrupted["turn"] + 1
        sound = recording.audio()
        loud = np.flatnonzero(np.abs(sound) > 0.01)
        gap = loud[1:][np.diff(loud) > RATE_HZ // 2]
        assert gap.size, "the reply that was stopped went on into the next one"
        soundfile.write(tmp_path / "second.wav", sound[gap[-1] - RATE_HZ // 10 :], RATE_HZ)
        assert word_error_rate(done["reply"], transcribe(tmp_path / "second.wav")) <= 0.2


def test_speech_while_it_thinks_joins_the_turn(rig: Rig, isolated_home: Home) -> None:
    isolated_home.write_config("[hearing]\neager_ms = 0\n")  # it thinks
    with headless(home=isolated_home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        rig.speak(question_wav(QUESTIONS[0]))
        live.wait("turn_committed")
        rig.speak(question_wav(QUESTIONS[1], VOICES[1]))
        second = live.wait("turn_committed", count=2)
        done = live.wait("turn_done", turn=second["turn"])
        assert done["status"] == "completed"
        assert word_error_rate(QUESTIONS[1], done["heard"]) <= 0.2
        captions = [caption["text"] for caption in live.of("caption", final=True)]
        assert any(word_error_rate(QUESTIONS[0], caption) <= 0.2 for caption in captions)
