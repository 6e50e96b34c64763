"""A room of software: what a microphone hears of a speaker and of a person, through the canceller. Deterministic."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from parlor_tui.devices.resample import resample_whole
from parlor_tui.hearing.echo import EchoCanceller
from parlor_tui.hearing.vad import FRAME_SAMPLES, SAMPLE_RATE_HZ, open_vad
from tests.questions import QUESTIONS, question_wav

RECORDINGS = Path(__file__).with_name("recordings")
BLOCK_S = FRAME_SAMPLES / SAMPLE_RATE_HZ
DELAY = round(EchoCanceller.delay_s * SAMPLE_RATE_HZ)


@functools.cache
def spoken(text: str, voice: str, rate_hz: int = SAMPLE_RATE_HZ) -> np.ndarray:
    samples, own_hz = soundfile.read(question_wav(text, voice), dtype="float32")
    return resample_whole(samples, own_hz, rate_hz)


@functools.cache
def replies(rate_hz: int = SAMPLE_RATE_HZ) -> np.ndarray:
    """Two replies with half a second of silence before each: about 7 s."""
    parts = []
    for text in (QUESTIONS[5], QUESTIONS[2]):
        parts += [np.zeros(rate_hz // 2, np.float32), spoken(text, "af_bella", rate_hz)]
    return np.concatenate(parts)


def echo_of(played: np.ndarray, delay_ms: int, db: float) -> np.ndarray:
    """`played` as the microphone hears it: later, quieter, and from the walls as well."""
    random = np.random.default_rng(3)
    walls = random.normal(0, 1, 3200) * 10 ** (-3 * np.arange(3200) / 4000)
    walls[:20], walls[0] = 0, np.sqrt(2 * np.sum(walls[20:] ** 2))
    walls /= np.linalg.norm(walls)
    size = 1 << int(np.ceil(np.log2(len(played) + len(walls))))
    heard = np.fft.irfft(np.fft.rfft(played, size) * np.fft.rfft(walls, size), size)[: len(played)]
    return np.pad(heard * 10 ** (db / 20), (delay_ms * 16, 0))[: len(played)].astype(np.float32)


def hiss(count: int) -> np.ndarray:
    return np.random.default_rng(4).normal(0, 10 ** (-65 / 20), count).astype(np.float32)


def rms(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(samples))))


def loudness(samples: np.ndarray) -> float:
    """Of where there is speech in `samples`."""
    levels = np.sqrt(np.mean(np.square(blocks(samples)), axis=1))
    return float(np.sqrt(np.mean(np.square(levels[levels > levels.max() / 10]))))


@dataclass
class Run:
    cleaned: np.ndarray
    probability: np.ndarray
    canceller: EchoCanceller
    levels: list[tuple[float, float]]


def blocks(samples: np.ndarray) -> np.ndarray:
    return samples[: len(samples) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)


def probabilities(samples: np.ndarray) -> np.ndarray:
    vad = open_vad()
    return np.array([vad.probability(block) for block in blocks(samples)])


def run(microphone: np.ndarray, played: np.ndarray, lost: tuple[int, int] = (0, 0), jitter_s: float = 0.0) -> Run:
    """Through the canceller, with the samples `lost[0]` to `lost[1]` of the microphone gone."""

    def reference(start_s: float, count: int) -> np.ndarray:
        at = round((start_s - 100.0) * SAMPLE_RATE_HZ) + np.arange(count)
        known = (at >= 0) & (at < len(played))
        return np.where(known, played[np.clip(at, 0, len(played) - 1)], 0).astype(np.float32)

    canceller = EchoCanceller(reference)
    random = np.random.default_rng(5)
    when = np.arange(len(microphone))
    kept = (when < lost[0]) | (when >= lost[1])
    cleaned, levels = [], []
    for block, ends in zip(blocks(microphone[kept]), blocks(when[kept])[:, -1], strict=True):
        end_at_s = 100.0 + (ends + 1) / SAMPLE_RATE_HZ + random.uniform(-jitter_s, jitter_s)
        cleaned.extend(one.samples for one in canceller.process(block, end_at_s))
        levels.append((canceller.echo_dbfs, canceller.suppressed_db))
    sound = np.concatenate(cleaned)
    return Run(sound, probabilities(sound), canceller, levels)


@functools.cache
def recorded(name: str) -> np.ndarray:
    """One of the recordings of a person."""
    samples, own_hz = soundfile.read(RECORDINGS / f"{name}.flac", dtype="float32")
    return resample_whole(samples, own_hz, SAMPLE_RATE_HZ)
