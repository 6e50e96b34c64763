"""The real speaker: PortAudio's thread pulls from the jitter buffer, a thread of ours watches that it still does.

A stream costs time, and keeps hardware awake, also when it plays nothing: after a minute of that it is paused.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import SPEAKER_RATE_HZ, DeviceError, PlaybackClock
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.devices.pacing import RateWatch, StallWatch
from parlor_tui.devices.resample import SpeakerFeed
from parlor_tui.devices.sound_system import OpenStream, SoundDevice, Streaming, open_stream
from parlor_tui.devices.stream_clock import StreamClock
from parlor_tui.events import now_s

STALL_S = 1.0
FIRST_PULL_S, FIRST_PULLS = 3.0, 8
"""A sink that slept may take all that is there at once, and then nothing for two seconds."""
ASLEEP_AFTER_S = 60.0
"""Longer than most utterances: `wake` comes as one begins, and its reply finds the stream running."""
_LOOK_S = 0.05
LONGEST_DELAY_S = 1.0
"""No speaker holds sound for longer; one that says so has lost count."""


class DeviceSpeaker:
    """A speaker that PortAudio knows, or whatever opens streams in its place (`opened_by`)."""

    def __init__(
        self, device: SoundDevice, jitter_buffer_ms: int, latency_ms: int, opened_by: OpenStream | None = None
    ) -> None:
        self.label = device.name
        self._device = device
        self._opened_by = opened_by
        self._latency_s = latency_ms / 1000
        self._buffer = JitterBuffer(SPEAKER_RATE_HZ * jitter_buffer_ms // 1000)
        self._stream: Streaming | None = None
        self._feed: SpeakerFeed | None = None
        self._clock = StreamClock()
        self._pulled_at_s: float | None = None
        self._pulled_samples = 0
        self._finished = threading.Event()
        self._wanted = threading.Event()
        self._stopping = threading.Event()

    def start(self, on_lost: Callable[[str], None]) -> None:
        """See `base.Speaker`."""
        self._stream = (self._opened_by or open_stream)(
            "speaker",
            self._device,
            SPEAKER_RATE_HZ,
            latency=self._latency_s,
            callback=self._on_pull,
            finished=self._finished.set,
        )
        # Until here the callback gave silence: only the open stream knows the rate it got.
        self._feed = SpeakerFeed(self._stream.rate_hz)
        threading.Thread(target=self._watch, args=(on_lost, self._stream), name="speaker", daemon=True).start()

    def write(self, samples: NDArray[np.float32]) -> int:
        """See `base.Speaker`."""
        taken = self._buffer.write(samples)
        self._wanted.set()
        return taken

    def flush(self) -> None:
        """See `base.Speaker`."""
        self._buffer.flush()

    def hold(self) -> None:
        """See `base.Speaker`."""
        self._buffer.hold()

    def go_on(self) -> None:
        """See `base.Speaker`."""
        self._buffer.go_on()

    def set_gain(self, gain: float) -> None:
        """See `base.Speaker`."""
        self._buffer.set_gain(gain)

    def set_volume(self, volume: float) -> None:
        """See `base.Speaker`."""
        self._buffer.set_volume(volume)

    def wake(self) -> None:
        """See `base.Speaker`."""
        self._buffer.wake()
        self._wanted.set()

    def reference(self, start_s: float, count: int) -> NDArray[np.float32]:
        """See `base.Speaker`."""
        return self._buffer.reference(start_s, count)

    @property
    def tears(self) -> int:
        """How often the device missed its time."""
        return self._buffer.tears

    def clock(self) -> PlaybackClock:
        """See `base.Speaker`."""
        return self._buffer.clock(now_s())

    def restart(self) -> None:
        """See `base.Speaker`."""
        self._buffer.restart()

    def stop(self, timeout_s: float = 1.0) -> None:
        """See `base.Speaker`."""
        self._stopping.set()
        self._wanted.set()
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close(timeout_s)

    def _on_pull(self, out: NDArray[np.float32], frames: int, time: Any, status: Any) -> None:
        at_s = now_s()
        self._pulled_at_s = at_s
        self._pulled_samples += frames
        feed = self._feed
        if feed is None or self._stopping.is_set():
            out[:] = 0.0
            return
        delay_s = time.outputBufferDacTime - time.currentTime
        if 0.0 <= delay_s <= LONGEST_DELAY_S:
            audible_at_s = self._clock.ours(time.outputBufferDacTime, time.currentTime, at_s)
        else:
            audible_at_s = at_s + self._latency_s
        if status.output_underflow:
            self._buffer.count_underrun()
        mono = np.empty(frames, np.float32)
        feed.fill(mono, lambda chunk, ahead_s: self._buffer.read_into(chunk, audible_at_s + ahead_s))
        out[:] = mono[:, np.newaxis]

    def _watch(self, on_lost: Callable[[str], None], stream: Streaming) -> None:
        try:
            lost = self._watched(stream)
            while lost is None and not self._stopping.is_set():
                lost = self._asleep(stream) or self._watched(stream)
        except Exception as error:  # noqa: BLE001 - edge of a thread: a speaker that nobody wakes must be told of
            lost = f"the speaker {self.label!r} stopped: {type(error).__name__}: {error}"
        if lost is not None and not self._stopping.is_set():
            on_lost(lost)

    def _watched(self, stream: Streaming) -> str | None:
        """Why it is lost; None once nothing has sounded for a minute, or it is being stopped."""
        watch, seen_at_s = StallWatch(FIRST_PULL_S, STALL_S, now_s(), signs=FIRST_PULLS), self._pulled_at_s
        rate, seen_samples = RateWatch(stream.rate_hz), self._pulled_samples
        sounded_at_s = now_s()
        while not self._stopping.wait(_LOOK_S):
            pulled_at_s = self._pulled_at_s
            came, seen_at_s = pulled_at_s != seen_at_s, pulled_at_s
            stalled = watch.stalled(came, now_s())
            changed = False
            if came and pulled_at_s is not None:
                pulled, seen_samples = self._pulled_samples - seen_samples, self._pulled_samples
                changed = rate.changed(pulled, pulled_at_s)
            if self._finished.is_set():
                return f"the speaker {self.label!r} is gone: plug it in again or choose another one"
            if stalled:
                return f"the speaker {self.label!r} takes no sound: unplugged, or the sound system hangs"
            if changed:
                return f"the speaker {self.label!r} runs at another sample rate than before; it is opened anew"
            if not self._buffer.at_rest:
                sounded_at_s = now_s()
            elif now_s() - sounded_at_s > ASLEEP_AFTER_S:
                return None
        return None

    def _asleep(self, stream: Streaming) -> str | None:
        """Pause the stream until sound is to come; why it is lost, if it is.

        Meanwhile only the list of devices and `routes` tell of a loss.
        """
        self._wanted.clear()
        if not self._buffer.at_rest or self._stopping.is_set():
            return None
        try:
            stream.pause()
            self._wanted.wait()
            if self._stopping.is_set():
                return None
            self._finished.clear()  # PortAudio tells of a pause as of an end
            self._buffer.slept()
            stream.resume()
        except DeviceError as error:
            return f"the speaker {self.label!r} cannot go on: {error}"
        return None
