"""Figures as people read them. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from parlor_tui.bench.report import Unit

NONE = "–"


def in_unit(value: float | None, unit: Unit) -> str:
    """A figure and its unit; a dash for none."""
    if value is None or not math.isfinite(value):
        return NONE
    if unit == "ms":
        return in_ms(value)
    return f"{value:.3g}" if unit == "count" else f"{value:.3g} {unit}"


def in_ms(value: float | None) -> str:
    """Such as `1 234 ms`; a dash for none."""
    return NONE if value is None or not math.isfinite(value) else f"{value:,.0f} ms".replace(",", "\u202f")


def in_words(value: Any) -> str:
    """A field of the setup."""
    match value:
        case bool():
            return "yes" if value else "no"
        case None | "" | ():
            return NONE
        case Mapping():
            return ", ".join(f"{name} = {item}" for name, item in value.items())
        case tuple() | list():
            return ", ".join(map(str, value))
        case float():
            return f"{value:.4g}"
        case _:
            return str(value)
