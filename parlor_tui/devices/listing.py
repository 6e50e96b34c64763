"""A process of its own that lists devices once, as one JSON object on standard output.

PortAudio lists devices when it is initialised and never again, and to initialise it anew would end every stream: only
another process sees what was plugged in meanwhile. Whatever hangs hangs here.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass

from parlor_tui.devices import pulse, sound_system
from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.camera import list_cameras


@dataclass(frozen=True, slots=True)
class Found:
    """What can be chosen, by name, the system's order kept. `trouble`: why something could not be listed, or ""."""

    microphones: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    trouble: str = ""

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return frozenset((*self.microphones, *self.speakers, *self.cameras))


def parse(text: str) -> Found | None:
    """What the process said; None if that is nothing of use. Other output of libraries may stand before it."""
    lines = text.strip().splitlines()
    try:
        said = json.loads(lines[-1]) if lines else None
    except ValueError:
        return None
    if not isinstance(said, dict):
        return None
    names = {kind: said.get(kind) for kind in ("microphones", "speakers", "cameras")}
    if not all(isinstance(one, list) for one in names.values()):
        return None
    return Found(
        **{kind: tuple(map(str, one or ())) for kind, one in names.items()}, trouble=str(said.get("trouble", ""))
    )


def served(kind: sound_system.Kind, known: list[sound_system.SoundDevice]) -> list[str] | None:
    """The names of the sound server's own devices; None where PortAudio, which `known` is of, knows no way to it."""
    if not any(device.name == pulse.ROUTE and device.channels(kind) for device in known):
        return None
    there = pulse.pulse_devices(kind)
    return None if there is None else list(dict.fromkeys(one.description for one in there))


def _sounds(kind: sound_system.Kind, known: list[sound_system.SoundDevice]) -> tuple[str, ...]:
    """The names of one kind. Where a sound server holds the devices, only through it they can be had."""
    if (names := served(kind, known)) is not None:
        return tuple(names)
    mine = [device for device in known if device.channels(kind)]
    usual = [device for device in mine if device.default_host] or mine
    return tuple(dict.fromkeys(device.name for device in usual))


def list_now() -> Found:
    """What is there now, as far as this process can tell."""
    cameras = list_cameras()
    seen = tuple(dict.fromkeys(one.name for one in cameras)) if cameras is not None else ("0", "1", "2")
    try:
        known = sound_system.devices()
    except DeviceError as error:
        return Found(cameras=seen, trouble=str(error))
    return Found(_sounds("microphone", known), _sounds("speaker", known), seen)


def main() -> int:
    """Say what is there; 0."""
    sys.stdout.write("\n" + json.dumps(asdict(list_now())) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
