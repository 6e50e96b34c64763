"""What was audible and when: the reference of the echo canceller. Pure: time is passed in.

The times that a sound system reports jitter by milliseconds from pull to pull, the sound itself does not: samples are
kept on one line, and its place in time is corrected only when the reports leave it for good.
"""

from __future__ import annotations

import functools
import math
import threading

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ

KEPT_S = 2.0
AHEAD_S = 1.0
"""The longest that a device holds sound back."""
SMOOTHING_S = 0.5
TOLERATED_S = 0.005
"""A constant error does no harm to a canceller, every correction does."""
SLIP_EVERY_S = 0.2
"""So 200 ppm at most are followed. Faster, and the canceller loses the echo."""
TORN_S = 0.015
TORN_FOR_S = 0.05
"""Times that are wrong by this much for this long are right: the device missed its time and said nothing."""
SETTLING_S = 0.1
SETTLED_S = 0.0005
"""After a gap that the device did tell, its first times are some ms off, the next ones exact."""
_REACH = 24
"""Samples at 24 kHz to each side of a sample at 16 kHz that its value is made from."""


@functools.cache
def _taps() -> NDArray[np.float32]:
    """Low-pass at 7.4 kHz, shape (2, 48): for places on a sample, and for places half-way between two."""
    cutoff = 7400.0 / SPEAKER_RATE_HZ * 2
    at = np.arange(-_REACH + 1, _REACH + 1, dtype=np.float64)
    rows = []
    for shift in (0.0, 0.5):
        distance = at - shift
        window = 0.5 + 0.5 * np.cos(np.pi * np.clip(distance / _REACH, -1.0, 1.0))
        row = cutoff * np.sinc(cutoff * distance) * window
        rows.append(row / row.sum())
    return np.asarray(rows, np.float32)


class PlayedSound:
    """The last two seconds of what is audible, on one line; every method may be called from any thread."""

    def __init__(self) -> None:
        self._ring = np.zeros(int((KEPT_S + AHEAD_S) * SPEAKER_RATE_HZ), np.float32)
        self._total = 0
        self._origin_s: float | None = None
        self._drift_s = 0.0
        self._since_slip_s = 0.0
        self._torn_s = 0.0
        self._settling_s = 0.0
        self._tears = 0
        self._lock = threading.Lock()

    @property
    def tears(self) -> int:
        """How often the device missed its time, and something else than what was pulled was audible."""
        return self._tears

    def torn(self) -> None:
        """The device says that it missed its time before what comes with the next `add`."""
        with self._lock:
            self._settling_s = SETTLING_S
            self._tears += 1

    def slept(self) -> None:
        """Nothing was pulled for a while: the times of what comes next have nothing to do with those before."""
        with self._lock:
            self._settling_s = SETTLING_S

    def add(self, samples: NDArray[np.float32], audible_at_s: float) -> None:
        """`samples` (mono, 24 kHz) follow those before; the first is said to be audible at `audible_at_s`."""
        if not len(samples):
            return
        with self._lock:
            self._place(audible_at_s, len(samples) / SPEAKER_RATE_HZ)
            self._append(samples)

    def read(self, start_s: float, count: int) -> NDArray[np.float32]:
        """`count` samples at 16 kHz of what is audible from `start_s` on; zeros where nothing is known."""
        with self._lock:
            if self._origin_s is None or count <= 0:
                return np.zeros(max(0, count), np.float32)
            first = round((start_s - self._origin_s) * SPEAKER_RATE_HZ)
            length = math.ceil(count * SPEAKER_RATE_HZ / MIC_RATE_HZ) + 2 * _REACH
            at = first - _REACH + 1 + np.arange(length)
            known = (at >= max(0, self._total - len(self._ring))) & (at < self._total)
            sound = np.where(known, self._ring[at % len(self._ring)], np.float32(0.0))
        if not sound.any():
            return np.zeros(count, np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(sound, 2 * _REACH)
        out = np.empty(count, np.float32)
        out[0::2] = windows[0::3][: (count + 1) // 2] @ _taps()[0]
        out[1::2] = windows[1::3][: count // 2] @ _taps()[1]
        return out

    def _append(self, samples: NDArray[np.float32]) -> None:
        kept = samples[-len(self._ring) :]
        first = (self._total + len(samples) - len(kept)) % len(self._ring)
        before_end = min(len(kept), len(self._ring) - first)
        self._ring[first : first + before_end] = kept[:before_end]
        self._ring[: len(kept) - before_end] = kept[before_end:]
        self._total += len(samples)

    def _place(self, audible_at_s: float, length_s: float) -> None:
        if self._origin_s is None:
            self._origin_s = audible_at_s
            return
        off_s = audible_at_s - (self._origin_s + self._total / SPEAKER_RATE_HZ)
        self._torn_s = self._torn_s + length_s if abs(off_s) > TORN_S else 0.0
        if self._settling_s > 0.0:
            self._settling_s -= length_s
            if abs(off_s) > SETTLED_S:
                self._leap(off_s)
        elif self._torn_s > TORN_FOR_S:
            self._tears += 1
            self._leap(off_s, since_s=self._torn_s - length_s)
        elif not self._torn_s:
            self._follow(off_s, length_s)

    def _leap(self, off_s: float, since_s: float = 0.0) -> None:
        """Have a place that is `off_s` later from now on, and for the last `since_s` that were pulled."""
        self._drift_s = self._torn_s = 0.0
        gap = round(off_s * SPEAKER_RATE_HZ)
        if 0 < gap <= len(self._ring):  # what was pulled before keeps its place, and then nothing was audible
            later = min(round(since_s * SPEAKER_RATE_HZ), self._total, len(self._ring))
            moved = self._ring[(self._total - later + np.arange(later)) % len(self._ring)]
            self._total -= later
            self._append(np.zeros(gap, np.float32))
            self._append(moved)
        else:
            self._origin_s = (self._origin_s or 0.0) + off_s

    def _follow(self, off_s: float, length_s: float) -> None:
        self._drift_s += (off_s - self._drift_s) * min(1.0, length_s / SMOOTHING_S)
        self._since_slip_s += length_s
        if abs(self._drift_s) > TOLERATED_S and self._since_slip_s >= SLIP_EVERY_S:
            self._since_slip_s = 0.0
            slip_s = math.copysign(1 / SPEAKER_RATE_HZ, self._drift_s)
            self._origin_s = (self._origin_s or 0.0) + slip_s
            self._drift_s -= slip_s
