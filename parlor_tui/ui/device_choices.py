"""What can be chosen as microphone, speaker and camera, and what is used: events in, lists out. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType

from parlor_tui.events import DeviceKind, DevicesChanged, DeviceUsed, Event
from parlor_tui.settings import Devices

KINDS: tuple[DeviceKind, ...] = ("microphone", "speaker", "camera")
NONE_WORDS = {
    "microphone": "none: only type",
    "speaker": "none: only read",
    "camera": "none: show nothing",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a list: `name` as the settings write it, and the `words` for it."""

    name: str
    words: str
    used: bool


def _nothing() -> MappingProxyType[DeviceKind, tuple[str, ...]]:
    return MappingProxyType({})


def _names(event: DevicesChanged) -> MappingProxyType[DeviceKind, tuple[str, ...]]:
    return MappingProxyType({"microphone": event.microphones, "speaker": event.speakers, "camera": event.cameras})


@dataclass(frozen=True, slots=True)
class DeviceChoices:
    """`names` that can be chosen for each kind, what is `chosen`, and the `labels` of what works; "" if that does not.

    `listed`: it is known what there is. `trouble` says why it is not known in full.
    """

    names: MappingProxyType[DeviceKind, tuple[str, ...]] = field(default_factory=_nothing)
    chosen: MappingProxyType[DeviceKind, str] = field(default_factory=lambda: MappingProxyType({}))
    labels: MappingProxyType[DeviceKind, str] = field(default_factory=lambda: MappingProxyType({}))
    listed: bool = False
    trouble: str = ""

    @classmethod
    def of(cls, devices: Devices) -> DeviceChoices:
        """Before anything has happened."""
        return cls(chosen=MappingProxyType({kind: getattr(devices, kind) for kind in KINDS}))

    def after(self, event: Event) -> DeviceChoices:
        """What it is once `event` has happened."""
        match event:
            case DevicesChanged():
                return replace(self, names=_names(event), listed=True, trouble=event.trouble)
            case DeviceUsed(kind=kind, choice=choice, label=label):
                return replace(
                    self,
                    chosen=MappingProxyType({**self.chosen, kind: choice}),
                    labels=MappingProxyType({**self.labels, kind: label}),
                )
            case _:
                return self

    def of_kind(self, kind: DeviceKind) -> list[Choice]:
        """The lines of one list: `default` and `none` first, then the names, then what is used and is none of them."""
        used, label = self.chosen.get(kind, "default"), self.labels.get(kind, "")
        names = self.names.get(kind, ())
        by_default = f"default: {label}" if used == "default" and label and label != "default" else "default"
        known = [("default", by_default), ("none", NONE_WORDS[kind]), *((name, name) for name in names)]
        if used not in dict(known) and label in names:
            used = label  # it was chosen by its number, or by a part of its name
        if used not in dict(known):
            known.append((used, f"{used}: {label}" if label and label not in used else used))
        return [Choice(name, words, name == used) for name, words in known]

    def works(self, kind: DeviceKind) -> bool:
        """Is what was chosen in use, or is nothing wanted."""
        return self.chosen.get(kind) == "none" or bool(self.labels.get(kind))


def news(event: DevicesChanged, key: str) -> str:
    """The line about devices that came; "" if none did. `key` is that of the pickers; "" if they have none."""
    if not event.came:
        return ""
    names = " and ".join(event.came) if len(event.came) < 3 else f"{len(event.came)} devices"
    return f"{names} can be chosen with {key}" if key else f"{names} can be chosen"
