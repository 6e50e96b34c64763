"""From what a person wrote to a device: `default`, `none`, a number, a part of a name, or a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.devices import opencv
from parlor_tui.devices.base import Camera, DeviceError, Microphone, Speaker
from parlor_tui.devices.camera import CameraDevice, DeviceCamera, PictureCamera, VideoCamera, list_cameras
from parlor_tui.devices.files import PICTURE_SUFFIXES, SOUND_SUFFIXES, VIDEO_SUFFIXES, means_file, regular_file
from parlor_tui.devices.microphone import DeviceMicrophone
from parlor_tui.devices.sound_system import choose
from parlor_tui.devices.speaker import DeviceSpeaker
from parlor_tui.devices.stand_ins import FileMicrophone, FileSpeaker


def open_microphone(choice: str) -> Microphone | None:
    """The microphone that `choice` means, not started; None for `none`. Raises DeviceError."""
    if choice == "none":
        return None
    if choice != "default" and means_file(choice, SOUND_SUFFIXES):
        return FileMicrophone(Path(choice))
    return DeviceMicrophone(choose("microphone", choice))


def open_speaker(choice: str, jitter_buffer_ms: int, latency_ms: int) -> Speaker | None:
    """The speaker that `choice` means, not started; None for `none`. Raises DeviceError.

    `jitter_buffer_ms` bounds what waits in it; `latency_ms` is asked of the sound system. A file is written anew.
    """
    if choice == "none":
        return None
    if choice != "default" and means_file(choice, SOUND_SUFFIXES):
        return FileSpeaker(Path(choice), jitter_buffer_ms)
    return DeviceSpeaker(choose("speaker", choice), jitter_buffer_ms, latency_ms)


def open_camera(choice: str) -> Camera | None:
    """The camera that `choice` means, not started; None for `none`. Raises DeviceError."""
    if choice == "none":
        return None
    if choice.startswith("/dev/video"):
        return _device_camera(choice, list_cameras())
    if choice != "default" and means_file(choice, PICTURE_SUFFIXES | VIDEO_SUFFIXES):
        file = regular_file(Path(choice), "a picture or a video")
        try:
            with file.open("rb") as opened:
                head = opened.read(16)
        except OSError as error:
            raise DeviceError(f"{choice}: cannot be read: {error.strerror or error}") from None
        return PictureCamera(file) if opencv.is_picture(head) or not head else VideoCamera(file)
    return _device_camera(choice, list_cameras())


@dataclass(frozen=True, slots=True)
class Opener:
    """How the choices of the settings become devices. What stands in for a room brings its own."""

    microphone: Callable[[str], Microphone | None] = open_microphone
    speaker: Callable[[str, int, int], Speaker | None] = open_speaker
    camera: Callable[[str], Camera | None] = open_camera


def _device_camera(choice: str, known: list[CameraDevice] | None) -> DeviceCamera:
    wanted = choice.strip().casefold()
    if known is None:  # only opening tells whether it is there
        if wanted != "default" and not wanted.isdecimal():
            raise DeviceError(f"camera {choice!r}: cameras go by number here: give 0 for the first one")
        number = 0 if wanted == "default" else int(wanted)
        return DeviceCamera(number, str(number))
    if not known:
        raise DeviceError("no camera found: plug one in, or go on without: --camera none", missing=True)
    if wanted == "default":
        found = known[:1]
    elif wanted.isdecimal():
        found = [one for one in known if one.number == int(wanted)]
    else:
        found = [one for one in known if wanted in (one.name.casefold(), one.path)] or [
            one for one in known if wanted and wanted in one.name.casefold()
        ]
    names = ", ".join(f"{one.number} {one.name}" for one in found or known)
    if not found:
        raise DeviceError(f"camera {choice!r}: no such camera or file; there are: {names}", missing=True)
    if len(found) > 1:
        raise DeviceError(f"camera {choice!r}: several match: {names}; give the number of one")
    if not found[0].allowed:
        raise DeviceError(
            f"camera {found[0].name}: {found[0].path} may not be opened: sudo usermod -aG video $USER and log in again",
            missing=True,
        )
    return DeviceCamera(found[0].path, found[0].name)
