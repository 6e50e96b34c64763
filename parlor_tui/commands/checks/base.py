"""What a check finds, and how this system installs things."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from parlor_tui.settings import Settings

Status = Literal["ok", "warning", "missing"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: `found` says what is there, `advice` what to do about it (empty when all is well)."""

    group: str
    name: str
    status: Status
    found: str
    advice: str = ""


Checker = Callable[[Settings], Iterable[Check]]
"""Looks at one side of this machine, under the settings."""


def by_system(advice: Mapping[str, str], platform: str = sys.platform) -> str:
    """The advice for `platform`: `advice` has the keys linux, darwin and win32."""
    return advice.get(platform, advice["linux"])
