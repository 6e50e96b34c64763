"""What the terminal side tells of the settings that change while a talk goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parlor_tui.events.base import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned(Event):
    """Every live setting as it is in use now, by its `section.key`; told after each change, also one of the core's.

    `saved` are the values that come back at the next start. `changed` are the keys that the user has just changed,
    `preset` the preset that they are of, if they are. `presets` can be chosen.
    """

    values: Mapping[str, Any]
    saved: Mapping[str, Any]
    changed: tuple[str, ...] = ()
    preset: str = ""
    presets: tuple[str, ...] = ()
