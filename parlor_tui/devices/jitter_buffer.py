"""The speech that waits to be played, and what of it is audible by now. Pure: time is passed in.

Real speaker and recording share it. Both pull with `read_into`, saying when the first pulled sample becomes audible.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import SPEAKER_RATE_HZ, PlaybackClock
from parlor_tui.devices.output_shape import FADE_SAMPLES, OutputShape
from parlor_tui.devices.played import PlayedSound
from parlor_tui.pcm import SILENT_DBFS, level_dbfs

PULLS_KEPT = 512
"""More than any device holds back: at 2 ms a pull, a second."""


class _Pull(NamedTuple):
    audible_at_s: float
    """Of the first counted sample."""
    before: int
    counted: int
    until_s: float
    dbfs: float


class JitterBuffer:
    """Bounded ring of mono samples at 24 kHz; every method may be called from any thread and none waits."""

    def __init__(self, capacity_samples: int) -> None:
        if capacity_samples < 1:
            raise ValueError("capacity_samples must be at least 1")
        self._ring = np.zeros(capacity_samples, np.float32)
        self._head = 0
        self._waiting = 0
        self._earlier = 0  # of the waiting ones, those of the reply before: played, not counted
        self._dying = 0  # of the waiting ones, those of a flush: they fall silent
        self._seams: set[int] = set()  # places among the waiting ones where a reply ends and another may follow
        self._written = 0
        self._played = 0
        self._audible = 0
        self._underruns = 0
        self._dry = False
        self._first_audible_at_s: float | None = None
        self._pulls: deque[_Pull] = deque(maxlen=PULLS_KEPT)
        self._shape = OutputShape()
        self._sound = PlayedSound()
        self._lock = threading.Lock()

    @property
    def waiting_samples(self) -> int:
        """How many samples wait to be played."""
        return self._waiting

    def write(self, samples: NDArray[np.float32]) -> int:
        """Take as many of `samples` as fit; how many that was. Nothing beyond full scale gets through, and no NaN."""
        clean = np.clip(np.nan_to_num(np.asarray(samples, np.float32).reshape(-1), nan=0.0), -1.0, 1.0)
        with self._lock:
            count = min(len(clean), len(self._ring) - self._waiting)
            if count and self._dry:
                self._underruns += 1
                self._dry = False
            at = self._positions(self._waiting, count)
            self._ring[at] = clean[:count]
            self._waiting += count
            self._written += count
            return count

    def read_into(self, out: NDArray[np.float32], audible_at_s: float) -> int:
        """Fill `out` with the next samples, then silence; how many samples there were.

        `audible_at_s` is when the first of `out` can be heard.
        """
        with self._lock:
            if not self._waiting and self._shape.at_rest:
                self._silence(out, audible_at_s)
                return 0
            count = min(len(out), self._waiting, self._shape.playable(len(out)))
            out[:count] = self._ring[self._positions(0, count)]
            out[count:] = 0.0
            earlier = min(self._earlier, count)
            self._shape.apply(out, count, self._seams)
            self._head = (self._head + count) % len(self._ring)
            self._waiting -= count
            self._dying = max(0, self._dying - count)
            self._seams = {seam - count for seam in self._seams if seam >= count}
            self._earlier -= earlier
            counted = count - earlier
            first_at_s = audible_at_s + earlier / SPEAKER_RATE_HZ
            if counted and self._first_audible_at_s is None:
                self._first_audible_at_s = first_at_s
            until_s = audible_at_s + len(out) / SPEAKER_RATE_HZ
            self._pulls.append(_Pull(first_at_s, self._played, counted, until_s, level_dbfs(out[:count])))
            self._played += counted
            if count < len(out) and self._played and not self._shape.held:
                self._dry = True
            self._sound.add(out, audible_at_s)
            self._shape.add_wake_noise(out, count)
            return count

    def _silence(self, out: NDArray[np.float32], audible_at_s: float) -> None:
        """What is pulled a hundred times a second as long as nobody speaks."""
        out.fill(0.0)
        until_s = audible_at_s + len(out) / SPEAKER_RATE_HZ
        self._pulls.append(_Pull(audible_at_s, self._played, 0, until_s, SILENT_DBFS))
        if self._shape.held:
            self._shape.hold()
        elif self._played:
            self._dry = True
        self._sound.add(out, audible_at_s)

    def flush(self) -> None:
        """Throw away what waits but for a fade to silence, and end a hold. A flush during that fade lets it go on."""
        with self._lock:
            kept = min(self._dying or self._waiting, FADE_SAMPLES) if self._shape.audible else 0
            at = self._positions(0, kept)
            self._ring[at] *= np.float32(self._shape.level)
            if not self._dying:
                self._ring[at] *= 1.0 - np.arange(1, kept + 1, dtype=np.float32) / FADE_SAMPLES
            self._shape.end_hold_at_once()
            self._waiting = self._dying = kept
            self._seams = {seam for seam in self._seams if seam < kept} | {kept}
            self._earlier = min(self._earlier, kept)

    def restart(self) -> None:
        """Count from zero, at full gain, and end a hold.

        What still waits is played, and belongs to the reply before.
        """
        with self._lock:
            self._earlier = self._waiting
            self._seams.add(self._waiting)
            self._written = self._played = self._audible = self._underruns = 0
            self._dry = False
            self._first_audible_at_s = None
            self._pulls.clear()
            self._shape.go_on()
            self._shape.set_gain(1.0)

    def hold(self) -> None:
        """Fade to silence over 10 ms and play nothing more of what waits."""
        with self._lock:
            self._shape.hold()

    def go_on(self) -> None:
        """Play on where `hold` stopped, over a fade of 10 ms."""
        with self._lock:
            self._shape.go_on()

    def set_gain(self, gain: float) -> None:
        """Play `gain` (0..1) times as loud, over 15 ms."""
        with self._lock:
            self._shape.set_gain(gain)

    def set_volume(self, volume: float) -> None:
        """Play everything `volume` (0..2) times as loud from now on, over 15 ms; peaks are rounded off above 1."""
        with self._lock:
            self._shape.set_volume(volume)

    def wake(self) -> None:
        """Play a noise that nobody hears until the next sample comes, for 3 s at most."""
        with self._lock:
            self._shape.wake()

    @property
    def at_rest(self) -> bool:
        """Nothing sounds, waits or dies away, and nothing is kept awake."""
        with self._lock:
            return not self._waiting and self._shape.at_rest

    def slept(self) -> None:
        """Nothing was pulled for a while: the times of the next pulls have nothing to do with those before."""
        self._sound.slept()

    def reference(self, start_s: float, count: int) -> NDArray[np.float32]:
        """`count` samples at 16 kHz of what is audible from `start_s` on; zeros where nothing is known."""
        return self._sound.read(start_s, count)

    @property
    def tears(self) -> int:
        """How often the device's times left the line of `reference`."""
        return self._sound.tears

    def count_underrun(self) -> None:
        """The device missed its time before the next `read_into`: an underrun if a reply plays."""
        with self._lock:
            if self._shape.audible:
                self._underruns += 1
        self._sound.torn()

    def clock(self, at_s: float) -> PlaybackClock:
        """Where playback is at `at_s`."""
        with self._lock:
            pull = next((p for p in reversed(self._pulls) if p.audible_at_s <= at_s), None)
            dbfs = SILENT_DBFS
            if pull is not None:
                since_samples = int((at_s - pull.audible_at_s) * SPEAKER_RATE_HZ + 1e-6)
                self._audible = max(self._audible, pull.before + min(pull.counted, since_samples))
                dbfs = pull.dbfs if at_s <= pull.until_s else SILENT_DBFS
            return PlaybackClock(
                written_samples=self._written,
                played_samples=self._audible,
                first_audible_at_s=self._first_audible_at_s,
                buffered_samples=self._waiting,
                level_dbfs=dbfs,
                underruns=self._underruns,
            )

    def _positions(self, start: int, count: int) -> NDArray[np.intp]:
        return (np.arange(count) + self._head + start) % len(self._ring)
