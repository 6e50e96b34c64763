"""Speech for tests: made with espeak-ng, read back with Whisper tiny.en, compared by word error rate.

`word_error_rate` writes whole numbers as words by itself: a package for that would be a dependency for twenty lines.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.sound_file import read_sound
from parlor_tui.settings import Settings, models_folder

RATE_HZ = 24_000
WHISPER = "whisper-tiny.en"

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()  # noqa: SIM905
_ONES += "sixteen seventeen eighteen nineteen".split()  # noqa: SIM905 - easier to read than twenty strings
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905


def make_utterance(text: str, path: Path, *, words_per_minute: int = 130, voice: str = "en-us+f3") -> Path:
    """Speak `text` into `path`: WAV, mono, 16 bits, 24 kHz. Returns `path`.

    Of the voices of espeak-ng, Whisper tiny.en understands this one best (word error rate 0.03 on seven sentences).
    """
    absent = [tool for tool in ("espeak-ng", "sox") if shutil.which(tool) is None]
    assert not absent, f"speech for tests needs {' and '.join(absent)}: apt-get install espeak-ng sox"
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "espeak.wav"
        _run("espeak-ng", "-v", voice, "-s", str(words_per_minute), "-w", str(raw), "--", text)
        _run("sox", str(raw), "-b", "16", "-c", "1", "-r", str(RATE_HZ), str(path))
    return path


def utterance_16k(text: str) -> NDArray[np.float32]:
    """`text` spoken, as mono samples (-1..1) at 16 kHz."""
    with tempfile.TemporaryDirectory() as folder:
        return read_sound(make_utterance(text, Path(folder) / "utterance.wav"), 60.0)


def transcribe(wav: Path) -> str:
    """What Whisper tiny.en hears in a sound file."""
    segments, _ = _whisper().transcribe(str(wav), language="en", beam_size=1)
    return " ".join(segment.text.strip() for segment in segments)


def word_error_rate(reference: str, hypothesis: str) -> float:
    """Wrong, missing and surplus words per word of `reference`; case, punctuation and digits do not matter."""
    return float(jiwer.wer(normalise(reference), normalise(hypothesis)))


def character_error_rate(reference: str, hypothesis: str) -> float:
    """The same per character: a name that is spelt otherwise was heard all the same."""
    return float(jiwer.cer(normalise(reference), normalise(hypothesis)))


def normalise(text: str) -> str:
    """Lower case, no punctuation, whole numbers below a million in words: "It's 42!" is "its forty two"."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower())
    text = re.sub(r"\d+", lambda number: f" {_in_words(int(number[0]))} ", text)
    return " ".join(re.sub(r"[^\w\s]", " ", re.sub(r"['\u2019]", "", text)).split())


def _in_words(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10 - 2] + (f" {_ONES[number % 10]}" if number % 10 else "")
    if number >= 1_000_000:
        return str(number)
    size, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    rest = f" {_in_words(number % size)}" if number % size else ""
    return f"{_in_words(number // size)} {word}{rest}"


@functools.cache
def _whisper() -> Any:
    from faster_whisper import WhisperModel

    folder = models_folder(Settings()) / WHISPER
    assert folder.is_dir(), f"{folder} is missing: run `parlor-tui models get --profile lite`"
    return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{command[0]}: {done.stderr.strip()}"
