"""How much of one sound is another one, later and quieter: whether a microphone hears a speaker. Pure."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

ORDER = 32
"""Coefficients of the prediction that flattens a spectrum: at 16 kHz enough for a voice's resonances."""
COARSE_ORDER = 4
"""Enough for what a small loudspeaker does to a spectrum."""
_NOISE_SHARE = 0.001
_COARSE_NOISE_SHARE = 0.001
"""White noise, as a share of the power, that a prediction takes to be there: what is far below the rest, and so maybe
is the microphone's own noise, is not made as loud as the rest."""
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
    own = _prediction(near * _window(len(near)), ORDER, _NOISE_SHARE)
    left = np.convolve(near, own)[ORDER : len(near)]
    played = np.convolve(far, own)[: len(far)]
    played = np.convolve(played, _prediction(played, COARSE_ORDER, _COARSE_NOISE_SHARE))[: len(far)]
    return likeness(_even(left), _even(played))


@functools.cache
def _window(length: int) -> NDArray[np.float32]:
    return np.hanning(length).astype(np.float32)


def _prediction(sound: NDArray[np.float32], order: int, noise_share: float) -> NDArray[np.float32]:
    """The filter that leaves of `sound` what its last `order` samples do not foretell."""
    products = [np.dot(sound[lag:], sound[: len(sound) - lag]) for lag in range(order + 1)]
    alike = np.asarray(products, np.float64)
    alike[0] = alike[0] * (1 + noise_share) + 1e-9
    at = np.arange(order)
    foretold = np.linalg.solve(alike[np.abs(at[:, np.newaxis] - at)], alike[1:])
    return np.concatenate(([1.0], -foretold)).astype(np.float32)


def _even(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    half = SHORT_SAMPLES // 2
    total = np.cumsum(np.pad(np.square(sound), half), dtype=np.float64)
    power = (total[2 * half :] - total[: -2 * half]) / SHORT_SAMPLES
    least = _LEAST_SHARE * total[-1] / max(1, len(sound))
    return np.asarray(sound / np.sqrt(power + (least + 1e-20)), np.float32)
