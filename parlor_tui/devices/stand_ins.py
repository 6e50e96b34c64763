"""Sound files in place of a microphone and a speaker, at real speed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import (
    BLOCK_SAMPLES,
    MIC_RATE_HZ,
    SPEAKER_RATE_HZ,
    DeviceError,
    OnBlock,
    OnEnd,
    OnTrouble,
    PlaybackClock,
)
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.devices.pacing import Pacer
from parlor_tui.devices.sound_file import WavRecording, read_sound
from parlor_tui.events import now_s

LONGEST_FILE_S = 1800.0
"""Kept in memory whole: half an hour is 115 MB."""
PULL_SAMPLES = SPEAKER_RATE_HZ // 50
PULLS_PER_SEAL = 50
"""The header counts what was recorded up to a second ago, so that the file can be read after a crash."""


def file_blocks(samples: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """`samples` in blocks of 512, the last one filled up with silence."""
    padded = np.pad(samples, (0, -len(samples) % BLOCK_SAMPLES))
    return list(padded.reshape(-1, BLOCK_SAMPLES))


class FileMicrophone:
    """Gives the sound of a file at real speed, then silence."""

    def __init__(self, path: Path) -> None:
        """Raises DeviceError if the file is not a sound of at most half an hour."""
        self.label = path.name
        self._blocks = file_blocks(read_sound(path, LONGEST_FILE_S))
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, on_block: OnBlock, on_end: OnEnd, on_trouble: OnTrouble | None = None) -> None:  # noqa: ARG002
        """See `base.Microphone`."""
        self._thread = threading.Thread(target=self._play_in, args=(on_block, on_end), name="sound file", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """See `base.Microphone`."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def _play_in(self, on_block: OnBlock, on_end: OnEnd) -> None:
        pacer = Pacer(BLOCK_SAMPLES / MIC_RATE_HZ, self._stop.wait)
        try:
            play_in(self._blocks, pacer, on_block, on_end)
        except Exception as error:  # noqa: BLE001 - edge of a thread: a fault of a listener must not end it unsaid
            on_end(f"the sound file {self.label} stopped: {type(error).__name__}: {error}")


def play_in(blocks: list[NDArray[np.float32]], pacer: Pacer, on_block: OnBlock, on_end: OnEnd) -> None:
    """Give one block a tick, `on_end(None)` after the last one, then silence until the pacer ends."""
    for block in blocks:
        due_s = pacer.tick()
        if due_s is None:
            return
        on_block(block, due_s)
    on_end(None)
    while (due_s := pacer.tick()) is not None:
        on_block(np.zeros(BLOCK_SAMPLES, np.float32), due_s)


class FileSpeaker:
    """Records what a speaker would play into a WAV file, with its silences."""

    def __init__(self, path: Path, jitter_buffer_ms: int) -> None:
        """Raises DeviceError if `path` cannot be written."""
        self.label = path.name
        self._recording = WavRecording(path)
        self._buffer = JitterBuffer(SPEAKER_RATE_HZ * jitter_buffer_ms // 1000)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, on_lost: Callable[[str], None]) -> None:
        """See `base.Speaker`."""
        self._thread = threading.Thread(target=self._record, args=(on_lost,), name="recording", daemon=True)
        self._thread.start()

    def write(self, samples: NDArray[np.float32]) -> int:
        """See `base.Speaker`."""
        return self._buffer.write(samples)

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
        self._stop.set()
        if self._thread is None:
            self._close(None)
        elif self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def _record(self, on_lost: Callable[[str], None]) -> None:
        pacer = Pacer(PULL_SAMPLES / SPEAKER_RATE_HZ, self._stop.wait)
        out = np.empty(PULL_SAMPLES, np.float32)
        pulls = 0
        try:
            while (due_s := pacer.tick()) is not None:
                self._buffer.read_into(out, max(due_s, now_s()))
                self._recording.add(out)
                pulls += 1
                if pulls % PULLS_PER_SEAL == 0:
                    self._recording.seal()
        except DeviceError as error:
            on_lost(str(error))
            self._close(None)
        except Exception as error:  # noqa: BLE001 - edge of a thread: nothing would be played any more, and nobody told
            on_lost(f"the recording {self.label} stopped: {type(error).__name__}: {error}")
            self._close(None)
        else:
            self._close(on_lost)

    def _close(self, on_lost: Callable[[str], None] | None) -> None:
        try:
            self._recording.close()
        except DeviceError as error:
            if on_lost is not None:
                on_lost(str(error))
