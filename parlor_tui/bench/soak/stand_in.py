"""Streams and a camera in place of the system's, under the program's own devices, which can be made to fail.

What notices that a device is gone, hangs, is muted or runs at another rate is the program's own code for real devices;
only what they would get from PortAudio and OpenCV comes from the room.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from parlor_tui.bench.room import Room
from parlor_tui.bench.sound import SPEAKER_STEP, STEP_S, Sound
from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ, DeviceError
from parlor_tui.devices.camera import DeviceCamera
from parlor_tui.devices.microphone import DeviceMicrophone
from parlor_tui.devices.select import Opener
from parlor_tui.devices.sound_system import ANSWER_S, NO_ANSWER, Kind, SoundDevice
from parlor_tui.devices.speaker import DeviceSpeaker
from parlor_tui.events import now_s

OTHER_RATE_HZ = 44100
CHOICE = "stand-in"
CAMERA = "stand-in camera"
_FRAME_S = 0.1
_WIDTH_PX, _HEIGHT_PX = 320, 240

Health = Literal["well", "gone", "hung", "muted"]


class StandIns:
    """The devices of `room`: `opener` is for the assistant, `set` makes one of them fail. Used by several threads."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._health: dict[str, Health] = {"microphone": "well", "speaker": "well", "camera": "well"}
        self._answers = threading.Event()
        self._streams: dict[str, _RoomStream] = {}
        self.microphone_rate_hz = MIC_RATE_HZ
        """At which the microphone's sound comes."""

    @property
    def opener(self) -> Opener:
        """Everything but `none` is a stand-in."""
        return Opener(microphone=self._microphone, speaker=self._speaker, camera=self._camera)

    def set(self, kind: str, health: Health) -> None:
        """`kind` is (microphone, speaker, camera) is like this from now on."""
        self._health[kind] = health
        stream = self._streams.get(kind)
        if health == "gone" and stream is not None:
            stream.end()
        self._answers.set()

    def health(self, kind: str) -> Health:
        """How it is."""
        return self._health[kind]

    def open(
        self,
        kind: Kind,
        device: SoundDevice,  # noqa: ARG002
        rate_hz: int,
        *,
        latency: float | Literal["low", "high"],  # noqa: ARG002
        callback: Callable[..., None],
        finished: Callable[[], None],
    ) -> _RoomStream:
        """See `sound_system.open_stream`. A device that hangs is not open before it answers."""
        until_s = now_s() + ANSWER_S
        while self._health[kind] == "hung":
            self._answers.clear()
            if now_s() > until_s:
                raise DeviceError(NO_ANSWER)
            self._answers.wait(0.2)
        if self._health[kind] == "gone":
            raise DeviceError(f"no {kind} is there: plug one in", missing=True)
        stream: _RoomStream
        if kind == "microphone":
            stream = _MicrophoneStream(self, self.microphone_rate_hz, callback, finished, self._room)
        else:
            stream = _SpeakerStream(self, rate_hz, callback, finished, self._room)
        self._streams[kind] = stream
        return stream

    def _microphone(self, choice: str) -> DeviceMicrophone | None:
        return None if choice == "none" else DeviceMicrophone(self._device("microphone"), self.open)

    def _speaker(self, choice: str, jitter_buffer_ms: int, latency_ms: int) -> DeviceSpeaker | None:
        if choice == "none":
            return None
        return DeviceSpeaker(self._device("speaker"), jitter_buffer_ms, latency_ms, self.open)

    def _camera(self, choice: str) -> DeviceCamera | None:
        if choice == "none":
            return None
        if self._health["camera"] == "gone":
            raise DeviceError("no camera found: plug one in", missing=True)
        return DeviceCamera(0, CAMERA, lambda _: _Lens(self))

    @staticmethod
    def _device(kind: Kind) -> SoundDevice:
        channels = (1, 0) if kind == "microphone" else (0, 1)
        rate_hz = MIC_RATE_HZ if kind == "microphone" else SPEAKER_RATE_HZ
        return SoundDevice(0, f"stand-in {kind}", "room", *channels, rate_hz, False, False, True)


