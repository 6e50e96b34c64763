"""The knobs of the side panel as data: derived from how the settings are declared. Nothing here draws."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from parlor_tui.events import DeviceUsed, Event, Failed, Ready, Tuned
from parlor_tui.settings import SECTIONS, Settings, SettingsError, allowed, check
from parlor_tui.settings.presets import COME_ALONG

Kind = Literal["slider", "choice", "switch"]
VOICE = "speaking.voice"
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Hearing": {
        "hearing.mode": "heard as",
        "hearing.hands_free": "hands-free",
        "hearing.vad_threshold": "VAD threshold",
        "hearing.min_speech_ms": "min speech",
        "hearing.pre_roll_ms": "pre-roll",
        "hearing.end_of_turn": "end of turn",
        "hearing.silence_ms": "silence",
        "hearing.finished_ms": "finished",
        "hearing.unfinished_ms": "unfinished",
        "hearing.eager_ms": "eager",
        "hearing.barge_in": "barge-in",
        "hearing.barge_in_ms": "barge-in after",
        "hearing.dip_threshold": "dips at",
        "hearing.echo": "echo",
    },
    "Answering": {
        "answering.temperature": "temperature",
        "answering.top_p": "top-p",
        "answering.max_tokens": "max tokens",
    },
    "Voice": {VOICE: "voice", "speaking.speed": "speed", "speaking.volume_percent": "volume"},
    "Seeing": {"seeing.policy": "frames", "seeing.image_tokens": "image budget", "seeing.prime": "prime"},
}
"""What the panel has a control for, and what it calls it."""
_SWITCH_WORDS: Mapping[str, tuple[str, str]] = {"hearing.barge_in": ("by voice", "key only")}
_SHORT_UNITS = {"probability": "", "tokens": ""}
_ACTS: Mapping[str, str] = {
    "hearing": "now",
    "answering": "with the next reply",
    "speaking": "with the next reply",
    "seeing": "with the next picture",
}
_ACTS_OTHERWISE: Mapping[str, str] = {
    "hearing.mode": "with the next turn",
    "hearing.pre_roll_ms": "with the next turn",
    "speaking.volume_percent": "now",
}
_THIRD = 1 / 3


@dataclass(frozen=True, slots=True)
class Knob:
    """One live setting as a control. `choices` are those of the declaration, or True and False of a switch.

    `low`, `high`, `step` and `big_step` are of a slider, in the setting's own unit.
    """

    name: str
    label: str
    kind: Kind
    why: str
    unit: str
    whole: bool
    default: Any
    choices: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    big_step: float = 0.1

    @property
    def acts(self) -> str:
        """When a change is felt."""
        return _ACTS_OTHERWISE.get(self.name, _ACTS[self.name.split(".")[0]])

    @property
    def range_words(self) -> str:
        """What may be set, in words; empty for a choice."""
        low = self.words(self.low).partition(" ")[0]
        return f"{low}–{self.words(self.high)}" if self.kind == "slider" else ""

    def words(self, value: Any) -> str:
        """`value` with its unit, as short as can be."""
        if isinstance(value, bool):
            on, off = _SWITCH_WORDS.get(self.name, ("on", "off"))
            return on if value else off
        if self.kind != "slider":
            return str(value) if self.name == VOICE else str(value).replace("_", " ")
        number = f"{value:.0f}" if self.whole else f"{value:.2f}"
        unit = _SHORT_UNITS.get(self.unit, self.unit)
        return f"{number} {unit}" if unit else number

    def fraction(self, value: float) -> float:
        """Where `value` stands on the slider, 0..1."""
        return float(((value - self.low) / (self.high - self.low)) ** self._bend)

    def at(self, fraction: float) -> Any:
        """The value that stands at `fraction` (0..1; what is beyond is the nearer end), on a whole step."""
        raw = self.low + min(1.0, max(0.0, fraction)) ** (1 / self._bend) * (self.high - self.low)
        return self._within(round(raw / self.step) * self.step)

    def moved(self, value: float, steps: int, *, big: bool = False) -> Any:
        """The value `steps` further up or down: the next ones that are whole steps."""
        step = self.big_step if big else self.step
        if big:
            return self._within(value + steps * step)
        first = math.floor(value / step + 1e-6) if steps > 0 else math.ceil(value / step - 1e-6)
        return self._within((first + steps) * step)

    def typed(self, text: str) -> Any:
        """The value that somebody typed. Raises ValueError with what is allowed, in one line."""
        section, item = self.name.split(".")
        try:
            number = float(text.replace(",", "."))
            value = int(number) if self.whole and number == int(number) else number
            return check(section, item, value, self.label)
        except (SettingsError, ValueError, OverflowError):
            raise ValueError(f"{text} is not {allowed(section, item)}") from None

    def next_choice(self, value: Any, steps: int, choices: tuple[Any, ...] = ()) -> Any:
        """The choice `steps` further, round and round. `choices` take the place of the declared ones."""
        known = choices or self.choices
        if not known:
            return value
        at = known.index(value) if value in known else -1 if steps > 0 else 0
        return known[(at + steps) % len(known)]

    @property
    def _bend(self) -> float:
        """Long ranges have most of what one wants at their lower end: there the default stands at a third."""
        share = (float(self.default) - self.low) / (self.high - self.low)
        return math.log(_THIRD) / math.log(share) if 0 < share < _THIRD / 2 else 1.0

    def _within(self, value: float) -> Any:
        value = min(self.high, max(self.low, value))
        return round(value) if self.whole else round(value, 2)


def knob_of(name: str, label: str) -> Knob:
    """The control for the live setting `name`."""
    section, item = name.split(".")
    declared = {field.name: field for field in fields(SECTIONS[section])}[item]
    info = declared.metadata
    kind: Kind = "switch" if declared.type == "bool" else "slider" if info["low"] is not None else "choice"
    choices = (True, False) if kind == "switch" else info["choices"]
    base = Knob(name, label, kind, info["why"], info["unit"], declared.type == "int", declared.default, choices)
    if kind != "slider":
        return base
    step, big = (0.01, 0.1) if not base.whole else {"ms": (10, 100), "%": (5, 25)}.get(info["unit"], (1, 10))
    return Knob(
        **{field.name: getattr(base, field.name) for field in fields(Knob)}
        | {"low": info["low"], "high": info["high"], "step": step, "big_step": big}
    )


KNOBS: Mapping[str, Knob] = {name: knob_of(name, label) for rows in GROUPS.values() for name, label in rows.items()}


class Panel:
    """What the panel shows. A value that was asked for shows at once, and stays if it is taken over."""

    def __init__(self, settings: Settings) -> None:
        self._values: Mapping[str, Any] = settings.tuning(settings.core.profile).values()
        self._saved: Mapping[str, Any] = self._values
        self._asked: dict[str, Any] = {}
        self._camera = settings.devices.camera != "none"
        self.voices: tuple[str, ...] = ()
        self.presets: tuple[str, ...] = tuple(COME_ALONG)
        self.preset = ""

    def apply(self, event: Event) -> bool:
        """Take one event over; whether it concerns the panel."""
        match event:
            case Tuned():
                self._values, self._saved = event.values, event.saved
                self.presets, self.preset = event.presets or self.presets, event.preset
                self._asked = {name: value for name, value in self._asked.items() if event.values.get(name) != value}
            case Ready():
                self.voices = event.voices
            case DeviceUsed(kind="camera"):
                self._camera = event.choice != "none"
            case Failed():
                self._asked.clear()  # if it was of something else, the next `Tuned` says so
            case _:
                return False
        return True

    def ask(self, values: Mapping[str, Any]) -> None:
        """Show `values` from now on; None is what is saved."""
        self._asked |= {name: self._saved[name] if value is None else value for name, value in values.items()}

    @property
    def camera_words(self) -> str:
        """Whether the camera is open."""
        return "on" if self._camera else "off"

    def value(self, name: str) -> Any:
        """What the control of `name` shows."""
        return self._asked.get(name, self._values[name])

    def saved(self, name: str) -> Any:
        """What it is at the next start."""
        return self._saved[name]

    def changed(self, name: str) -> bool:
        """Whether it is another value than the saved one."""
        return bool(self.value(name) != self._saved[name])

    def waits(self, name: str) -> bool:
        """Whether the assistant has not taken the shown value over yet."""
        return name in self._asked

    def all_changed(self) -> list[str]:
        """Every live setting that is not as it was saved, also those without a control."""
        return [name for name in self._values if self.value(name) != self._saved[name]]

    def choices(self, name: str) -> tuple[Any, ...]:
        """What `name` can be, of a choice; empty where nobody knows."""
        return self.voices if name == VOICE else KNOBS[name].choices


def help_lines(panel: Panel, knob: Knob) -> str:
    """What `knob` does, in two paragraphs: when a change is felt and what it can be, then why."""
    if knob.name == VOICE and not panel.voices:
        facts = ["the voices are known once the models are loaded"]
    elif panel.waits(knob.name):
        facts = ["on its way"]
    elif panel.changed(knob.name):
        facts = [f"✓ {knob.acts.removeprefix('with the ')}", f"saved {knob.words(panel.saved(knob.name))}"]
    else:
        facts = [f"acts {knob.acts}"]
    facts += [knob.range_words] if knob.range_words else []
    return " · ".join(facts) + "\n" + _why(knob, panel.value(knob.name))


def _why(knob: Knob, value: Any) -> str:
    """Why one would turn `knob`; where each choice has words of its own, those for `value`."""
    parts = re.split(r"(?:^|; )(?=`\w+`: )", knob.why)
    said = next((part for part in parts if part.startswith(f"`{value}`: ")), knob.why)
    return said.replace("`", "")


_SAMPLES: Mapping[str, str] = {
    "e": "¡Hola! Así sueno yo.",
    "f": "Bonjour ! Voici comment je parle.",
    "h": "नमस्ते! मेरी आवाज़ ऐसी है।",
    "i": "Ciao! Ecco come parlo io.",
    "j": "こんにちは。これがわたしのこえです。",
    "p": "Olá! É assim que eu falo.",
    "z": "你好！我的声音是这样的。",
}
"""By the first letter of a voice, which is its language."""


def sample_text(voice: str) -> str:
    """A few words in the language of `voice`."""
    return _SAMPLES.get(voice[:1], "Hello! This is how I sound.")
