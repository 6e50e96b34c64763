"""What a probe is, and when a GPU is held back that does not say so itself. Pure."""

from __future__ import annotations

from typing import Protocol

from parlor_tui.events import HOT_C, Reading

__all__ = ["BUSY_PERCENT", "CEILING_SHARE", "Probe", "Reading", "held_back"]

BUSY_PERCENT = 80.0
CEILING_SHARE = 0.9
"""A clock from this share of its ceiling on is at the ceiling: the last steps are a matter of luck and milliseconds."""


class Probe(Protocol):
    """Looks at one side of the machine. To be used from one thread."""

    def read(self, at_s: float) -> Reading:
        """What it knows at `at_s` (on `now_s`), soon. What it does not know is None; it raises nothing."""

    def close(self) -> None:
        """Let go of what it holds."""


def held_back(reading: Reading) -> bool | None:
    """Whether the GPU works hard, below its ceiling, and is hot; None if that cannot be told."""
    clock, ceiling = reading.gpu_clock_mhz, reading.gpu_clock_max_mhz
    signs = (
        None if reading.gpu_busy_percent is None else reading.gpu_busy_percent >= BUSY_PERCENT,
        None if clock is None or not ceiling else clock < CEILING_SHARE * ceiling,
        None if reading.gpu_temperature_c is None else reading.gpu_temperature_c >= HOT_C,
    )
    if False in signs:
        return False
    return None if None in signs else True
