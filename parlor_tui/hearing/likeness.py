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
    that an echo still is what was played, even from across a room, and another voice is like noise. Here `near` is at
    least one sample later than `far`, and the lengths of both are multiples of SHORT_SAMPLES.
    """
    own = _prediction(near * _window(len(near)), ORDER, _NOISE_SHARE)
    left = _even(np.convolve(near, own)[SHORT_SAMPLES : len(near)])
    played = np.convolve(far, own)[: len(far)]
    coloured = np.convolve(played, _prediction(played, COARSE_ORDER, _NOISE_SHARE))[: len(far)]
    spectrum = np.conj(np.fft.rfft(left, len(far)))
    norm = float(np.dot(left, left))
    return max(_even_likeness(spectrum, norm, len(left), _even(one)) for one in (played, coloured))


def _even_likeness(spectrum: NDArray[np.complex64], norm: float, length: int, far: NDArray[np.float32]) -> float:
    """`likeness`, from the spectrum of the nearer sound of `length` samples, where loudness changes in no time."""
    cross = np.abs(np.fft.irfft(np.fft.rfft(far) * spectrum, len(far)))
    lags = len(far) - length
    most = cross[:lags].reshape(-1, SHORT_SAMPLES).max(axis=1)
    total = np.cumsum(np.square(far).reshape(-1, SHORT_SAMPLES).sum(axis=1), dtype=np.float64)
    last = length // SHORT_SAMPLES  # one more than `length`: of all that the lags of a row reach
    power = total[last : last + len(most)] - np.concatenate(([0.0], total[: len(most) - 1]))
    if norm < 1e-6 or power.max() < 1e-6:
        return 0.0
    return float(np.max(most / np.sqrt(np.maximum(power, 1e-4 * power.max()) * norm)))


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
    total = np.cumsum(np.pad(np.square(sound), half))
    power = (total[2 * half :] - total[: -2 * half]) / SHORT_SAMPLES
    least = _LEAST_SHARE * float(total[-1]) / max(1, len(sound))
    return np.asarray(sound / np.sqrt(np.maximum(power, 0.0) + np.float32(least + 1e-20)), np.float32)
