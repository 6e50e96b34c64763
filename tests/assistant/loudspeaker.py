"""A loudspeaker that plays when a test says so: the product's own buffer, pulled by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import SPEAKER_RATE_HZ, PlaybackClock
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.events import now_s


class Loudspeaker:
    """See `devices.base.Speaker`."""

    label = "by hand"

    def __init__(self) -> None:
        self.buffer = JitterBuffer(SPEAKER_RATE_HZ)
        self.write = self.buffer.write
        self.flush = self.buffer.flush
        self.restart = self.buffer.restart
        self.hold = self.buffer.hold
        self.go_on = self.buffer.go_on
        self.set_gain = self.buffer.set_gain
        self.set_volume = self.buffer.set_volume
        self.wake = self.buffer.wake
        self.reference = self.buffer.reference

    def start(self, on_lost: Callable[[str], None]) -> None:
        """It is there."""

    def stop(self, timeout_s: float = 1.0) -> None:
        """It is gone."""

    def clock(self) -> PlaybackClock:
        """Where it is now."""
        return self.buffer.clock(now_s())

    def play(self, ms: float) -> NDArray[np.float32]:
        """What is heard in the next `ms`, which are over at once."""
        out = np.zeros(int(ms * SPEAKER_RATE_HZ / 1000), np.float32)
        self.buffer.read_into(out, now_s() - ms / 1000)
        return out
