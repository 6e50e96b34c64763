"""Chosen values put into the settings file: only they change, comments and order stay. Imports tomlkit."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import threading
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parlor_tui.settings.declare import SettingsError
from parlor_tui.settings.file import parse, toml_value
from parlor_tui.settings.values import Settings

_ONE_AT_A_TIME = threading.Lock()
"""What is read, changed and written belongs together."""


def save_values(path: Path, values: Mapping[str, Any]) -> None:
    """Write `{"section.key": value}` into the settings file `path`, which is made, with its folder, if it is absent.

    The file is replaced as a whole or not at all; a link stays one. Raises SettingsError, in one line, for a bad value,
    a file that is no settings file, and one that cannot be written.
    """
    Settings().with_values(values, str(path))
    with _ONE_AT_A_TIME:
        mark, text = _read(path)
        parse(text, str(path))
        for name, value in values.items():
            text = with_value(text, name, value)
        parse(text, str(path))
        replace_file(path, mark + text)


def replace_file(path: Path, text: str) -> None:
    """Make `text` the whole of the file `path`, or leave everything as it was.

    The folder is made if it is absent; a link stays one, and a file keeps its mode. Raises SettingsError in one line.
    """
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raise SettingsError(f"{path}: not saved: a value holds what is no text") from None
    file = Path(os.path.realpath(path))
    if file.exists() and not file.is_file():  # the null device, say, which root would replace for everybody
        raise SettingsError(f"{path}: not saved: it is no ordinary file")
    new = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with new.open("xb") as opened:
            opened.write(raw)
            opened.flush()
            os.fsync(opened.fileno())
        if file.exists():
            shutil.copymode(file, new)
        new.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise SettingsError(f"{path}: not saved: {error.strerror or error}") from None


def with_value(text: str, name: str, value: Any) -> str:
    """The settings file `text` with `section.key` set; everything else in it stays as it is."""
    import tomlkit

    section, _, item = name.partition(".")
    before = tomllib.loads(text)
    wanted = before | {section: before.get(section, {}) | {item: value}}
    if wanted == before and item in before.get(section, {}):
        return text
    if item not in before.get(section, {}):
        inserted = _inserted(text, section, item, value)
        with contextlib.suppress(tomllib.TOMLDecodeError):  # the lines that were taken for a section stand in a text
            if tomllib.loads(inserted) == wanted:
                return inserted
    document = tomlkit.parse(text)
    if section not in document:
        document[section] = tomlkit.table()
    document[section][item] = tomlkit.value(toml_value(value))
    written = tomlkit.dumps(document)
    return re.sub(r"(?<!\r)\n", "\r\n", written) if _line_end(text) == "\r\n" else written


def _inserted(text: str, section: str, item: str, value: Any) -> str:
    """`text` with a new line: below the key's own comment, else behind the section's last value, else at the end."""
    end = _line_end(text)
    new = f"{item} = {toml_value(value)}{end}"
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += end
    heads = [number for number, line in enumerate(lines) if re.match(r"\s*\[", line)]
    head = next((n for n in heads if re.match(rf"\s*\[\s*[\"']?{re.escape(section)}[\"']?\s*\]", lines[n])), None)
    if head is None:
        gap = [end] if lines and lines[-1].strip() else []
        return "".join([*lines, *gap, f"[{section}]{end}", new])
    over = next((number for number in heads if number > head), len(lines))
    place = head
    for number in range(head + 1, over):
        if re.match(rf"\s*#\s*{re.escape(item)}\s*=", lines[number]):
            place = number
            break
        if lines[number].strip() and not lines[number].lstrip().startswith("#"):
            place = number
    return "".join([*lines[: place + 1], new, *lines[place + 1 :]])


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _read(path: Path) -> tuple[str, str]:
    """The byte order mark and the text of the file `path`, both empty if there is none."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return "", ""
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not saved: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise SettingsError(f"{path}: not saved: cannot be read: {error.strerror}") from None
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
