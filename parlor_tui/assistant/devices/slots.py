"""What is known of each kind of device: what was chosen, what is used, and whether that is still there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parlor_tui.assistant.devices.opening import Opening
from parlor_tui.devices.files import SOUND_SUFFIXES, means_file
from parlor_tui.devices.listing import Found
from parlor_tui.events import DeviceKind, DevicesChanged, DeviceUsed, now_s


@dataclass(slots=True)
class Slot:
    """One kind of device. `choice` is what is used, or is to be used once it is there.

    `tried` is what the user wants in its place, as long as it is being opened; `due`: it is missing, and tried again;
    `aside`: its stream made way for the opening of the other one; `renew`: so many tries have a better chance than the
    others, since other devices are there now. The last of them is made with every stream closed; `since_s`: when the
    device came into use; `ended`: one that told of its end before it came into use, and why.
    """

    kind: DeviceKind
    choice: str
    opening: Opening
    device: Any = None
    tried: str | None = None
    remember: bool = False
    at_work: bool = False
    alone: bool = False
    due: bool = False
    aside: bool = False
    renew: int = 0
    since_s: float = 0.0
    ended: tuple[object, str] | None = None

    @property
    def used(self) -> DeviceUsed:
        """What is used of it now, to be told."""
        label = self.device.label if self.device is not None else ""
        return DeviceUsed(at_s=now_s(), kind=self.kind, choice=self.choice, label=label)


def names_of(found: Found, kind: DeviceKind) -> tuple[str, ...]:
    """What there is of one kind."""
    return {"microphone": found.microphones, "speaker": found.speakers, "camera": found.cameras}[kind]


def changed(found: Found, came: tuple[str, ...]) -> DevicesChanged:
    """What there is now, to be told; `came` is new."""
    return DevicesChanged(
        at_s=now_s(),
        microphones=found.microphones,
        speakers=found.speakers,
        cameras=found.cameras,
        came=came,
        trouble=found.trouble,
    )


def is_gone(slot: Slot, before: Found, now: Found) -> bool:
    """Whether what is used is in no list any more. The sound server goes on with another one, and does not say so."""
    if slot.device is None or now.trouble:
        return False
    if slot.choice == "default":
        return bool(names_of(before, slot.kind)) and not names_of(now, slot.kind)
    return slot.choice in names_of(before, slot.kind) and slot.choice not in names_of(now, slot.kind)


def aside(sound: Sequence[Slot], slot: Slot) -> list[Any]:
    """Take what is in use of the `sound` slots out of them, so that that of `slot` is opened alone; what that was."""
    taken = []
    for other in sound:
        if other.device is not None:
            taken.append(other.device)
            other.device, other.aside = None, other is not slot
    return taken


def may_want_to_be_alone(sound: Sequence[Slot], slot: Slot, found: Found | None) -> bool:
    """Whether what is tried may work once no stream is open: one holds it, or the list is older than the device."""
    choice = slot.tried or ""
    if all(one.device is None for one in sound) or means_file(choice, SOUND_SUFFIXES):
        return False
    return choice == "default" or (found is not None and choice in names_of(found, slot.kind))
