"""Spoken questions in several of Kokoro's voices, made once for each run of the tests."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import soundfile

from parlor_tui.settings import Settings, models_folder
from parlor_tui.speech.base import SAMPLE_RATE_HZ, Stop
from parlor_tui.speech.kokoro_onnx import KokoroOnnx, read_voices

QUESTIONS = (
    "What is the capital of France?",
    "Who wrote Romeo and Juliet?",
    "Can you tell me something about the ocean?",
    "How are you doing today?",
    "What color is the sky?",
    "Please tell me a short story about a cat.",
    "What is your name?",
    "How many days are there in a week?",
    "When does the sun rise?",
    "Thank you very much for your help.",
)
VOICES = ("am_michael", "af_bella", "bf_emma", "am_adam")


@functools.cache
def kokoro() -> KokoroOnnx:
    """The lite profile's own voice."""
    folder = models_folder(Settings())
    onnx = list((folder / "kokoro-int8").glob("*.onnx"))
    assert onnx, f"{folder} holds no Kokoro: run `parlor-tui models get --profile lite`"
    return KokoroOnnx(onnx[0], read_voices(folder / "kokoro-voices"), threads=2)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="parlor-questions-")


@functools.cache
def question_wav(text: str, voice: str = VOICES[0], before_s: float = 0.0, after_s: float = 0.0) -> Path:
    """A WAV (24 kHz, mono) of `text` spoken by `voice`, with silence before and after it."""
    spoken = kokoro().synthesise(text, voice, 1.0, Stop())
    silences = [np.zeros(int(seconds * SAMPLE_RATE_HZ), np.float32) for seconds in (before_s, after_s)]
    path = Path(_folder().name) / f"{abs(hash((text, voice, before_s, after_s)))}.wav"
    soundfile.write(path, np.concatenate([silences[0], spoken, silences[1]]), SAMPLE_RATE_HZ)
    return path
