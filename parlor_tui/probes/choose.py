"""Which probes answer on this machine, and what they say together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from parlor_tui.events import Reading, now_s
from parlor_tui.probes.amd import open_amd
from parlor_tui.probes.apple import open_apple
from parlor_tui.probes.base import Probe, held_back
from parlor_tui.probes.host import HostProbe
from parlor_tui.probes.intel import open_intel
from parlor_tui.probes.nvidia import open_nvidia

_FIGURES = tuple(item.name for item in fields(Reading) if item.name.startswith("gpu_") and item.name != "gpu_name")
_OF_ALL = tuple(item.name for item in fields(Reading) if not item.name.startswith(("gpu_", "throttle")))


class Together:
    """See `probes.base.Probe`: several as one, the best of them first."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        self._probes = tuple(probes)

    def read(self, at_s: float) -> Reading:
        """See Probe."""
        return merged([probe.read(at_s) for probe in self._probes])

    def close(self) -> None:
        """See Probe."""
        for probe in self._probes:
            probe.close()


def merged(readings: Sequence[Reading]) -> Reading:
    """What `readings` say together: of the GPU what the first that has a figure says, of all else the first to know.

    Of a GPU that is asleep the name alone is known. Where no vendor's word tells whether it is throttled, that is
    concluded.
    """
    named = [reading for reading in readings if reading.gpu_name is not None]
    gpu = next((reading for reading in named if has_figures(reading)), named[0] if named else Reading())
    whole = replace(gpu, **{name: _first_known(readings, name) for name in _OF_ALL})
    held = held_back(whole) if whole.throttled is None else None
    return whole if held is None else replace(whole, throttled=held, throttle_reason="GPU hot" if held else "")


def _first_known(readings: Sequence[Reading], name: str) -> Any:
    return next((value for reading in readings if (value := getattr(reading, name)) is not None), None)


def has_figures(reading: Reading) -> bool:
    """Whether it tells more of a GPU than its name."""
    return any(getattr(reading, name) is not None for name in _FIGURES)


def open_probes(system: str = sys.platform, root: Path = Path("/sys")) -> Together:
    """The probes that find something on this machine. `system` is as `sys.platform`, `root` Linux' /sys."""
    found: list[Probe | None] = [open_apple(now_s, system), open_nvidia()]
    if system == "linux":
        found += [open_amd(root), open_intel(root)]
    found.append(HostProbe(root))
    return Together([probe for probe in found if probe is not None])
