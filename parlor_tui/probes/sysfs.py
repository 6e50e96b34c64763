"""Files of Linux' /sys, each one value of text: numbers that are there and make sense, or None."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_LONGEST_BYTES = 4096
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_CARD = re.compile(r"card[0-9]+")


def text(file: Path) -> str | None:
    """The text in `file`, without blanks around it; None if there is none, or it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(_LONGEST_BYTES).decode("ascii").strip() or None
    except (OSError, ValueError):  # absent, not for us, asleep; bytes that are no text; a name that cannot be one
        return None


def whole(file: Path, least: int = 0) -> int | None:
    """The whole number in `file`; None for anything else, and for one below `least`."""
    found = text(file)
    if found is None or not _WHOLE.fullmatch(found):
        return None
    number = int(found)
    return number if number >= least else None


def scaled(file: Path, unit: float, least: int = 0) -> float | None:
    """The whole number in `file` in units of `unit`; None as in `whole`."""
    number = whole(file, least)
    return None if number is None else number / unit


def milli_celsius(file: Path) -> float | None:
    """A temperature in degrees; None for one that no working machine has."""
    value = scaled(file, 1000.0, -60_000)
    return value if value is not None and value <= 250 else None


def cards(root: Path, vendor: str) -> list[Path]:
    """The folders of the graphics cards of `vendor` (as 0x1002) under `root`, which is /sys."""
    return [card for card in _folders(root / "class/drm") if _CARD.fullmatch(card.name) and _made_by(card, vendor)]


def sensors(folder: Path) -> Iterator[tuple[str, Path]]:
    """The name and folder of each chip that measures, as listed in `folder`."""
    for chip in _folders(folder):
        if (name := text(chip / "name")) is not None:
            yield name, chip


def asleep(card: Path) -> bool:
    """Whether a card is switched off for now: asking it would wake it, and keep it awake."""
    return text(card / "device/power/runtime_status") == "suspended"


def _made_by(card: Path, vendor: str) -> bool:
    return text(card / "device/vendor") == vendor


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
