"""Any machine: how busy its processors are, how much memory is taken; on Linux their heat and the fastest fan, too."""

from __future__ import annotations

from pathlib import Path

from parlor_tui import usage
from parlor_tui.events import Reading
from parlor_tui.probes import sysfs

_PROCESSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal", "scpi_sensors")
_ZONES = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc_thermal", "cpu0-thermal", "acpitz")
"""Sensors of processors, the best first. Others are not read: asking a disk for its heat may wake it up."""
_GPUS = ("amdgpu", "radeon", "nouveau", "xe", "i915")
_MOST_FANS = 8
"""The fans of a chip are numbered from 1."""


class HostProbe:
    """See `probes.base.Probe`. `root` is /sys, on Linux."""

    def __init__(self, root: Path) -> None:
        self._processors = usage.ProcessorUse()
        chips = list(sysfs.sensors(root / "class/hwmon"))
        self._temperature = _processor(root, chips)
        self._fans = [
            fan
            for name, folder in chips
            if name not in _GPUS
            for number in range(1, _MOST_FANS + 1)
            if (fan := folder / f"fan{number}_input").is_file()
        ]

    def read(self, at_s: float) -> Reading:  # noqa: ARG002 - others take differences
        """See Probe."""
        total_bytes, taken_bytes = usage.memory_bytes()
        return Reading(
            cpu_percent=self._processors.percent(),
            cpu_temperature_c=None if self._temperature is None else sysfs.milli_celsius(self._temperature),
            fan_rpm=max((rpm for fan in self._fans if (rpm := sysfs.scaled(fan, 1.0)) is not None), default=None),
            ram_used_mb=taken_bytes / 1e6,
            ram_total_mb=total_bytes / 1e6,
        )

    def close(self) -> None:
        """See Probe."""


def _processor(root: Path, chips: list[tuple[str, Path]]) -> Path | None:
    """The file with the processor's temperature."""
    found = {name: folder / "temp1_input" for name, folder in reversed(chips)}
    zones = sorted((root / "class/thermal").glob("thermal_zone*"), reverse=True)
    found |= {kind: zone / "temp" for zone in zones if (kind := sysfs.text(zone / "type")) is not None}
    named = (found[name] for name in (*_PROCESSORS, *_ZONES) if name in found)
    return next((file for file in named if sysfs.milli_celsius(file) is not None), None)
