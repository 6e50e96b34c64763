"""How what is played is shaped: fades, a dip under somebody's voice, no click where sound begins or ends. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.devices.volume import Volume

FADE_SAMPLES = SPEAKER_RATE_HZ // 100
"""10 ms: short enough to be silence at once, long enough not to click."""
GAIN_SAMPLES = SPEAKER_RATE_HZ * 15 // 1000
WAKE_SAMPLES = 3 * SPEAKER_RATE_HZ
WAKE_STEP = 1.0 / 32768.0
"""The smallest step of 16 bits: -90 dBFS. A sink that powers down on digital silence stays up, and nobody hears it."""


class OutputShape:
    """Follows one stream of output, sample by sample."""

    def __init__(self) -> None:
        self.held = False
        self._fade_step = FADE_SAMPLES  # of FADE_SAMPLES: how far in the sound is
        self._gain = 1.0
        self._gain_target = 1.0
        self._gain_left = 0
        self._volume = Volume()
        self._sounding = False
        self._last = 0.0
        self._glide = 0.0
        self._glide_left = 0
        self._wake_left = 0
        self._noise = np.random.default_rng(1).integers(-1, 2, WAKE_SAMPLES).astype(np.float32) * np.float32(WAKE_STEP)

    @property
    def level(self) -> float:
        """How far in the sound is, 0..1; only `hold` and `go_on` change it."""
        return self._fade_step / FADE_SAMPLES

    @property
    def audible(self) -> bool:
        """Sounds something that falling silent would cut."""
        return self._sounding and self._fade_step > 0

    @property
    def at_rest(self) -> bool:
        """Nothing sounds, nor does what sounded die away: silence stays silence."""
        return not (self._sounding or self._glide_left or self._wake_left or self._last)

    def playable(self, count: int) -> int:
        """Of the next `count` samples, how many may be played before a hold is silent."""
        return min(count, self._fade_step) if self.held else count

    def hold(self) -> None:
        """Fall silent over FADE_SAMPLES; at once where nothing sounds."""
        self.held = True
        if not self._sounding:
            self._fade_step = 0

    def go_on(self) -> None:
        """Come back over FADE_SAMPLES."""
        self.held = False

    def end_hold_at_once(self) -> None:
        """What is played from here on has its fades already."""
        self.held = False
        self._fade_step = FADE_SAMPLES

    def set_gain(self, gain: float) -> None:
        """Play `gain` (0..1) times as loud; at once where nothing sounds."""
        self._gain_target = min(1.0, max(0.0, gain))
        self._gain_left = GAIN_SAMPLES if self._sounding else 0
        if not self._gain_left:
            self._gain = self._gain_target

    def set_volume(self, volume: float) -> None:
        """Play everything `volume` (0..2) times as loud; at once where nothing sounds."""
        self._volume.set(volume, at_once=not self._sounding)

    def wake(self) -> None:
        """Noise from now on until a sample is played."""
        self._wake_left = WAKE_SAMPLES

    def apply(self, out: NDArray[np.float32], count: int, seams: Iterable[int]) -> None:
        """Shape `out` in place: `count` samples, then zeros.

        At each of `seams` (positions in `out`) begins what does not belong to what is before it.
        """
        out[:count] = self._volume.of(out[:count]) * self._fades(count) * self._gains(count)
        places = {seam for seam in seams if seam < count}
        if count and not self._sounding:
            places.add(0)
        if count < len(out):
            if count or self._sounding:
                places.add(count)
            if self.held:  # silent by the fade, or because nothing waited any more
                self._fade_step = 0
        at = 0
        for place in [*sorted(places), len(out)]:
            self._glide_over(out[at:place])
            at = place
            if place < len(out):
                self._glide, self._glide_left = self._last - float(out[place]), FADE_SAMPLES
        np.clip(out, -1.0, 1.0, out=out)
        if len(out):
            self._sounding = count == len(out)

    def add_wake_noise(self, out: NDArray[np.float32], count: int) -> None:
        """Noise in `out` beyond its `count` samples, which end it."""
        if count:
            self._wake_left = 0
        elif self._wake_left:
            length = min(len(out), self._wake_left)
            out[:length] += self._noise[self._wake_left - length : self._wake_left]
            self._wake_left -= length

    def _fades(self, count: int) -> NDArray[np.float32]:
        direction = -1 if self.held else 1
        steps = np.clip(self._fade_step + direction * np.arange(1, count + 1), 0, FADE_SAMPLES)
        if count:
            self._fade_step = int(steps[-1])
        return steps.astype(np.float32) / np.float32(FADE_SAMPLES)

    def _gains(self, count: int) -> NDArray[np.float32]:
        moving = min(count, self._gain_left)
        gains = np.full(count, self._gain_target, np.float32)
        if moving:
            slope = (self._gain_target - self._gain) / self._gain_left
            gains[:moving] = self._gain + slope * np.arange(1, moving + 1)
            self._gain += slope * moving
            self._gain_left -= moving
        if not self._gain_left:
            self._gain = self._gain_target
        return gains

    def _glide_over(self, part: NDArray[np.float32]) -> None:
        """Add what is left of the step at the last seam, so that there is none."""
        length = min(len(part), self._glide_left)
        if length:
            left = np.arange(self._glide_left - 1, self._glide_left - 1 - length, -1, dtype=np.float32)
            part[:length] += np.float32(self._glide / FADE_SAMPLES) * left
            self._glide_left -= length
        if len(part):
            self._last = float(part[-1])
