"""How much of one sound is another one, later and quieter: whether a microphone hears a speaker. Pure."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

ORDER = 32
"""Coefficients of the prediction that flattens a spectrum: at 16 kHz enough for a voice's resonances."""
SHORT_SAMPLES = 64
"""4 ms: over so much the loudness is evened out."""
_LEAST_SHARE = 0.05
"""Of the whole's power: what is quieter stays quiet. It is the silence between two sounds."""


def likeness(near: NDArray[np.float32], far: NDArray[np.float32]) -> float:
    """How much of `near` (shape (n,)) is `far` (shape (n + m,)), at most m samples later: 0..1.

    1: nothing else; 0: nothing of it, or one of them is silent. Both end at the same time.
    """
    size, lags = len(far), len(far) - len(near) + 1
    cross = np.abs(np.fft.irfft(np.fft.rfft(far) * np.conj(np.fft.rfft(near, size)), size)[:lags])
    total = np.concatenate(([0.0], np.cumsum(np.square(far, dtype=np.float64))))
    power = total[len(near) :] - total[:lags]
    loudest = float(power.max())
    near_power = float(np.dot(near, near))
    if loudest < 1e-6 or near_power < 1e-6:
        return 0.0
    return float(np.max(cross / np.sqrt(np.maximum(power, 1e-4 * loudest) * near_power)))


def flat_likeness(near: NDArray[np.float32], far: NDArray[np.float32]) -> float:
    """`likeness` of what is left once both are freed of `near`'s spectrum and of their own loudness in time.

    Two voices are somewhat alike because both are voices: in pitch, in resonances, in where they are loud. Without
    that an echo still is what was played, even from across a room, and another voice is like noise.
    """
    prediction = _prediction(near)
    left = np.convolve(near, prediction)[ORDER : len(near)]
    return likeness(_even(left), _even(np.convolve(far, prediction)[: len(far)]))


@functools.cache
def _window(length: int) -> NDArray[np.float32]:
    return np.hanning(length).astype(np.float32)


def _prediction(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    """The filter that leaves of `sound` what its last ORDER samples do not foretell."""
    size = 1 << (2 * len(sound) - 1).bit_length()
    spectrum = np.fft.rfft(sound * _window(len(sound)), size)
    alike = np.fft.irfft(np.square(np.abs(spectrum)), size)[: ORDER + 1].astype(np.float64)
    alike[0] = alike[0] * 1.0001 + 1e-9
    at = np.arange(ORDER)
    foretold = np.linalg.solve(alike[np.abs(at[:, np.newaxis] - at)], alike[1:])
    return np.concatenate(([1.0], -foretold)).astype(np.float32)


def _even(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    half = SHORT_SAMPLES // 2
    total = np.cumsum(np.pad(np.square(sound), half), dtype=np.float64)
    power = (total[2 * half :] - total[: -2 * half]) / SHORT_SAMPLES
    least = _LEAST_SHARE * total[-1] / max(1, len(sound))
    return np.asarray(sound / np.sqrt(power + (least + 1e-20)), np.float32)
