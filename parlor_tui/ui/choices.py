"""What there is to choose from, as events tell it: voices, presets, profiles. Nothing here draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from parlor_tui.events import Event, Ready, Tuned
from parlor_tui.settings import Core, Settings
from parlor_tui.settings.presets import COME_ALONG
from parlor_tui.ui.device_choices import Choice as DeviceChoice
from parlor_tui.ui.text import clean, one_line

_CHOSEN = " (chosen)"
_LANGUAGES: Mapping[str, str] = {
    "a": "American English",
    "b": "British English",
    "e": "Spanish",
    "f": "French",
    "h": "Hindi",
    "i": "Italian",
    "j": "Japanese",
    "p": "Brazilian Portuguese",
    "z": "Chinese",
}
"""What the first letter of a Kokoro voice's name stands for; the second one is f or m."""
_PROFILES: Mapping[str, str] = {
    "auto": "the best one whose models are here; needs a new start",
    "gemma": "Gemma 4, which hears, sees and answers by itself; needs a new start",
    "lite": "a small model that answers anywhere, but not well; needs a new start",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose: `name` is what the assistant calls it, `told` one plain line about it."""

    name: str
    told: str


class Choices:
    """Everything that can be chosen now."""

    def __init__(self, settings: Settings) -> None:
        self._values: Mapping[str, Any] = settings.tuning(settings.core.profile).values()
        self._saved: Mapping[str, Any] = self._values
        self._voices: tuple[str, ...] = ()
        self._presets: tuple[str, ...] = tuple(COME_ALONG)
        self._profile = settings.core.profile

    def apply(self, event: Event) -> None:
        """Take one event over."""
        match event:
            case Ready():
                self._voices = event.voices
            case Tuned():
                self._values, self._saved = event.values, event.saved
                self._presets = event.presets or self._presets

    def profile_chosen(self, name: str) -> None:
        """The profile `name` was put into the settings file."""
        self._profile = name

    @property
    def changed(self) -> list[str]:
        """The live settings that are not as they were saved."""
        return [name for name, value in self._values.items() if self._saved.get(name) != value]

    def voices(self) -> list[Choice]:
        """Those that the core's speech knows; none before it is ready."""
        used = self._values["speaking.voice"]
        return [_choice(name, voice_words(name), used=name == used) for name in self._voices]

    def presets(self) -> list[Choice]:
        """Those that come along, and the user's own."""
        own = "live settings that you kept under this name"
        return [_choice(name, COME_ALONG[name].why if name in COME_ALONG else own) for name in self._presets]

    def profiles(self) -> list[Choice]:
        """Which models to use; the core loads them when it starts."""
        (declared,) = (item for item in fields(Core) if item.name == "profile")
        names = [str(name) for name in declared.metadata["choices"]]
        return [_choice(name, _PROFILES.get(name, name), used=name == self._profile) for name in names]


def _choice(name: str, told: str, *, used: bool = False) -> Choice:
    """`told` as a sentence, and whether it is what is chosen already."""
    told = one_line(told)
    return Choice(name, f"{told[:1].upper()}{told[1:]}{_CHOSEN if used else ''}")


def device_choices(of_kind: Sequence[DeviceChoice]) -> list[Choice]:
    """The devices of one kind."""
    return [_choice(device.name, _device_words(device), used=device.used) for device in of_kind]


def voice_words(name: str) -> str:
    """What is known of a voice by its name, in words."""
    language, sex = _LANGUAGES.get(name[:1]), {"f": "a woman's voice", "m": "a man's voice"}.get(name[1:2])
    known = f"{language}, {sex}" if language and sex and name[2:3] == "_" else clean(name)
    return f"{known}; from the next reply on"


def _device_words(device: DeviceChoice) -> str:
    """One plain line about a device that can be chosen."""
    plain = {device.name: "use it at once", "default": "the one that the system prefers"}
    return plain.get(device.words, device.words)
