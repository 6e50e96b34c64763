"""What there is to choose from, as events tell it: voices, presets, profiles. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from parlor_tui.events import Event, Ready, Tuned
from parlor_tui.settings import Core, Settings
from parlor_tui.settings.presets import COME_ALONG
from parlor_tui.ui.device_choices import Choice as DeviceChoice
from parlor_tui.ui.text import clean

_NEXT_START = "from the next start on"
_NOW = "; in use now"
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
    "auto": "the best one whose models are here",
    "gemma": "Gemma 4, which hears, sees and answers by itself",
    "lite": "a small model that answers anywhere, but not well",
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

    def voices(self) -> Iterator[Choice]:
        """Those that the core's speech knows; none before it is ready."""
        for name in self._voices:
            yield Choice(name, voice_words(name) + (_NOW if name == self._values["speaking.voice"] else ""))

    def presets(self) -> Iterator[Choice]:
        """Those that come along, and the user's own."""
        for name in self._presets:
            known = COME_ALONG.get(name)
            yield Choice(name, known.why if known else "live settings that you kept under this name")

    def profiles(self) -> Iterator[Choice]:
        """Which models to use; the core loads them when it starts."""
        (declared,) = (item for item in fields(Core) if item.name == "profile")
        for name in declared.metadata["choices"]:
            told = f"{_PROFILES.get(name, name)}; {_NEXT_START}"
            yield Choice(name, f"{told} (chosen)" if name == self._profile else told)


def voice_words(name: str) -> str:
    """What is known of a voice by its name, in words."""
    language, sex = _LANGUAGES.get(name[:1]), {"f": "a woman's voice", "m": "a man's voice"}.get(name[1:2])
    known = f"{language}, {sex}" if language and sex and name[2:3] == "_" else clean(name)
    return f"{known}; from the next reply on"


def device_words(device: DeviceChoice) -> str:
    """One plain line about a device that can be chosen."""
    words = {device.name: "use it at once", "default": "the one that the system prefers"}.get(
        device.words, device.words
    )
    return words + (_NOW if device.used else "")
