"""How loud speech is played, as the user wants it. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import SPEAKER_RATE_HZ

RAMP_SAMPLES = SPEAKER_RATE_HZ * 15 // 1000
"""15 ms: heard at once, and no click."""
ROUNDED = 0.4
"""At twice the loudness so much of full scale is for peaks alone: what is softer doubles as it is."""


class Volume:
    """Follows one stream of speech, sample by sample; 1 leaves it as it is, bit for bit."""

    def __init__(self) -> None:
        self._now = self._target = 1.0
        self._left = 0

    def set(self, volume: float, *, at_once: bool) -> None:
        """Play `volume` (0..2) times as loud; over RAMP_SAMPLES unless `at_once`."""
        self._target = min(2.0, max(0.0, volume))
        self._left = 0 if at_once else RAMP_SAMPLES
        if at_once:
            self._now = self._target

    def of(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """The next `samples` (shape (n,), -1..1) so loud. Above 1, peaks are rounded off instead of being cut."""
        if self._now == self._target == 1.0:
            return samples
        volumes = self._ramp(len(samples))
        louder = samples * volumes
        room = np.float32(ROUNDED) * np.maximum(volumes - 1, 0)
        size = np.abs(louder)
        peaks = np.flatnonzero((room > 0) & (size > 1 - room))
        over = (size[peaks] - 1 + room[peaks]) / room[peaks]
        louder[peaks] = np.sign(louder[peaks]) * (1 - room[peaks] + room[peaks] * np.tanh(over))
        return louder

    def _ramp(self, count: int) -> NDArray[np.float32]:
        volumes = np.full(count, self._target, np.float32)
        moving = min(count, self._left)
        if moving:
            slope = (self._target - self._now) / self._left
            volumes[:moving] = self._now + slope * np.arange(1, moving + 1)
            self._now += slope * moving
            self._left -= moving
        if not self._left:
            self._now = self._target
        return volumes
