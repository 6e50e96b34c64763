"""What a microphone, a speaker and a camera are to the rest of the program.

Each object is used once: `start`, then `stop`. After a loss another one is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

BLOCK_SAMPLES = 512
"""Samples of one microphone block: 32 ms."""
MIC_RATE_HZ = 16000
SPEAKER_RATE_HZ = 24000

OnBlock = Callable[[NDArray[np.float32], float], None]
OnEnd = Callable[[str | None], None]
OnTrouble = Callable[[str], None]


class DeviceError(Exception):
    """A device or file cannot be used. The message is one line: what, where, what to do.

    `missing` is True where a thing is absent (PortAudio, a device, a file, a permission) and False where it is there
    and does not work.
    """

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(" ".join(message.split()))
        self.missing = missing


@dataclass(frozen=True, slots=True)
class PlaybackClock:
    """Where the speaker is in the present reply. Samples are at 24 kHz and count from the last `restart()`."""

    written_samples: int
    """Taken by `write`, including what a flush threw away."""
    played_samples: int
    """Audible by now: what the device holds back is taken off."""
    first_audible_at_s: float | None
    """When the first sample became (or will become) audible, on `events.now_s`; None while nothing was played."""
    buffered_samples: int
    """Waiting in the jitter buffer."""
    level_dbfs: float
    """Of what is audible now; -120 in silence."""
    underruns: int
    """How often the reply was torn: the buffer ran dry before the reply went on, or the device missed its time."""


class Microphone(Protocol):
    """Gives blocks of 512 samples of mono sound at 16 kHz."""

    label: str

    def start(self, on_block: OnBlock, on_end: OnEnd, on_trouble: OnTrouble | None = None) -> None:
        """Begin to give blocks. Raises DeviceError.

        All three are called on a thread of the device and must not block.
        `on_block(samples, captured_at_s)`: float32 of shape (512,) in -1..1, and when the last of them was captured.
        `on_end(None)`: a file is over and silence follows. `on_end(reason)`: the device is lost and no block follows.
        `on_trouble(hint)`: blocks still come but are of no use; `on_trouble("")` once that is over.
        """

    def stop(self, timeout_s: float = 1.0) -> None:
        """End it within `timeout_s` whatever the device does. No callback begins after it returned."""


class Speaker(Protocol):
    """Plays mono sound at 24 kHz from a bounded jitter buffer."""

    label: str

    def start(self, on_lost: Callable[[str], None]) -> None:
        """Begin to play. Raises DeviceError. `on_lost(reason)` is called once, on a thread of the device."""

    def write(self, samples: NDArray[np.float32]) -> int:
        """Take as many `samples` (mono, -1..1) as fit and say how many; never blocks."""

    def flush(self) -> None:
        """Fall silent at once, over a fade of 10 ms, and throw away what waits. Ends a hold."""

    def hold(self) -> None:
        """Fall silent at once, over a fade of 10 ms, and keep what waits: `clock().played_samples` stands still.

        `write` goes on to take what fits. Held already: nothing happens.
        """

    def go_on(self) -> None:
        """Play on where `hold` stopped, over a fade of 10 ms. Not held: nothing happens."""

    def set_gain(self, gain: float) -> None:
        """Play `gain` (0..1) times as loud from now on, over 15 ms: a dip under somebody's voice."""

    def set_volume(self, volume: float) -> None:
        """Play everything `volume` (0..2) times as loud from now on, over 15 ms. Peaks are rounded off above 1."""

    def wake(self) -> None:
        """Speech comes soon: keep a sink awake that sleeps in digital silence and swallows the first of what follows.

        Plays noise of -90 dBFS until speech comes, for 3 s at most. It is in no clock, level or reference.
        """

    def reference(self, start_s: float, count: int) -> NDArray[np.float32]:
        """`count` samples, mono at 16 kHz, of what is audible from `start_s` (`events.now_s`) on.

        After fades and gain. Kept for 2 s; zeros where nothing was played and where nothing is known. Requests that
        follow each other in time give sound without tears, although the times that a device reports jitter.
        """

    def clock(self) -> PlaybackClock:
        """Where the speaker is in the present reply."""

    def restart(self) -> None:
        """Count from zero: what is written from now on is a new reply, at full gain. Ends a hold."""

    def stop(self, timeout_s: float = 1.0) -> None:
        """End it within `timeout_s` whatever the device does."""


class Camera(Protocol):
    """Gives the newest frame there is."""

    label: str

    def start(self) -> None:
        """Begin to look. Raises DeviceError.

        Opens on the caller's thread: macOS asks for permission only on the main one.
        """

    def newest_jpeg(self) -> tuple[bytes, float] | None:
        """The newest frame as JPEG, at most 896 wide, and when it was captured; None while there is none to be had."""

    def newest_rgb(self, widest_px: int, tallest_px: int) -> tuple[NDArray[np.uint8], float] | None:
        """The same as a small picture, (height, width, 3), that fits into so many pixels; never scaled up."""

    def stop(self, timeout_s: float = 1.0) -> None:
        """End it within `timeout_s` whatever the device does."""
