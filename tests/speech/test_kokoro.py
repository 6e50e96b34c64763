"""Kokoro's runtimes, each with real weights and the same demands. MLX and torch are asked for: -m mlx, -m torch."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

from parlor_tui.captions.whisper import Whisper
from parlor_tui.settings import Settings, models_folder
from parlor_tui.speech.base import SAMPLE_RATE_HZ, Cancelled, SpeechError, Stop, Voice
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.phonemes import phonemes
from parlor_tui.speech.runtime import open_voice
from parlor_tui.speech.silence import trimmed
from parlor_tui.speech.voices import Styles, read_voices, style
from tests.speech.kokoro_weights import tensors, write_mlx, write_onnx, write_torch

HELLO = "Hello there, how are you?"
LONG = "The quick brown fox jumps over the lazy dog, and then it goes home to have something to eat and to rest. " * 3


def model(name: str) -> Path:
    folder = models_folder(Settings()) / name
    assert folder.is_dir(), f"{folder} is not there: run `parlor-tui models get --profile lite`"
    return folder


@pytest.fixture(scope="module")
def styles() -> Styles:
    return read_voices(model("kokoro-voices"))


@pytest.fixture(scope="module", params=["onnx", pytest.param("mlx", marks=pytest.mark.mlx),
                                        pytest.param("torch", marks=pytest.mark.torch)])  # fmt: skip
def kokoro(request: pytest.FixtureRequest, styles: Styles, tmp_path_factory: pytest.TempPathFactory) -> Kokoro:
    """One runtime after the other; the weights of MLX and torch are made from those of ONNX."""
    int8 = next(model("kokoro-int8").glob("*.onnx"))
    weights = int8
    if request.param != "onnx":
        weights = tmp_path_factory.mktemp(request.param)
        write = write_mlx if request.param == "mlx" else write_torch
        write(tensors(int8), weights)
    return open_voice(request.param, weights, styles, threads=2)


@pytest.fixture(scope="module")
def onnx(styles: Styles) -> Kokoro:
    return open_voice("onnx", model("kokoro-int8"), styles, threads=2)


@pytest.fixture(scope="module")
def listener() -> Whisper:
    return Whisper(model("whisper-tiny.en"), "Whisper tiny.en", threads=2)


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def heard(listener: Whisper, samples: NDArray[np.float32]) -> list[str]:
    return words(listener.final(soxr.resample(samples, SAMPLE_RATE_HZ, 16_000)).text)


@pytest.mark.timeout(900)
def test_the_words_come_back(kokoro: Kokoro, listener: Whisper, record_property: Callable[[str, object], None]) -> None:
    began_s = time.monotonic()
    with ThreadPoolExecutor(1) as pool:  # the core loads in one thread and speaks in another
        samples = pool.submit(kokoro.synthesise, HELLO, "af_heart", 1.0, Stop()).result()
    took_s, length_s = time.monotonic() - began_s, len(samples) / SAMPLE_RATE_HZ
    record_property("real_time_factor", round(took_s / length_s, 2))
    assert samples.dtype == np.float32
    assert samples.ndim == 1
    assert 0.9 < length_s < 2.5
    assert 0.05 < np.abs(samples).max() <= 1.5
    assert heard(listener, samples) == words(HELLO)


@pytest.mark.timeout(900)
def test_every_runtime_is_a_voice_with_one_list(kokoro: Kokoro, styles: Styles) -> None:
    voice: Voice = kokoro
    assert voice.name.startswith("Kokoro-82M ")
    assert voice.voices == tuple(sorted(styles))
    with pytest.raises(SpeechError, match="there is no voice 'nobody'"):
        voice.synthesise(HELLO, "nobody", 1.0, Stop())
    with pytest.raises(SpeechError, match=r"the speed is 3; it can be 0\.5 to 2"):
        voice.synthesise(HELLO, "af_heart", 3.0, Stop())
    with pytest.raises(SpeechError, match="cannot speak 'Привет'"):
        voice.synthesise("Привет", "af_heart", 1.0, Stop())


@pytest.mark.timeout(900)
def test_nothing_is_made_for_nobody(kokoro: Kokoro) -> None:
    stop = Stop()
    stop.stop()
    with pytest.raises(Cancelled):
        kokoro.synthesise(HELLO, "af_heart", 1.0, stop)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kokoro", ["onnx", pytest.param("torch", marks=pytest.mark.torch)], indirect=True)
def test_a_stop_ends_it_in_the_middle_and_the_next_one_is_whole(kokoro: Kokoro) -> None:
    whole_s = _seconds(kokoro, LONG)
    stop = Stop()
    timer = threading.Timer(whole_s / 10, stop.stop)
    timer.start()
    began_s = time.monotonic()
    with pytest.raises(Cancelled):
        kokoro.synthesise(LONG, "af_heart", 1.0, stop)
    took_s = time.monotonic() - began_s
    timer.join()
    assert took_s < whole_s / 2
    assert len(kokoro.synthesise("Yes.", "af_heart", 1.0, Stop())) > SAMPLE_RATE_HZ // 5


def _seconds(kokoro: Kokoro, text: str) -> float:
    began_s = time.monotonic()
    kokoro.synthesise(text, "af_heart", 1.0, Stop())
    return time.monotonic() - began_s


@pytest.mark.mlx
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kokoro", ["mlx"], indirect=True)
def test_mlx_does_not_begin_its_second_half_for_nobody(kokoro: Kokoro, styles: Styles) -> None:
    stop = Stop()
    threading.Timer(0.05, stop.stop).start()
    with pytest.raises(Cancelled):
        list(kokoro._run("həlˈO ðˈɛɹ", style(styles["af_heart"], 10), 1.0, stop, in_pieces=False))


@pytest.mark.torch
@pytest.mark.timeout(300)
def test_a_full_precision_graph_with_other_names_speaks_too(styles: Styles, tmp_path: Path, listener: Whisper) -> None:
    write_onnx(tensors(next(model("kokoro-int8").glob("*.onnx"))), tmp_path)
    kokoro = open_voice("onnx", tmp_path, styles, threads=2)
    assert kokoro.name == "Kokoro-82M fp32"
    assert heard(listener, kokoro.synthesise(HELLO, "af_heart", 1.0, Stop())) == words(HELLO)


@pytest.mark.parametrize(
    ("voice", "text"),
    [
        ("zf_xiaobei", "你好，今天天气很好。"),
        ("jf_alpha", "こんにちは、いいてんきですね。"),
        ("ef_dora", "Hola, ¿cómo estás?"),
        ("hf_alpha", "नमस्ते, आप कैसे हैं?"),
    ],
)
def test_voices_speak_their_own_languages(onnx: Kokoro, voice: str, text: str) -> None:
    samples = onnx.synthesise(text, voice, 1.0, Stop())
    loud = np.abs(samples) > 0.02
    assert 0.8 < len(samples) / SAMPLE_RATE_HZ < 4
    assert loud.mean() > 0.2


def test_speed_and_voice_change_from_one_unit_to_the_next(onnx: Kokoro) -> None:
    slow, plain, fast = (len(onnx.synthesise(HELLO, "af_heart", speed, Stop())) for speed in (0.7, 1.0, 1.6))
    assert slow > plain * 1.2 > fast * 1.5
    other = onnx.synthesise(HELLO, "am_michael", 1.0, Stop())
    assert len(other) > SAMPLE_RATE_HZ // 2
    assert len(onnx.synthesise(HELLO, "af_heart", 1.0, Stop())) == plain


def test_silence_around_a_short_unit_is_not_made(onnx: Kokoro, styles: Styles) -> None:
    made = phonemes("Of course.", "en-us")
    samples = np.concatenate(list(onnx._run(made, style(styles["af_heart"], len(made)), 1.0, Stop(), in_pieces=True)))
    kept = trimmed(samples)
    assert len(kept) > 0.4 * SAMPLE_RATE_HZ
    assert len(samples) - len(kept) < 0.3 * SAMPLE_RATE_HZ


def test_a_graph_that_cannot_be_cut_speaks_as_it_is(
    styles: Styles, listener: Whisper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlor_tui.speech.kokoro_onnx._DURATIONS", "/called/otherwise")
    whole = open_voice("onnx", model("kokoro-int8"), styles, threads=2)
    assert heard(listener, whole.synthesise(HELLO, "af_heart", 1.0, Stop())) == words(HELLO)


def test_decimals_are_heard_as_such(onnx: Kokoro, listener: Whisper) -> None:
    samples = onnx.synthesise("It is 1.5 metres long.", "af_heart", 1.0, Stop())
    text = listener.final(soxr.resample(samples, SAMPLE_RATE_HZ, 16_000)).text.lower()
    assert "1.5" in text or "one point five" in text


def test_800_characters_without_a_mark_are_spoken_to_the_end(onnx: Kokoro, listener: Whisper) -> None:
    text = ("we walked along the river and we talked about the weather " * 14)[:760] + "until it was getting late today"
    samples = onnx.synthesise(text, "af_heart", 1.3, Stop())
    assert len(samples) / SAMPLE_RATE_HZ > 25
    assert heard(listener, samples[-4 * SAMPLE_RATE_HZ :])[-4:] == ["was", "getting", "late", "today"]


def test_a_file_that_is_no_kokoro_is_refused(tmp_path: Path, styles: Styles) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"not a model")
    with pytest.raises(SpeechError, match=r"broken\.onnx"):
        open_voice("onnx", tmp_path, styles, threads=1)
    with pytest.raises(SpeechError, match="there are no voices"):
        open_voice("onnx", model("kokoro-int8"), {}, threads=1)
