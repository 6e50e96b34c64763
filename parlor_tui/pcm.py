"""Sound as numbers: 16-bit PCM and back, and how loud it is."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SILENT_DBFS = -120.0
"""The level of digital silence; nothing is said to be quieter."""


def samples_of(pcm16: bytes | bytearray) -> NDArray[np.float32]:
    """16-bit little-endian PCM as samples (-1..1). Raises ValueError for half a sample."""
    return np.frombuffer(pcm16, "<i2").astype(np.float32) / np.float32(32768)


def pcm16_of(samples: NDArray[np.float32]) -> bytes:
    """`samples` as 16-bit little-endian PCM; what is beyond -1..1 is cut."""
    return (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def level_dbfs(samples: NDArray[np.float32]) -> float:
    """RMS level of `samples` (-1..1) in dB below full scale; SILENT_DBFS for digital silence, and for no samples."""
    if not samples.size:
        return SILENT_DBFS
    mean_square = float(np.mean(np.square(samples, dtype=np.float64)))
    return max(SILENT_DBFS, 10.0 * math.log10(mean_square)) if mean_square > 0 else SILENT_DBFS
