"""A reply's speech on its way to the speaker: what arrived waits here, the speaker takes what its buffer holds."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from parlor_tui.counts import Count, count
from parlor_tui.devices.base import SPEAKER_RATE_HZ, PlaybackClock, Speaker
from parlor_tui.pcm import samples_of

LONGEST_REPLY_S = 600
DIPPED = 0.15
"""-16 dB: clearly out of the way, and still there."""


class Playback:
    """The speech of one reply after the other. Used by one thread; without a speaker it swallows what it is given."""

    def __init__(self) -> None:
        self._speaker: Speaker | None = None
        self._volume = 1.0
        self._waiting: deque[NDArray[np.float32]] = deque()
        self._waiting_samples = 0
        self.dropped_blocks = 0
        """Blocks of speech that found no room, so far."""

    @property
    def has_speaker(self) -> bool:
        """Can anything be heard."""
        return self._speaker is not None

    @property
    def is_waiting(self) -> bool:
        """Is there more than the speaker took so far."""
        return bool(self._waiting)

    def use(self, speaker: Speaker | None) -> None:
        """Play on `speaker` from now on."""
        self._speaker = speaker
        if speaker is not None:
            speaker.set_volume(self._volume)
        self._forget()

    def begin(self) -> None:
        """A new reply: count from zero."""
        self._forget()
        if self._speaker is not None:
            self._speaker.restart()

    def add(self, pcm16: bytes) -> int:
        """Take the next block of the reply (16-bit little-endian mono at 24 kHz); its length in samples."""
        samples = samples_of(pcm16)
        if self._speaker is None:
            return len(samples)
        if self._waiting_samples + len(samples) > LONGEST_REPLY_S * SPEAKER_RATE_HZ:
            self.dropped_blocks += 1
            count(Count.REPLY_SAMPLES_UNHEARD, len(samples))
            return len(samples)
        self._waiting.append(samples)
        self._waiting_samples += len(samples)
        return len(samples)

    def pump(self) -> None:
        """Give the speaker as much as it takes."""
        while self._waiting and self._speaker is not None:
            samples = self._waiting.popleft()
            taken = self._speaker.write(samples)
            self._waiting_samples -= taken
            if taken < len(samples):
                self._waiting.appendleft(samples[taken:])
                return

    def stop(self) -> float:
        """Silence at once. Returns how many ms of the reply were heard."""
        played_ms = self.played_ms()
        self._forget()
        if self._speaker is not None:
            self._speaker.flush()
        return played_ms

    def reference(self, start_s: float, count: int) -> NDArray[np.float32]:
        """What was audible of the speaker from `start_s` on: `count` mono samples at 16 kHz."""
        return self._speaker.reference(start_s, count) if self._speaker is not None else np.zeros(count, np.float32)

    def wake(self) -> None:
        """Speech comes soon: a loudspeaker that sleeps is to be awake by then."""
        if self._speaker is not None:
            self._speaker.wake()

    def set_volume(self, percent: float) -> None:
        """Play so loud from now on, whatever the speaker; 100 is the voice's own loudness, 200 the most."""
        self._volume = percent / 100
        if self._speaker is not None:
            self._speaker.set_volume(self._volume)

    def dip(self) -> None:
        """Quieter, under somebody's voice."""
        if self._speaker is not None:
            self._speaker.set_gain(DIPPED)

    def hold(self) -> None:
        """Silent for now; nothing is lost."""
        if self._speaker is not None:
            self._speaker.hold()

    def go_on(self) -> None:
        """In full again, from where it was held."""
        if self._speaker is not None:
            self._speaker.go_on()
            self._speaker.set_gain(1.0)

    def clock(self) -> PlaybackClock | None:
        """Where the speaker is in the reply."""
        return self._speaker.clock() if self._speaker is not None else None

    def played_ms(self) -> float:
        """How much of the reply was heard so far."""
        clock = self.clock()
        return clock.played_samples * 1000 / SPEAKER_RATE_HZ if clock is not None else 0.0

    def left_ms(self) -> float:
        """How much of what arrived was not heard yet."""
        clock = self.clock()
        if clock is None:
            return 0.0
        samples = self._waiting_samples + clock.written_samples - clock.played_samples
        return samples * 1000 / SPEAKER_RATE_HZ

    def all_played(self) -> bool:
        """Was everything heard that arrived so far."""
        clock = self.clock()
        return clock is None or (not self._waiting and clock.played_samples >= clock.written_samples)

    def _forget(self) -> None:
        self._waiting.clear()
        self._waiting_samples = 0
