"""Presets: live settings under one name. Four come along; the user's own are files like the settings file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from parlor_tui.settings.declare import SettingsError
from parlor_tui.settings.file import line_of, load, toml_value
from parlor_tui.settings.places import config_file
from parlor_tui.settings.saving import replace_file
from parlor_tui.settings.values import Tuning

NAME_CHARACTERS = 40
_LISTED = 200
_DEVICE_NAMES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""What Windows opens a device for, whatever the folder."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Live settings by their `section.key`; what it does not name stays as it is. `why`: one line on what it is for."""

    name: str
    why: str
    values: Mapping[str, Any]


def _preset(name: str, why: str, values: Mapping[str, Any]) -> Preset:
    return Preset(name, why, MappingProxyType(dict(values)))


_COME_ALONG = (
    _preset(
        "m3-pro",
        "as the first Parlor was set up, on its maker's M3 Pro",
        {
            "hearing.mode": "native",  # the model heard the sound itself
            "hearing.native_s": 30,  # as long as its ear takes
            "hearing.echo": "cancel",  # the browser did that
            "hearing.vad_threshold": 0.5,  # of its VAD
            "hearing.vad_threshold_speaking": 0.92,  # while it spoke, against its own echo
            "hearing.vad_release": 0.25,  # of its VAD
            "hearing.end_of_turn": "fixed",  # whatever was said,
            "hearing.silence_ms": 600,  # so much silence ended a turn,
            "hearing.eager_ms": 0,  # and nothing was begun before
            "hearing.min_speech_ms": 300,  # of its VAD
            "hearing.pre_roll_ms": 300,  # of its VAD
            "hearing.barge_in": True,  # a voice stopped the reply,
            "hearing.barge_in_grace_ms": 800,  # but not within its first 0.8 s
            "answering.temperature": 0.7,
            "answering.top_p": 0.9,
            "answering.max_tokens": 25,
            "seeing.policy": "every_turn",  # a frame went with each turn,
            "seeing.image_tokens": 280,  # at the model's own budget,
            "seeing.prime": False,  # once the turn was over
            "speaking.voice": "af_heart",
            "speaking.speed": 1.1,
        },
    ),
    _preset(
        "quiet room",
        "nothing but you sounds: soft and short words count, and little silence tells",
        {
            "hearing.vad_threshold": 0.4,  # a soft or distant voice stays below 0.5, and nothing else comes near
            "hearing.vad_release": 0.2,  # the end of a sentence is often under one's breath
            "hearing.silence_ms": 500,  # a pause is one: no noise hides words in it
            "hearing.min_speech_ms": 64,  # a short "no" lasts 100 ms; clicks are rare here
            "hearing.pre_roll_ms": 300,  # noticed at once, so that the usual is enough
            "hearing.dip_threshold": 0.2,  # the reply dips at the first sign of a voice
            "hearing.barge_in_ms": 64,  # two blocks of speech are no accident here
            "hearing.barge_in_sure_ms": 400,  # nor is so much of it a noise
        },
    ),
    _preset(
        "noisy room",
        "others talk, music plays, a fan runs: only a near, clear and lasting voice counts",
        {
            "hearing.vad_threshold": 0.75,  # voices in the background reach 0.4 to 0.7
            "hearing.vad_release": 0.5,  # below that the background would go on for the user, and no turn would end
            "hearing.silence_ms": 800,  # soft syllables drown, and look like silence
            "hearing.min_speech_ms": 250,  # clatter is shorter than that
            "hearing.pre_roll_ms": 500,  # a higher threshold notices later how a word began
            "hearing.dip_threshold": 0.6,  # or the reply would dip all the time
            "hearing.barge_in_ms": 250,  # the reply does not stop for every clatter
            "hearing.barge_in_sure_ms": 1000,  # what ends it without a word in it had better last
        },
    ),
    _preset(
        "low latency",
        "answers as soon as can be, and now and then too soon",
        {
            "hearing.end_of_turn": "adaptive",  # knows many a turn to be over before the silence alone would
            "hearing.eager_ms": 32,  # the reply is begun at the first block of silence
            "hearing.finished_ms": 120,  # the pauses within a sentence are longer than that, but do not sound finished
            "hearing.silence_ms": 350,  # most pauses within a sentence are shorter
            "hearing.unfinished_ms": 1000,  # who searches for a word longer than that is interrupted
            "hearing.native_s": 8,  # the ear's time grows with the turn's length, the caption is written meanwhile
            "seeing.policy": "when_changed",  # a picture that the model knows costs its encoder's time for nothing
            "seeing.prime": True,  # and a new one is looked at while the user still speaks
            "answering.max_tokens": 25,  # the shorter the reply, the sooner it is the user's turn again
        },
    ),
)
COME_ALONG: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _COME_ALONG})
"""The presets that the product brings."""


