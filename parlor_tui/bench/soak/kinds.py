"""What each fault is: in words, how the user is told of it, and what shows that it is over. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from parlor_tui.events import DeviceKind, DeviceUsed, Event, Failed, Notice, TurnCommitted, TurnDone

Part = Literal["core", "microphone", "speaker", "camera", "disk", "machine"]
"""What a fault happens to."""

_MOVED, _MOVED_BACK = "the speaker ", "playing on "
"""What is told where the sound server goes on with another speaker, which is no trouble that lasts."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One fault. `key` is the name of the trouble that is to be told; "" where there is nothing to tell.

    `ends_core`: another core is started. `deaf`, `mute`: nobody is heard, nothing is played meanwhile. `held_s`: it
    lasts at least so long. `at_write`: nobody can know of it before something is written. `may_pass`: it may
    do no harm at all. `heals`: it is got over whether or not what caused it ends.
    """

    name: str
    words: str
    part: Part
    key: str = ""
    ends_core: bool = False
    deaf: bool = False
    mute: bool = False
    held_s: float = 0.0
    at_write: bool = False
    may_pass: bool = False
    heals: bool = False

    def begins(self, event: Event) -> bool:
        """Whether from here on the fault can be known of, where that is later than when it happened."""
        return self.at_write and isinstance(event, TurnCommitted | TurnDone)

    def tells(self, event: Event) -> bool:
        """Whether the user is told of the fault by `event`."""
        if isinstance(event, Notice):
            moved = self.part == "speaker" and event.text.startswith(_MOVED)
            return bool(self.key) and bool(event.text) and (event.key == self.key or moved)
        return self.may_pass and isinstance(event, Failed)

    def ends(self, event: Event) -> bool:
        """Whether `event` shows that it is over, once what caused it is."""
        if self.may_pass and isinstance(event, TurnDone) and event.status == "completed":
            return True
        device: DeviceKind | None = None
        match self.part:
            case "machine":
                return isinstance(event, TurnDone) and event.status == "completed"
            case "microphone" | "speaker" | "camera" if self.key == self.part:
                device = self.part
            case _:
                pass
        if device is not None:
            moved_back = device == "speaker" and isinstance(event, Notice) and event.text.startswith(_MOVED_BACK)
            return moved_back or (isinstance(event, DeviceUsed) and event.kind == device and bool(event.label))
        return isinstance(event, Notice) and event.key == self.key and not event.text


_ALL = (
    Kind("core-crash", "the core crashes", "core", "core", ends_core=True, heals=True),
    Kind("core-kill", "the core is killed", "core", "core", ends_core=True, heals=True),
    Kind("core-hang", "the core stands still", "core", "core", ends_core=True, heals=True),
    Kind(
        "core-memory",
        "the core gets no more memory",
        "core",
        "core",
        ends_core=True,
        held_s=2.0,
        may_pass=True,
        heals=True,
    ),
    Kind("link-cut", "the link to the core is cut", "core", "core", heals=True),
    Kind("mic-lost", "the microphone is unplugged", "microphone", "microphone", deaf=True, held_s=1.5),
    Kind("mic-hung", "the microphone hangs", "microphone", "microphone", deaf=True, held_s=1.5),
    Kind("mic-muted", "the microphone is muted", "microphone", "microphone-silent", deaf=True, held_s=1.5),
    Kind("mic-rate", "the microphone is set to another rate", "microphone", "microphone", deaf=True, heals=True),
    Kind("mic-moved", "the recording is moved to the speaker", "microphone", "microphone", deaf=True, heals=True),
    Kind("speaker-lost", "the speaker is unplugged", "speaker", "speaker", mute=True, held_s=1.5),
    Kind("speaker-hung", "the speaker hangs", "speaker", "speaker", mute=True, held_s=1.5),
    Kind("sound-hung", "the sound server hangs", "microphone", "microphone", deaf=True, mute=True, held_s=2.0),
    Kind("camera-lost", "the camera is unplugged", "camera", "camera", held_s=1.5),
    Kind("disk-full", "the disk is full", "disk", "disk", at_write=True, held_s=1.5),
    Kind("suspend", "the machine sleeps", "machine", deaf=True, mute=True),
)
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
