"""The words of the help."""

from __future__ import annotations

import textwrap
from itertools import groupby
from pathlib import Path

from textual.content import Content

from parlor_tui.settings import Keys, log_file
from parlor_tui.ui.actions import ACTIONS, GROUPS, keys_of
from parlor_tui.ui.themes import user_folder

KEY_CELLS = 11
"""Width of the column of keys."""
LEAST_CELLS = 20
"""Words are wrapped to no less than this."""

TALKING = (
    "Just talk: the reply begins soon after you stop, and a longer pause ends your turn for certain.",
    "Talk over a reply, and it stops. What you did not hear of it is not remembered as said.",
    "Or type below and press Enter. A reply can be stopped by a key, a voice or a typed turn.",
)
FIXED = (
    ("enter", "Send what was typed"),
    ("^j", "Begin a new line"),
    ("pgup pgdn", "Scroll the talk"),
    ("tab", "Go to the next part of the screen, and to the panel's knobs"),
)
"""Keys of the input line and the talk, which are always the same."""
CHANGING = "Keys are changed in the settings file, in the section [keys]; `parlor-tui config` prints all of it."


def help_lines(keys: Keys, config: Path, width: int) -> list[Content]:
    """All of it in lines of `width` cells (very narrow screens cut them). `config` is the settings file."""
    lines = [_title("How talking works"), *(line for words in TALKING for line in _row("\N{BULLET}", words, width, 2))]
    by_group = sorted(ACTIONS, key=lambda action: GROUPS.index(action.group))
    for group, actions in groupby(by_group, key=lambda action: action.group):
        lines += [Content(""), _title(group)]
        for action in actions:
            lines += _row(" ".join(keys_of(action.id, keys)) or "no key", action.does, width)
    lines += [Content(""), _title("Typing"), *(line for key, does in FIXED for line in _row(key, does, width))]
    places = (("settings", config), ("themes", user_folder()), ("log", log_file()))
    lines += [Content(""), _title("Where things are")]
    lines += [line for name, path in places for line in _row(name, str(path), width)]
    return [*lines, *(Content.styled(line, "dim") for line in _wrapped(CHANGING, width))]


def _title(words: str) -> Content:
    return Content.styled(words, "bold $accent")


def _row(key: str, does: str, width: int, key_cells: int = KEY_CELLS) -> list[Content]:
    """`key` in its column, and what it does beside it."""
    first, *more = _wrapped(does, width - key_cells)
    gap = " " * key_cells
    return [Content.assemble((key.ljust(key_cells), "bold"), first), *(Content(gap + line) for line in more)]


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, max(width, LEAST_CELLS)) or [""]
