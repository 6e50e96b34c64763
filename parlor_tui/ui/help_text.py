"""The words of the help."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from textual.content import Content

from parlor_tui.settings import Keys, config_file, log_file
from parlor_tui.ui.actions import ACTIONS, GROUPS, keys_of
from parlor_tui.ui.themes import user_folder

KEY_CELLS = 12
"""Width of the column of keys."""

TALKING = (
    "Just talk: a reply begins soon after you stop. Talk over it, and it stops; what you did not hear of it is",
    "forgotten. Or type below and press Enter.",
)
FIXED = (
    ("enter", "Send what was typed"),
    ("^j", "Begin a new line"),
    ("pgup pgdn", "Scroll the talk"),
    ("tab", "Go to the next part of the screen"),
)
"""Keys of the input line and the talk, which cannot be changed."""


def help_lines(keys: Keys) -> list[Content]:
    """All of it, for a frame of 80 cells; longer lines may be wrapped."""
    lines = [*_section("How talking works"), Content(" ".join(TALKING)), Content("")]
    by_group = sorted(ACTIONS, key=lambda action: GROUPS.index(action.group))
    for group, actions in groupby(by_group, key=lambda action: action.group):
        lines += _section(group)
        lines += [_row(" ".join(keys_of(action.id, keys)) or "no key", action.does) for action in actions]
        lines.append(Content(""))
    lines += [*_section("Typing"), *(_row(key, does) for key, does in FIXED), Content("")]
    places = (("settings", config_file()), ("themes", user_folder()), ("log", log_file()))
    return [*lines, *_section("Where things are"), *(_row(name, str(path)) for name, path in places)]


def _section(title: str) -> Sequence[Content]:
    return [Content.styled(title, "bold $accent")]


def _row(key: str, does: str) -> Content:
    return Content.assemble((key.ljust(KEY_CELLS), "bold"), does)
