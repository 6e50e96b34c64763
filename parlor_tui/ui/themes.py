"""Themes as data: one TOML file each, ours and the user's. A broken file is reported, never fatal."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

from parlor_tui.events import State
from parlor_tui.settings import config_file

DEFAULT_THEME = "parlor"
THEME_BYTES_LIMIT = 100_000
VARIABLES = {
    f"state-{State.LOADING}": "#9aa0b0",
    f"state-{State.LISTENING}": "#4ade80",
    f"state-{State.HEARING}": "#86efac",
    f"state-{State.THINKING}": "#f59e0b",
    f"state-{State.SPEAKING}": "#818cf8",
    f"state-{State.MUTED}": "#fb923c",
    f"state-{State.ERROR}": "#f87171",
    "stage-even": "#818cf8",
    "stage-odd": "#4ade80",
}
"""Our own colours, with what they are in themes that are not ours and say nothing about them."""
ROLES = {
    f"state-{State.LOADING}": "foreground",
    f"state-{State.LISTENING}": "success",
    f"state-{State.HEARING}": "success",
    f"state-{State.THINKING}": "warning",
    f"state-{State.SPEAKING}": "primary",
    f"state-{State.MUTED}": "warning",
    f"state-{State.ERROR}": "error",
    "stage-even": "primary",
    "stage-odd": "success",
}
"""Which of a theme's own colours stands for one of ours that its file leaves out."""
GROUNDS = {"primary-muted": "primary", "warning-muted": "warning", "error-muted": "error", "success-muted": "success"}
"""Grounds of bars that stand out, and the colour that each is a hint of."""
GROUND_SHARE = 0.12
"""How much of that colour is in the ground: words on it, also dim ones and the colour itself, can be read."""
FRAME = "frame"
"""What lines around parts of the screen are drawn in: a quarter of the foreground, unless a file sets it."""
LOOKS = frozenset({*GROUNDS, FRAME, "text-muted", "text-warning", "text-error", "block-cursor-foreground"})
"""Colours that follow from the others unless a file sets them."""
COLOURS = frozenset(f.name for f in fields(Theme)) - {
    "name",
    "dark",
    "ansi",
    "variables",
    "luminosity_spread",
    "text_alpha",
}


class ThemeError(Exception):
    """A theme file that cannot be used. The message is one line: file, line, what is wrong."""


def shipped_folder() -> Path:
    """Where our own themes are: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"


def user_folder() -> Path:
    """Where the user may put more."""
    return config_file().parent / "themes"


def load(file: Path) -> Theme:
    """The theme in `file`. Raises ThemeError."""
    try:
        with file.open("rb") as opened:
            raw = opened.read(THEME_BYTES_LIMIT + 1)
        if len(raw) > THEME_BYTES_LIMIT:
            raise ThemeError(f"{file}: larger than a theme can be ({THEME_BYTES_LIMIT} bytes)")
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ThemeError(f"{file}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise ThemeError(f"{file}: cannot be read: {error.strerror}") from None
    return parse(text, str(file), default_name=file.stem)


def parse(text: str, file: str, default_name: str) -> Theme:
    """The theme that TOML `text` describes; `file` is what errors call it. Raises ThemeError."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        line = at.group(1) if at else str(text.count("\n") + 1)
        raise ThemeError(f"{file}:{line}: not valid TOML: {str(error).partition(' (at ')[0].lower()}") from None
    except (ValueError, RecursionError):
        raise ThemeError(f"{file}:1: not valid TOML: a value in it is too long or too deep to be read") from None
    variables = values.pop("variables", {})
    name = values.pop("name", default_name)
    dark = values.pop("dark", True)
    if not isinstance(name, str) or not re.fullmatch(r"[\w.-]{1,40}", name):
        raise ThemeError(f"{_at(text, file, 'name')}: name must be one word in quotes, 40 characters at most")
    if not isinstance(dark, bool):
        raise ThemeError(f"{_at(text, file, 'dark')}: dark must be true or false")
    if not isinstance(variables, dict):
        raise ThemeError(f"{_at(text, file, 'variables')}: variables must be a section, [variables]")
    for key, value in values.items():
        if key not in COLOURS:
            raise ThemeError(f"{_at(text, file, key)}: unknown key {key}; there are {', '.join(sorted(COLOURS))}")
        _check_colour(text, file, key, value)
    for key, value in variables.items():
        if key not in VARIABLES and key not in LOOKS:
            known = ", ".join([*VARIABLES, *sorted(LOOKS)])
            raise ThemeError(f"{_at(text, file, key)}: unknown variable {key}; there are {known}")
        _check_colour(text, file, key, value)
    if "primary" not in values:
        raise ThemeError(f"{file}:1: primary is missing; every theme needs it")
    theme = Theme(name=name, dark=dark, variables=variables, **values)
    return replace(theme, variables={**_derived(theme), **variables})


def _derived(theme: Theme) -> dict[str, str]:
    """What follows from a theme's own colours, for every variable of ours and the grounds."""
    colours = theme.to_color_system().generate()
    background = Color.parse(colours["background"])
    grounds = {
        ground: background.blend(Color.parse(colours[colour]), GROUND_SHARE).hex for ground, colour in GROUNDS.items()
    }
    roles = {name: colours[role] for name, role in ROLES.items()}
    return roles | grounds | {FRAME: f"{colours['foreground']} 25%"}


def _check_colour(text: str, file: str, key: str, value: Any) -> None:
    try:
        if not isinstance(value, str):
            raise ColorParseError("not text")
        Color.parse(value)
    except ColorParseError:
        raise ThemeError(
            f'{_at(text, file, key)}: {key} = {value!r} is no colour; write it as "#rrggbb" or by name'
        ) from None


def _at(text: str, file: str, key: str) -> str:
    """File and 1-based line where `key` is set."""
    pattern = rf"""\s*\[?\s*["']?{re.escape(key)}["']?\s*[\]=.]"""
    lines = enumerate(text.splitlines(), 1)
    return f"{file}:{next((number for number, line in lines if re.match(pattern, line)), 1)}"
