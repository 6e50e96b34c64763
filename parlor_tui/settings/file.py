"""The settings file: read with errors that name the line, and written out with every reason."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from parlor_tui.settings.declare import SettingsError
from parlor_tui.settings.keys import trouble
from parlor_tui.settings.places import config_file
from parlor_tui.settings.sections import SECTIONS
from parlor_tui.settings.values import Settings, allowed


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
    except (ValueError, RecursionError):
        raise SettingsError(f"{name}:1: not valid TOML: a value in it is too long or too deep to be read") from None
    settings = Settings()
    for section, table in tables.items():
        if not isinstance(table, dict):
            raise SettingsError(
                f"{name}:{line_of(text, '', section)}: unknown key {section}; keys stand under a section: "
                + ", ".join(f"[{s}]" for s in SECTIONS)
            )
        if section not in SECTIONS:
            near = difflib.get_close_matches(section, SECTIONS, n=1)
            hint = f"did you mean [{near[0]}]?" if near else "there are " + ", ".join(f"[{s}]" for s in SECTIONS)
            raise SettingsError(f"{name}:{line_of(text, section, '')}: unknown section [{section}]; {hint}")
        for item, value in table.items():
            where = f"{name}:{line_of(text, section, item)}"
            settings = settings.with_values({f"{section}.{item}": value}, where)
    if wrong := trouble(settings.keys, settings.explicit):
        raise SettingsError(f"{name}:{line_of(text, 'keys', wrong[0])}: keys.{wrong[0]}: {wrong[1]}")
    return settings


def line_of(text: str, section: str, item: str) -> int:
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
