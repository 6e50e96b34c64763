"""The same talk with files in place of microphone and speaker, and single turns with `ask`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import soundfile

from tests.conftest import Home
from tests.e2e.running import parlor
from tests.questions import QUESTIONS, VOICES, question_wav
from tests.speaking import transcribe, word_error_rate

RATE_HZ = 16_000


def test_a_talk_from_a_file_into_a_file(isolated_home: Home, tmp_path: Path) -> None:
    talk = tmp_path / "talk.wav"
    first, rate_hz = soundfile.read(question_wav(QUESTIONS[0], before_s=0.5))
    soundfile.write(talk, first, rate_hz)
    out = tmp_path / "out.wav"
    done = parlor("--headless", "--mic", talk, "--speaker", out, env=isolated_home.env)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    besides = ("notice", "caption", "reply_text", "pause_judged", "eager_count", "echo_level")
    names = [event["event"] for event in events if event["event"] not in besides]
    assert names == [
        "ready",
        "speech_started",
        "speech_stopped",
        "turn_committed",
        "audio_started",
        "audio_stopped",
        "turn_done",
    ]
    assert all(a["t_ms"] >= 0 for a in events)
    (turn,) = [event for event in events if event["event"] == "turn_done"]
    assert word_error_rate(QUESTIONS[0], turn["heard"]) <= 0.1
    assert word_error_rate(turn["reply"], transcribe(out)) <= 0.1
    sound, rate_hz = soundfile.read(out)
    started = next(event["t_ms"] for event in events if event["event"] == "audio_started")
    first_sound_ms = np.flatnonzero(np.abs(sound) > 0.01)[0] * 1000 / rate_hz
    assert abs(first_sound_ms - started) < 1500, "the silence before the reply is in the recording"
    assert first_sound_ms > 1000
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["nosuch.wav", "text.wav"])
def test_a_talk_from_a_file_that_is_none_ends_at_once(name: str, isolated_home: Home, tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("What is the capital of France?")
    done = parlor("--headless", "--mic", tmp_path / name, "--speaker", "none", env=isolated_home.env, timeout_s=20)
    assert done.returncode in (3, 4)
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr


def test_ask_with_a_recording(isolated_home: Home, tmp_path: Path) -> None:
    out = tmp_path / "reply.wav"
    done = parlor("ask", "--wav", question_wav(QUESTIONS[0]), "--out", out, "--json", env=isolated_home.env)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"heard", "reply", "profile", "audio_seconds", "stages_ms"} <= set(answer)
    assert answer["profile"] == "lite"
    assert word_error_rate(QUESTIONS[0], answer["heard"]) <= 0.1
    assert word_error_rate(answer["reply"], transcribe(out)) <= 0.1
    assert answer["audio_seconds"] == pytest.approx(soundfile.info(out).duration, abs=0.01)
    assert set(answer["stages_ms"]) == {"endpoint", "hear", "first_token", "first_sentence", "first_audio"}


def test_ask_with_text_prints_the_talk(isolated_home: Home) -> None:
    env = {name: value for name, value in isolated_home.env.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = parlor("ask", "--text", "What is the capital of Italy?", env=env)
    collected = [path for path in Path(env["HOME"]).rglob("*") if "onnxruntime" in path.name.lower()]
    assert collected == [], "a library collects events about this machine"
    assert done.returncode == 0, done.stderr
    you, reply = done.stdout.splitlines()
    assert you == "you     What is the capital of Italy?"
    assert "Rome" in reply


def test_ask_with_a_picture_says_that_the_profile_cannot_see(isolated_home: Home, tmp_path: Path) -> None:
    picture = tmp_path / "mug.png"
    cv2.imwrite(str(picture), np.full((480, 640, 3), 90, np.uint8))
    done = parlor("ask", "--text", "What is this?", "--image", picture, "--json", env=isolated_home.env)
    assert done.returncode == 0, done.stderr
    assert any("cannot see" in notice for notice in json.loads(done.stdout)["notices"])


def spoken(seconds: float = 0) -> np.ndarray:
    samples, rate_hz = soundfile.read(question_wav(QUESTIONS[0], VOICES[0]), dtype="float32")
    assert rate_hz == 24_000
    return samples


def eight_bit(path: Path) -> None:
    soundfile.write(path, spoken(), 24_000, subtype="PCM_U8")


def stereo_44_1(path: Path) -> None:
    import soxr

    samples = soxr.resample(spoken(), 24_000, 44_100)
    soundfile.write(path, np.stack([samples, samples], 1), 44_100)


@pytest.mark.parametrize("make", [eight_bit, stereo_44_1])
def test_ask_takes_recordings_of_other_kinds(make: Callable[[Path], None], isolated_home: Home, tmp_path: Path) -> None:
    wav = tmp_path / "other.wav"
    make(wav)
    done = parlor("ask", "--wav", wav, "--json", env=isolated_home.env)
    assert done.returncode == 0, done.stderr
    assert word_error_rate(QUESTIONS[0], json.loads(done.stdout)["heard"]) <= 0.2


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("What is the capital of France?\n" * 10)


def header_alone(path: Path) -> None:
    soundfile.write(path, np.zeros(0, np.float32), RATE_HZ)


def cut_short(path: Path) -> None:
    soundfile.write(path, np.zeros(RATE_HZ, np.float32), RATE_HZ)
    path.write_bytes(path.read_bytes()[:5000])


def ten_minutes(path: Path) -> None:
    soundfile.write(path, np.zeros(600 * RATE_HZ, np.float32), RATE_HZ)


def silence(path: Path) -> None:
    soundfile.write(path, np.zeros(3 * RATE_HZ, np.float32), RATE_HZ)


def noise(path: Path) -> None:
    soundfile.write(path, np.random.default_rng(1).normal(0, 0.01, 3 * RATE_HZ), RATE_HZ)


def folder(path: Path) -> None:
    path.mkdir()


def nothing(path: Path) -> None:
    assert not path.exists()


def not_a_number(path: Path) -> None:
    soundfile.write(path, np.full(RATE_HZ, np.nan, np.float32), RATE_HZ, subtype="FLOAT")


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (empty, 4, ""),
        (text, 4, ""),
        (header_alone, 4, ""),
        (cut_short, 4, "cut short"),
        (ten_minutes, 4, "110"),
        (silence, 4, "no speech"),
        (noise, 4, "no speech"),
        (not_a_number, 4, ""),
        (folder, 4, ""),
        (nothing, 3, "no such file"),
    ],
)
def test_ask_with_a_recording_that_is_none(
    make: Callable[[Path], None], code: int, words: str, isolated_home: Home, tmp_path: Path
) -> None:
    wav = tmp_path / "damaged.wav"
    make(wav)
    done = parlor("ask", "--wav", wav, env=isolated_home.env)
    assert_one_line(done.returncode, done.stdout, done.stderr, code, "damaged.wav", words)


def cut_png(path: Path) -> None:
    noise_rgb = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
    path.write_bytes(cv2.imencode(".png", noise_rgb)[1].tobytes()[:2000])


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [(empty, 4, ""), (text, 4, ""), (cut_png, 4, ""), (folder, 4, ""), (nothing, 3, "no such")],
)
def test_ask_with_a_picture_that_is_none(
    make: Callable[[Path], None], code: int, words: str, isolated_home: Home, tmp_path: Path
) -> None:
    picture = tmp_path / "damaged.png"
    make(picture)
    done = parlor("ask", "--text", "What is this?", "--image", picture, env=isolated_home.env)
    assert_one_line(done.returncode, done.stdout, done.stderr, code, "damaged.png", words)


@pytest.mark.parametrize("out", ["no/such/folder/reply.wav", "reply.mp3"])
def test_ask_that_cannot_save_its_answer(out: str, isolated_home: Home, tmp_path: Path) -> None:
    done = parlor("ask", "--text", "Hello.", "--out", tmp_path / out, env=isolated_home.env)
    assert done.returncode in (3, 4)
    assert len(done.stderr.splitlines()) == 1
    assert Path(out).name in done.stderr


def assert_one_line(code: int, out: str, err: str, expected: int, name: str, words: str) -> None:
    assert (code, out) == (expected, "")
    assert len(err.splitlines()) == 1, err
    assert err.startswith("parlor-tui: ")
    assert name in err
    assert words in err
