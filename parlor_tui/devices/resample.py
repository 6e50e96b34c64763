"""Between a device's own rate and channels and ours; the only module that imports soxr."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import BLOCK_SAMPLES, MIC_RATE_HZ, SPEAKER_RATE_HZ


def resample_whole(samples: NDArray[np.float32], rate_hz: int, to_rate_hz: int) -> NDArray[np.float32]:
    """Mono `samples` at `rate_hz` as samples at `to_rate_hz`."""
    if rate_hz == to_rate_hz or not samples.size:
        return samples
    import soxr

    return np.asarray(soxr.resample(samples, rate_hz, to_rate_hz), np.float32)


def resample_pieces(
    pieces: Iterable[NDArray[np.float32]], rate_hz: int, to_rate_hz: int
) -> Iterator[NDArray[np.float32]]:
    """The same for sound in `pieces`, of which no more than one is held at a time."""
    if rate_hz == to_rate_hz:
        yield from pieces
        return
    import soxr

    stream = soxr.ResampleStream(rate_hz, to_rate_hz, 1, dtype="float32", quality="HQ")
    for piece in pieces:
        yield np.asarray(stream.resample_chunk(piece), np.float32)
    yield np.asarray(stream.resample_chunk(np.zeros(0, np.float32), last=True), np.float32)


def _stream(from_hz: int, to_hz: int) -> Any:
    """A resampler that holds back 20 ms at most; the next better quality holds back 40 and cannot be told in speech."""
    import soxr

    return soxr.ResampleStream(from_hz, to_hz, 1, dtype="float32", quality="LQ")


class MicrophoneBlocks:
    """Cuts what a device gives, at any rate and in pieces of any length, into blocks of 512 mono samples at 16 kHz."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._stream = None if rate_hz == MIC_RATE_HZ else _stream(rate_hz, MIC_RATE_HZ)
        self._taken = 0
        self._given = 0
        self._rest = np.zeros(0, np.float32)

    def feed(self, samples: NDArray[np.float32], last_sample_at_s: float) -> list[tuple[NDArray[np.float32], float]]:
        """Blocks that are full now, each with the time of its last sample.

        `samples` has the shape (n, channels); the last of them was captured at `last_sample_at_s`.
        """
        mono = np.ascontiguousarray(samples.mean(axis=1, dtype=np.float32))
        self._taken += len(mono)
        if self._stream is not None:
            mono = np.asarray(self._stream.resample_chunk(mono), np.float32)
        pending = np.concatenate((self._rest, mono))
        blocks = []
        while len(pending) >= BLOCK_SAMPLES:
            self._given += BLOCK_SAMPLES
            behind_s = self._taken / self._rate_hz - self._given / MIC_RATE_HZ
            blocks.append((np.clip(pending[:BLOCK_SAMPLES], -1.0, 1.0), last_sample_at_s - behind_s))
            pending = pending[BLOCK_SAMPLES:]
        self._rest = pending
        return blocks


class SpeakerFeed:
    """Gives a device at any rate what a source at 24 kHz holds."""

    CHUNK_SAMPLES = SPEAKER_RATE_HZ // 100

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._stream = None if rate_hz == SPEAKER_RATE_HZ else _stream(SPEAKER_RATE_HZ, rate_hz)
        self._taken = 0
        self._given = 0
        self._rest = np.zeros(0, np.float32)

    def fill(self, out: NDArray[np.float32], pull: Callable[[NDArray[np.float32], float], object]) -> None:
        """Fill `out`, mono at the device's rate.

        `pull(chunk, ahead_s)` fills a chunk at 24 kHz; its first sample is heard `ahead_s` after the first of `out`.
        """
        if self._stream is None:
            pull(out, 0.0)
            return
        while len(self._rest) < len(out):
            chunk = np.zeros(self.CHUNK_SAMPLES, np.float32)
            pull(chunk, self._taken / SPEAKER_RATE_HZ - self._given / self._rate_hz)
            self._taken += len(chunk)
            self._rest = np.concatenate((self._rest, np.asarray(self._stream.resample_chunk(chunk), np.float32)))
        out[:] = self._rest[: len(out)]
        self._rest = self._rest[len(out) :]
        self._given += len(out)