def presets_folder() -> Path:
    """Where the user's own are kept."""
    return config_file().parent / "presets"


def preset_names(folder: Path) -> tuple[str, ...]:
    """Those that come along, then the user's own by name. A folder that cannot be read has none."""
    try:
        own = sorted(file.stem for file in folder.glob("*.toml") if _is_name(file.stem))[:_LISTED]
    except OSError:
        own = []
    return (*COME_ALONG, *(name for name in own if not _comes_along(name)))


def load_preset(name: str, folder: Path) -> Preset:
    """The preset called `name`. Raises SettingsError in one line: file, line, key and what is allowed."""
    if name in COME_ALONG:
        return COME_ALONG[name]
    file = _file_of(name, folder)
    if not file.is_file():
        raise SettingsError(f"there is no preset {name}; there are {', '.join(preset_names(folder))}")
    settings = load(file)
    live = Tuning().values()
    for key in sorted(settings.explicit - live.keys()):
        line = line_of(file.read_text("utf-8-sig"), *key.split(".", 1))
        raise SettingsError(f"{file}:{line}: {key} needs a new start and is no part of a preset")
    values = {key: getattr(getattr(settings, key.split(".")[0]), key.split(".")[1]) for key in live}
    return Preset(name, f"your own, in {file}", {key: values[key] for key in live if key in settings.explicit})


def save_preset(name: str, values: Mapping[str, Any], folder: Path) -> Path:
    """Keep live settings as the user's preset `name`, in place of one of that name; the file.

    Raises SettingsError, in one line, for a name that cannot be one, a bad value and what cannot be written.
    """
    if _comes_along(name):
        raise SettingsError(f"the preset {name} comes along and stays as it is; choose another name")
    file = _file_of(name, folder)
    checked = Tuning().with_values(values, str(file)).values()
    sections: dict[str, list[str]] = {}
    for key in values:
        section, item = key.split(".", 1)
        sections.setdefault(section, []).append(f"{item} = {toml_value(checked[key])}")
    text = "\n\n".join("\n".join([f"[{section}]", *lines]) for section, lines in sections.items())
    replace_file(file, text + "\n")
    return file


def delete_preset(name: str, folder: Path) -> None:
    """Forget the user's preset `name`. Raises SettingsError, in one line, if it is not the user's or will not go."""
    if name in COME_ALONG:
        raise SettingsError(f"the preset {name} comes along and stays")
    try:
        _file_of(name, folder).unlink()
    except FileNotFoundError:
        raise SettingsError(f"there is no preset {name}") from None
    except OSError as error:
        raise SettingsError(f"the preset {name} cannot be deleted: {error.strerror}") from None


def _comes_along(name: str) -> bool:
    return name.casefold() in COME_ALONG


def _is_name(name: str) -> bool:
    word = re.fullmatch(rf"\w(?:[\w .-]{{0,{NAME_CHARACTERS - 2}}}[\w-])?", name) is not None
    return word and not _DEVICE_NAMES.fullmatch(name)


def _file_of(name: str, folder: Path) -> Path:
    if not _is_name(name):
        raise SettingsError(
            f"{name[:NAME_CHARACTERS]!r} cannot be a preset's name: "
            f"letters, digits, spaces, - and _, {NAME_CHARACTERS} characters at most"
        )
    return folder / f"{name}.toml"
