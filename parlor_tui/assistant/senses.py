"""Opens and reopens microphone, speaker and camera; without one of them the talk goes on, and says so."""

from __future__ import annotations

from collections.abc import Callable

from parlor_tui.assistant.inbox import Block, Input, MicrophoneEnded, MicrophoneTrouble, SpeakerLost
from parlor_tui.devices.base import Camera, DeviceError, Microphone, Speaker
from parlor_tui.devices.select import Opener
from parlor_tui.settings import Devices

Notify = Callable[[str, str], None]
"""Called with a line for the user and the trouble's name; an empty line when it is over."""


class Senses:
    """The devices of one assistant, used by its thread; what they bring is `put` into its inbox."""

    def __init__(self, devices: Devices, opener: Opener, put: Callable[[Input], None], notify: Notify) -> None:
        self._devices = devices
        self._opener = opener
        self._put = put
        self._notify = notify
        self._microphone: Microphone | None = None
        self._speaker: Speaker | None = None
        self._camera: Camera | None = None
        self._microphone_due = False
        self._speaker_due = False

    @property
    def has_microphone(self) -> bool:
        """Is anything listened to."""
        return self._microphone is not None

    def open_microphone(self) -> None:
        """Listen from now on, unless it does already or the user wants no microphone."""
        if self._microphone is not None:
            return
        try:
            microphone = self._opener.microphone(self._devices.microphone)
            if microphone is None:
                return
            microphone.start(
                lambda samples, at_s: self._put(Block(samples, at_s)),
                lambda reason: self._put(MicrophoneEnded(reason)),
                lambda hint: self._put(MicrophoneTrouble(hint)),
            )
        except DeviceError as error:
            self._microphone_due = True
            self._notify(str(error), "microphone")
            return
        self._microphone = microphone
        self._microphone_due = False
        self._notify("", "microphone")
        self._notify("", "microphone-silent")

    def open_speaker(self) -> Speaker | None:
        """The speaker, playing; None without one."""
        try:
            speaker = self._opener.speaker(
                self._devices.speaker, self._devices.jitter_buffer_ms, self._devices.output_latency_ms
            )
            if speaker is not None:
                speaker.start(lambda reason: self._put(SpeakerLost(reason)))
        except DeviceError as error:
            self._speaker_due = True
            self._notify(f"{error} (replies are only shown)", "speaker")
            return None
        self._speaker = speaker
        self._speaker_due = False
        self._notify("", "speaker")
        return speaker

    def open_camera(self) -> None:
        """Look from now on, if the user wants that."""
        try:
            camera = self._opener.camera(self._devices.camera)
            if camera is not None:
                camera.start()
            self._camera = camera
        except DeviceError as error:
            self._notify(str(error), "camera")

    def frame_jpeg(self) -> bytes | None:
        """The camera's newest frame."""
        newest = self._camera.newest_jpeg() if self._camera is not None else None
        return newest[0] if newest is not None else None

    def microphone_lost(self, reason: str) -> None:
        """It went away: say so, and try again from time to time."""
        self._close_microphone()
        self._microphone_due = True
        self._notify(f"the microphone is gone: {reason}", "microphone")

    def speaker_lost(self, reason: str) -> None:
        """It went away: say so, and try again from time to time."""
        if self._speaker is not None:
            self._speaker.stop(0.2)
            self._speaker = None
        self._speaker_due = True
        self._notify(f"the speaker is gone, replies are only shown: {reason}", "speaker")

    def retry_microphone(self) -> bool:
        """Open a microphone that is missing, if it is back; whether it is."""
        if self._microphone_due:
            self.open_microphone()
            return self._microphone is not None
        return False

    def retry_speaker(self) -> Speaker | None:
        """Open a speaker that is missing; None if none is missing or it is not back."""
        return self.open_speaker() if self._speaker_due else None

    def close(self) -> None:
        """Stop all devices, input first; bounded."""
        self._close_microphone()
        if self._camera is not None:
            self._camera.stop(0.3)
        if self._speaker is not None:
            self._speaker.stop(0.5)

    def _close_microphone(self) -> None:
        if self._microphone is not None:
            self._microphone.stop(0.3)
            self._microphone = None