class _RoomStream:
    """A stream that the room's thread drives. See `sound_system.Streaming`."""

    latency_s = 2 * STEP_S

    def __init__(
        self,
        stand_ins: StandIns,
        rate_hz: int,
        callback: Callable[..., None],
        finished: Callable[[], None],
        room: Room,
    ) -> None:
        self.rate_hz = rate_hz
        self._stand_ins = stand_ins
        self._callback = callback
        self._finished = finished
        self._room = room
        self._ended = threading.Event()
        self._paused = threading.Event()
        self._late = False

    def pause(self) -> None:
        """See `sound_system.Streaming`."""
        self._paused.set()

    def resume(self) -> None:
        """See `sound_system.Streaming`."""
        if self._ended.is_set():
            raise DeviceError("it is gone", missing=True)
        self._paused.clear()

    def end(self) -> None:
        """The device is gone."""
        self._ended.set()
        self._finished()

    def close(self, timeout_s: float) -> bool:  # noqa: ARG002
        """See `sound_system.Streaming`."""
        self._ended.set()
        return True


class _MicrophoneStream(_RoomStream):
    """See `room.Ear`."""

    def __init__(self, *of_stream: Any) -> None:
        super().__init__(*of_stream)
        self._room.listen(self)

    def add(self, samples: Sound, end_s: float, latency_s: float) -> None:  # noqa: ARG002
        """See `room.Ear`. The sound of a stream reaches the program at once, and tells how old it is."""
        health = self._stand_ins.health("microphone")
        if self._ended.is_set() or health in ("hung", "gone"):
            return
        given = np.zeros_like(samples) if health == "muted" else samples
        rate_hz = self._stand_ins.microphone_rate_hz
        if rate_hz != MIC_RATE_HZ:
            count = round(rate_hz * STEP_S)
            given = np.interp(np.arange(count) * len(given) / count, np.arange(len(given)), given).astype(np.float32)
        at_s = now_s()
        time = SimpleNamespace(currentTime=at_s, inputBufferAdcTime=min(at_s, end_s) - STEP_S)
        self._callback(given[:, np.newaxis], len(given), time, SimpleNamespace(input_overflow=False))


class _SpeakerStream(_RoomStream):
    """See `room.Mouth`."""

    def __init__(self, *of_stream: Any) -> None:
        super().__init__(*of_stream)
        self._room.play(self)

    def pull(self, audible_at_s: float) -> tuple[Sound, Sound]:
        """See `room.Mouth`. What was meant nobody knows here: it is what sounds."""
        out = np.zeros((SPEAKER_STEP, 1), np.float32)
        runs = not (self._ended.is_set() or self._paused.is_set())
        if runs and self._stand_ins.health("speaker") == "well":
            time = SimpleNamespace(currentTime=now_s(), outputBufferDacTime=audible_at_s)
            late, self._late = self._late, False
            self._callback(out, SPEAKER_STEP, time, SimpleNamespace(output_underflow=late))
        sound = out[:, 0]
        return sound, sound

    def missed(self) -> None:
        """See `room.Mouth`."""
        self._late = True


class _Lens:
    """A camera's pictures as OpenCV gives them: a grey wall, on which nothing moves."""

    def __init__(self, stand_ins: StandIns) -> None:
        self._stand_ins = stand_ins
        self._frame = np.full((_HEIGHT_PX, _WIDTH_PX, 3), 120, np.uint8)

    def read(self) -> tuple[bool, np.ndarray[Any, np.dtype[np.uint8]] | None]:
        """The next picture; there is none once the camera is gone."""
        threading.Event().wait(_FRAME_S)
        there = self._stand_ins.health("camera") == "well"
        return there, self._frame if there else None

    def release(self) -> None:
        """Nothing is held."""
