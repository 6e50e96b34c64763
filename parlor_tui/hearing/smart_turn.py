"""Whether a turn sounds finished: smart-turn v3, a classifier that hears how the last words were said."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from parlor_tui import onnx

SAMPLE_RATE_HZ = 16_000
WINDOW_SAMPLES = 8 * SAMPLE_RATE_HZ
"""The model hears the last 8 s; a shorter turn has digital silence before it."""

_PAUSE_SAMPLES = SAMPLE_RATE_HZ // 10
"""Put behind the sound: the model learnt from pauses of 200 ms, is asked after 100, and should not be waited for."""
_FFT_SAMPLES = 400
_HOP_SAMPLES = 160
_MEL_BANDS = 80
_FRAMES = WINDOW_SAMPLES // _HOP_SAMPLES
_SMALLEST_VARIANCE = 1e-7
_SMALLEST_POWER = 1e-10
_DECADES = 8.0
"""What lies further below the loudest band than this is levelled."""


class TurnModelError(Exception):
    """The model cannot be used. The message is one line."""


class EndOfTurnModel(Protocol):
    """Says from the sound alone how likely a turn is over."""

    def finished(self, samples: NDArray[np.float32]) -> float:
        """Probability (0..1) that the turn is over.

        `samples` are the turn so far, mono at 16 kHz, -1..1, up to the pause in question with about 100 ms of it.
        Blocks.
        """


class SmartTurn:
    """smart-turn v3 from its ONNX file, on `threads` threads of the processor.

    It keeps nothing between calls, which may come from several threads at once. Raises TurnModelError if the file is
    not such a model.
    """

    def __init__(self, model: Path, threads: int = 1) -> None:
        try:
            self._session: Any = onnx.session(str(model), threads=threads)
        except onnx.CannotLoad as error:
            raise TurnModelError(f"{model}: {error}") from error
        takes = {entry.name: entry.shape[1:] for entry in self._session.get_inputs()}
        if takes != {"input_features": [_MEL_BANDS, _FRAMES]}:
            raise TurnModelError(f"{model}: not a smart-turn v3 model; it takes {takes}")

    def finished(self, samples: NDArray[np.float32]) -> float:
        """See EndOfTurnModel. Raises TurnModelError if the model fails."""
        heard = np.concatenate([samples[-WINDOW_SAMPLES:], np.zeros(_PAUSE_SAMPLES, np.float32)])
        try:
            (outcome,) = self._session.run(None, {"input_features": log_mel(heard)[None]})
        except Exception as error:
            # ONNX Runtime has an exception type for each of its codes, and they share no base class.
            raise TurnModelError(f"smart-turn failed: {' '.join(str(error).split())[:200]}") from error
        return min(1.0, max(0.0, float(np.asarray(outcome).ravel()[0])))


def log_mel(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The last 8 s of `samples` (mono at 16 kHz) as Whisper's log-mel features: 80 bands of 800 frames.

    A shorter sound stands at the end, after digital silence, whose frames are filled in without being computed.
    """
    sound = samples[-WINDOW_SAMPLES:].astype(np.float32)
    if not len(sound):
        sound = np.zeros(1, np.float32)
    before = WINDOW_SAMPLES - len(sound)
    # Mean and variance are those of the whole window, silence included.
    mean = float(sound.sum(dtype=np.float64)) / WINDOW_SAMPLES
    power = float(np.square(sound - mean, dtype=np.float64).sum()) + before * mean**2
    scale = 1.0 / np.sqrt(power / WINDOW_SAMPLES + _SMALLEST_VARIANCE)
    # Of the frames of silence alone only one is computed: they are all alike, but for the first, which mirrors itself.
    half = _FFT_SAMPLES // 2
    alike = max(0, (before - half) // _HOP_SAMPLES)
    start = alike * _HOP_SAMPLES - half
    tail = np.full(WINDOW_SAMPLES - max(0, start), -mean * scale, np.float32)
    tail[len(tail) - len(sound) :] = (sound - mean) * scale
    left = half if start < 0 else 0
    padded = np.pad(tail, (left, half), mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT_SAMPLES)[::_HOP_SAMPLES][: _FRAMES - alike]
    spectrum = np.fft.rfft(frames * _window(), axis=1)
    strength = np.square(spectrum.real) + np.square(spectrum.imag)
    found = np.log10(np.maximum(strength @ _filters(), _SMALLEST_POWER))
    found = (np.maximum(found, found.max() - _DECADES) + 4.0) / 4.0
    features = np.empty((_MEL_BANDS, _FRAMES), np.float32)
    features[:, alike:] = found.T
    if alike:
        features[:, :alike] = found[0][:, None]
    return features


@cache
def _window() -> NDArray[np.float32]:
    return np.hanning(_FFT_SAMPLES + 1)[:-1].astype(np.float32)


@cache
def _filters() -> NDArray[np.float32]:
    """Triangles that sum the 201 strengths of a spectrum into mel bands, each of the same area."""
    edges_hz = _hertz(np.linspace(0.0, _mel(SAMPLE_RATE_HZ / 2), _MEL_BANDS + 2))
    bins_hz = np.linspace(0.0, SAMPLE_RATE_HZ / 2, _FFT_SAMPLES // 2 + 1)[:, None]
    low, peak, high = edges_hz[:-2], edges_hz[1:-1], edges_hz[2:]
    triangles = np.maximum(0.0, np.minimum((bins_hz - low) / (peak - low), (high - bins_hz) / (high - peak)))
    return (triangles * 2.0 / (high - low)).astype(np.float32)


_LINEAR_MELS = 15.0
"""Slaney's scale: 3 mel for 200 Hz up to 1 kHz (15 mel), above that 27 mel for a factor of 6.4."""
_LOG_STEP = np.log(6.4) / 27.0


def _mel(hertz: float) -> float:
    return float(_LINEAR_MELS + np.log(hertz / 1000.0) / _LOG_STEP) if hertz >= 1000.0 else hertz * 3.0 / 200.0


def _hertz(mels: NDArray[np.float64]) -> NDArray[np.float64]:
    above = 1000.0 * np.exp(_LOG_STEP * (mels - _LINEAR_MELS))
    return np.where(mels >= _LINEAR_MELS, above, mels * 200.0 / 3.0)
