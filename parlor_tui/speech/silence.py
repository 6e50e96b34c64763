"""The silence that Kokoro puts before and after what it says. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.base import SAMPLE_RATE_HZ

_FRAME_SAMPLES = SAMPLE_RATE_HZ // 100
_FLOOR_DB = -60.0
_MARGIN_FRAMES = 3
"""Frames kept on either side: a consonant begins and ends below the floor."""

_MARKS = ".,!?…;:—”"
_KEPT_BEFORE, _KEPT_BEHIND = 6, 3
_LAST_SOUND_FRAMES = 9
"""Of the last letter, which Kokoro draws out into the silence, so much may be sound."""


def silent_frames(letters: str, durations: Sequence[int]) -> tuple[int, int]:
    """How many of Kokoro's frames (25 ms) before and behind `letters` are silent and need not be made.

    `durations` are the frames to each letter, and those to the nothing before and after them. Some silence stays,
    since a hiss may begin early and a last sound die away late; `trimmed` takes it. What is left out lies 50 dB below
    the loudest frame or deeper (seven voices in four languages).
    """
    spoken = len(letters.rstrip(_MARKS))
    before = max(0, durations[0] - _KEPT_BEFORE)
    if not spoken:
        return before, 0
    behind = sum(durations[spoken + 1 :]) + max(0, durations[spoken] - _LAST_SOUND_FRAMES)
    return before, max(0, behind - _KEPT_BEHIND)


def trimmed(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """`samples` (mono, 24 kHz) without the silence around them, all but 30 ms; empty if they are silence throughout.

    Silent is what lies 60 dB below the loudest 10 ms.
    """
    count = -(-len(samples) // _FRAME_SAMPLES)
    if count == 0:
        return samples
    padded = np.zeros(count * _FRAME_SAMPLES, np.float64)
    padded[: len(samples)] = samples
    power = np.mean(padded.reshape(count, _FRAME_SAMPLES) ** 2, axis=1)
    heard = np.flatnonzero(power > max(power.max() * 10 ** (_FLOOR_DB / 10), 1e-12))
    if not len(heard):
        return samples[:0]
    first, last = max(0, heard[0] - _MARGIN_FRAMES), heard[-1] + 1 + _MARGIN_FRAMES
    return samples[first * _FRAME_SAMPLES : last * _FRAME_SAMPLES]


def silence(seconds: float) -> NDArray[np.float32]:
    """So much of nothing, at 24 kHz."""
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)
