"""Figures read off recordings of both sides. Pure: arrays and times in, seconds out.

Audible is a sample above -40 dBFS. All times are seconds on one clock, that of the recordings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AUDIBLE = 0.01
"""-40 dBFS."""
STOPPED_S = 0.3
"""A reply is over, or torn, where nothing is audible for longer than this."""
FRAME_S = 0.01
DIP_DB = 6.0
_BEFORE_S = 0.5
_STAYS_S = 0.1
_CLICK_RATIO = 4.0
_CLICK_LEAST = 0.03
_SILENT_DBFS = -120.0


@dataclass(frozen=True, slots=True)
class Track:
    """Mono `samples` (-1..1) at `rate_hz`; the first one sounds at `start_s`."""

    samples: NDArray[np.float32]
    rate_hz: int
    start_s: float

    @property
    def end_s(self) -> float:
        """When the last sample is over."""
        return self.start_s + len(self.samples) / self.rate_hz

    def part(self, from_s: float, until_s: float = math.inf) -> Track:
        """What lies between, as far as it was recorded."""
        first, end = self._index(from_s), self._index(until_s)
        return Track(self.samples[first:end], self.rate_hz, self.start_s + first / self.rate_hz)

    def audible_s(self, from_s: float = -math.inf, until_s: float = math.inf) -> NDArray[np.float64]:
        """When each audible sample between sounds, in order."""
        part = self.part(from_s, until_s)
        return part.start_s + np.flatnonzero(np.abs(part.samples) > AUDIBLE) / self.rate_hz

    def first_s(self, from_s: float = -math.inf, until_s: float = math.inf) -> float | None:
        """When the first audible sample between sounds; None if there is none."""
        times = self.audible_s(from_s, until_s)
        return float(times[0]) if len(times) else None

    def last_s(self, from_s: float = -math.inf, until_s: float = math.inf) -> float | None:
        """The same for the last one."""
        times = self.audible_s(from_s, until_s)
        return float(times[-1]) if len(times) else None

    def frames_dbfs(self, from_s: float, until_s: float) -> NDArray[np.float64]:
        """The level of each whole 10 ms between; -120 for silence."""
        part = self.part(from_s, until_s)
        size = round(self.rate_hz * FRAME_S)
        count = len(part.samples) // size
        square = np.square(part.samples[: count * size].reshape(count, size), dtype=np.float64).mean(axis=1)
        return np.asarray(10 * np.log10(np.maximum(square, 10 ** (_SILENT_DBFS / 10))))

    def _index(self, at_s: float) -> int:
        if math.isinf(at_s):
            return len(self.samples) if at_s > 0 else 0
        return min(max(round((at_s - self.start_s) * self.rate_hz), 0), len(self.samples))


def voice_to_voice_s(user: Track, speaker: Track, from_s: float, until_s: float) -> float | None:
    """From the last audible sample of `user` between the two times to the first audible one of `speaker` after it.

    None if either is silent.
    """
    end_s = user.last_s(from_s, until_s)
    first_s = None if end_s is None else speaker.first_s(end_s)
    return None if end_s is None or first_s is None else first_s - end_s


def spoke_early(user: Track, speaker: Track, from_s: float, until_s: float) -> bool:
    """Whether the speaker is audible between `from_s` and the last audible sample of `user` before `until_s`."""
    end_s = user.last_s(from_s, until_s)
    return end_s is not None and speaker.first_s(from_s, end_s) is not None


def barge_stop_s(user: Track, speaker: Track, from_s: float) -> float | None:
    """From the user's first audible sample after `from_s` to the reply's last one before 300 ms of silence.

    Looked for until the user's last audible sample: a reply that never stops gives the length of what the user said.
    None if the user is silent, or no reply was audible in the 300 ms before.
    """
    onset_s, last_s = user.first_s(from_s), user.last_s(from_s)
    if onset_s is None or last_s is None or speaker.first_s(onset_s - STOPPED_S, onset_s) is None:
        return None
    times = speaker.audible_s(onset_s - 0.1, last_s)
    if not len(times):
        return 0.0
    torn = np.flatnonzero(np.diff(times) > STOPPED_S)
    return max(0.0, float(times[torn[0]] if len(torn) else times[-1]) - onset_s)


def dip_s(speaker: Track, onset_s: float, until_s: float, intended: Track | None = None) -> float | None:
    """From `onset_s` to the first 10 ms in which the reply is 6 dB quieter than it would have been; None if it is not.

    `intended` is the reply without what was done to it because somebody spoke. Without it the reply counts as quieter
    where it stays 6 dB below its loud parts (of the half second before) for 100 ms, which its own pauses can be too.
    """
    levels = speaker.frames_dbfs(onset_s, until_s)
    if intended is not None:
        meant = intended.frames_dbfs(onset_s, until_s)
        count = min(len(levels), len(meant))
        floor = 20 * math.log10(AUDIBLE)
        quieter = (meant[:count] > floor) & (levels[:count] <= meant[:count] - DIP_DB)
    else:
        before = speaker.frames_dbfs(onset_s - _BEFORE_S, onset_s)
        if not len(before):
            return None
        below = levels <= np.percentile(before, 90) - DIP_DB
        size = round(_STAYS_S / FRAME_S)
        if len(below) < size:
            return None
        quieter = np.asarray(np.lib.stride_tricks.sliding_window_view(below, size).all(axis=1))
    found = np.flatnonzero(quieter)
    return float(found[0] * FRAME_S) if len(found) else None


def gaps_s(speaker: Track, from_s: float, until_s: float, longer_than_s: float = STOPPED_S) -> list[float]:
    """The lengths of the silences inside a reply that are longer than `longer_than_s`."""
    steps = np.diff(speaker.audible_s(from_s, until_s))
    return [float(step) for step in steps[steps > longer_than_s]]


def clicks_s(speaker: Track, from_s: float, until_s: float) -> list[float]:
    """When the signal jumps from one sample to the next by more than four times what it does in the 10 ms around.

    Jumps of less than 0.03 of full scale are not heard.
    """
    part = speaker.part(from_s, until_s)
    steps = np.abs(np.diff(part.samples.astype(np.float64)))
    around = round(0.005 * part.rate_hz)
    found: list[float] = []
    for at in np.flatnonzero(steps > _CLICK_LEAST):
        beside = np.concatenate((steps[max(0, at - around) : max(0, at - 2)], steps[at + 3 : at + 1 + around]))
        if steps[at] > _CLICK_RATIO * (beside.max() if len(beside) else 0.0):
            found.append(part.start_s + float(at + 1) / part.rate_hz)
    return found


def resumed_s(speaker: Track, onset_s: float, until_s: float, intended: Track) -> float:
    """From `onset_s` to where the reply is as loud as it would have been for good again; 0 if it always was.

    Infinite if it is still quieter when the recording ends.
    """
    levels, meant = speaker.frames_dbfs(onset_s, until_s), intended.frames_dbfs(onset_s, until_s)
    count = min(len(levels), len(meant))
    quieter = np.flatnonzero((meant[:count] > 20 * math.log10(AUDIBLE)) & (levels[:count] < meant[:count] - 1.0))
    if not len(quieter):
        return 0.0
    whole = np.flatnonzero(meant[quieter[-1] + 1 : count] > 20 * math.log10(AUDIBLE))
    return float((quieter[-1] + 1 + whole[0]) * FRAME_S) if len(whole) else math.inf
