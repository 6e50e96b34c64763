"""How a setting is declared, and the error that tells of a bad one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any


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
    form: Callable[[str], str] | None = None,
) -> Any:
    """Declare one setting.

    `profiles` gives the default of single profiles where it differs; `low` and `high` are inclusive. One of a section
    that is tuned while a talk goes on may not be `live`: it holds from the next start. `form` gives a text the form in
    which it is kept, or raises ValueError with what is wrong with it.
    """
    info: dict[str, Any] = {"unit": unit, "why": why, "low": low, "high": high, "choices": choices}
    info |= {"profiles": profiles or {}, "live": live, "form": form}
    return field(default=default, metadata=info)
