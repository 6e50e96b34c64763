"""The silence that Kokoro puts before and after what it says. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
    return next(trimmed_pieces([samples]))


def trimmed_pieces(pieces: Iterable[NDArray[np.float32]]) -> Iterator[NDArray[np.float32]]:
    """Pieces that follow one another, `trimmed` together; each goes on at once, but for silence at its end.

    That is held back until it is known whether a sound follows. The loudest 10 ms are those of what came so far. There
    is at least one piece, which is empty if all was silence.
    """
    loudest, held, begun, owed = 1e-12, np.zeros(0, np.float32), False, 0
    for piece in pieces:
        held = np.concatenate([held, piece])
        count = -(-len(held) // _FRAME_SAMPLES)
        padded = np.zeros(count * _FRAME_SAMPLES, np.float64)
        padded[: len(held)] = held
        power = np.mean(padded.reshape(count, _FRAME_SAMPLES) ** 2, axis=1)
        loudest = max(loudest, power.max(initial=0.0))
        heard = np.flatnonzero(power > max(loudest * 10 ** (_FLOOR_DB / 10), 1e-12))
        if not len(heard):
            continue
        first = 0 if begun else max(0, heard[0] - _MARGIN_FRAMES)
        last = heard[-1] + 1 + _MARGIN_FRAMES
        yield held[first * _FRAME_SAMPLES : last * _FRAME_SAMPLES]
        held, begun, owed = held[last * _FRAME_SAMPLES :], True, max(0, last - count)
    if not begun or (owed and len(held)):
        yield held[: owed * _FRAME_SAMPLES]


def silence(seconds: float) -> NDArray[np.float32]:
    """So much of nothing, at 24 kHz."""
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)
