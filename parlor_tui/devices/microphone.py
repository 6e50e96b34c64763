"""The real microphone.

PortAudio's thread only copies; a thread of ours cuts blocks and watches. Lost means: PortAudio says so, or no sound
came for half a second. Seconds of exact zeros are no loss but a trouble: what a denied or muted microphone gives.
PulseAudio moves the recording of a microphone that was unplugged to another source and says nothing, which cannot be
seen from here, but by `routes`.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.counts import Count, count
from parlor_tui.devices.base import MIC_RATE_HZ, OnBlock, OnEnd, OnTrouble
from parlor_tui.devices.pacing import RateWatch, StallWatch
from parlor_tui.devices.resample import MicrophoneBlocks
from parlor_tui.devices.sound_system import OpenStream, SoundDevice, Streaming, open_stream
from parlor_tui.devices.stream_clock import StreamClock
from parlor_tui.events import now_s

STALL_S = 1.0
FIRST_SOUND_S = 3.0
"""A sound server may take this long to deliver the first sound."""
ZEROS_S, LONGEST_ZEROS_S = 1.8, 60.0
PIECES_WAITING = 256
LONGEST_AGE_S = 0.3
"""No driver keeps sound for longer; one that says so has lost count, as ALSA does after a stall."""
LATENCY_S = 0.06
"""Room for a late thread, not a delay: sound still comes every 10 ms. Less loses sound, and wakes us too often."""
DENIED = (
    "the microphone gives only silence: allow this terminal to use it (macOS: System Settings > Privacy > Microphone), "
    "unmute it, or choose another one"
)


class SilenceWatch:
    """Notices seconds of exact zeros. Pure.

    A microphone that cuts off what is quiet gives zeros between words: each time that the hint was over by itself, the
    next one takes twice as long.
    """

    def __init__(self) -> None:
        self._zero_s = 0.0
        self._limit_s = ZEROS_S
        self._told = False

    def feed(self, samples: NDArray[np.float32], seconds: float) -> str | None:
        """What to tell after these `seconds` of `samples`: a hint, an empty text once it is over, or nothing."""
        if samples.any():
            over, self._told, self._zero_s = self._told, False, 0.0
            self._limit_s = min(2 * self._limit_s, LONGEST_ZEROS_S) if over else self._limit_s
            return "" if over else None
        self._zero_s += seconds
        if self._told or self._zero_s <= self._limit_s:
            return None
        self._told = True
        return DENIED


class DeviceMicrophone:
    """A microphone that PortAudio knows, or whatever opens streams in its place (`opened_by`)."""

    def __init__(self, device: SoundDevice, opened_by: OpenStream | None = None) -> None:
        self.label = device.name
        self.overruns = 0
        """How often the device gave up sound that was not fetched in time."""
        self._device = device
        self._opened_by = opened_by
        self._pieces: queue.Queue[tuple[NDArray[np.float32], float, float]] = queue.Queue(PIECES_WAITING)
        self._finished = threading.Event()
        self._stopping = threading.Event()
        self._clock = StreamClock()
        self._stream: Streaming | None = None
        self._reader: threading.Thread | None = None

    def start(self, on_block: OnBlock, on_end: OnEnd, on_trouble: OnTrouble | None = None) -> None:
        """See `base.Microphone`."""
        self._stream = (self._opened_by or open_stream)(
            "microphone",
            self._device,
            MIC_RATE_HZ,
            latency=LATENCY_S,
            callback=self._on_sound,
            finished=self._finished.set,
        )
        self._reader = threading.Thread(
            target=self._read, args=(self._stream, on_block, on_end, on_trouble), name="microphone", daemon=True
        )
        self._reader.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """See `base.Microphone`."""
        deadline_s = now_s() + timeout_s
        self._stopping.set()
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join(timeout_s / 2)
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close(deadline_s - now_s())

    def _on_sound(self, samples: NDArray[np.float32], frames: int, time: Any, status: Any) -> None:  # noqa: ARG002
        self.overruns += bool(status.input_overflow)
        at_s = now_s()
        first_age_s = time.currentTime - time.inputBufferAdcTime
        given_at_s = self._clock.ours(time.currentTime, time.currentTime, at_s)
        try:
            self._pieces.put_nowait((samples.copy(), given_at_s, first_age_s))
        except queue.Full:
            # Whoever takes the blocks has hung for seconds: the sound is lost either way.
            count(Count.MICROPHONE_PIECES_LOST)

    def _read(self, stream: Streaming, on_block: OnBlock, on_end: OnEnd, on_trouble: OnTrouble | None) -> None:
        try:
            lost = self._pump(stream, on_block, on_trouble)
        except Exception as error:  # noqa: BLE001 - edge of a thread: a fault of a listener must not end it unsaid
            lost = f"the microphone {self.label!r} stopped: {type(error).__name__}: {error}"
        if lost is not None and not self._stopping.is_set():
            on_end(lost)

    def _pump(self, stream: Streaming, on_block: OnBlock, on_trouble: OnTrouble | None) -> str | None:
        blocks, watch = MicrophoneBlocks(stream.rate_hz), SilenceWatch()
        stall, rate = StallWatch(FIRST_SOUND_S, STALL_S, now_s()), RateWatch(stream.rate_hz)
        while not self._stopping.is_set():
            if self._finished.is_set():
                return f"the microphone {self.label!r} is gone: plug it in again or choose another one"
            try:
                samples, given_at_s, first_age_s = self._pieces.get(timeout=0.05)
            except queue.Empty:
                if stall.stalled(False, now_s()):
                    return f"the microphone {self.label!r} gives no sound: unplugged, or the sound system hangs"
                continue
            stall.stalled(True, now_s())
            if rate.changed(len(samples), given_at_s):
                return f"the microphone {self.label!r} runs at another sample rate than before; it is opened anew"
            length_s = len(samples) / stream.rate_hz
            hint = watch.feed(samples, length_s)
            if hint is not None and on_trouble is not None:
                on_trouble(hint)
            age_s = max(0.0, first_age_s - length_s)
            last_at_s = given_at_s - (age_s if age_s <= LONGEST_AGE_S else stream.latency_s)
            for block, captured_at_s in blocks.feed(samples, last_at_s):
                if self._stopping.is_set():
                    break
                on_block(block, captured_at_s)
        return None
