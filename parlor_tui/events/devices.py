"""Microphone, speaker and camera: what they bring, and which ones there are."""

from __future__ import annotations

from dataclasses import dataclass

from parlor_tui.events.base import DeviceKind, Event


@dataclass(frozen=True, slots=True, kw_only=True)
class MicLevel(Event):
    """Level and speech probability (0..1) of one microphone block of 32 ms. Digital silence is -120 dBFS."""

    dbfs: float
    speech_probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerLevel(Event):
    """Level of what the speaker plays, and how much of the reply was played so far."""

    turn: int
    dbfs: float
    played_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoLevel(Event):
    """Level of the speaker's sound in the microphone, and by how much it is taken down."""

    dbfs: float
    suppressed_db: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFrame(Event):
    """What the camera sees, small: `rgb` has three bytes for each pixel, row by row; empty while it shows nothing."""

    width_px: int = 0
    height_px: int = 0
    rgb: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicesChanged(Event):
    """What can be chosen as a device now, by name; `came` are the names that were not there before.

    `trouble` says in one line why something could not be listed.
    """

    microphones: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceUsed(Event):
    """`choice`, as the settings write it, is the `kind` used from now on; `label` is the name of that, or ""."""

    kind: DeviceKind
    choice: str
    label: str
