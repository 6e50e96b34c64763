"""From a choice to a device that works; to be called where nobody waits, since a driver may take its time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from parlor_tui.assistant.inbox import Block, Input, MicrophoneEnded, MicrophoneTrouble, SpeakerLost
from parlor_tui.devices.base import Microphone, Speaker
from parlor_tui.devices.select import Opener
from parlor_tui.events import DeviceKind
from parlor_tui.settings import Devices


class Starter:
    """What the devices bring is `put` into the assistant's inbox."""

    def __init__(self, devices: Devices, opener: Opener, put: Callable[[Input], None]) -> None:
        self._devices = devices
        self._opener = opener
        self._put = put

    def start(self, kind: DeviceKind, choice: str, first: list[Any]) -> Any:
        """On the opening's own thread: the device, started."""
        for device in first:
            device.stop(0.5)
        match kind:
            case "microphone":
                return self._start_microphone(choice)
            case "speaker":
                devices = self._devices
                speaker = self._opener.speaker(choice, devices.jitter_buffer_ms, devices.output_latency_ms)
                if speaker is not None:
                    speaker.start(partial(self._speaker_lost, speaker))
                return speaker
            case "camera":
                camera = self._opener.camera(choice)
                if camera is not None:
                    camera.start()
                return camera

    def _start_microphone(self, choice: str) -> Microphone | None:
        microphone = self._opener.microphone(choice)
        if microphone is None:
            return None
        microphone.start(
            lambda samples, at_s: self._put(Block(samples, at_s)),
            partial(self._microphone_ended, microphone),
            lambda hint: self._put(MicrophoneTrouble(hint, microphone)),
        )
        return microphone

    def _speaker_lost(self, speaker: Speaker, reason: str) -> None:
        self._put(SpeakerLost(reason, speaker))

    def _microphone_ended(self, microphone: Microphone, reason: str | None) -> None:
        self._put(MicrophoneEnded(reason, microphone))
