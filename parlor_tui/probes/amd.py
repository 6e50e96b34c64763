"""AMD's GPUs on Linux, as the driver amdgpu tells it in /sys."""

from __future__ import annotations

import re
from pathlib import Path

from parlor_tui.events import Reading
from parlor_tui.probes import sysfs

_VENDOR = "0x1002"
_DRIVER = "amdgpu"
_NAME = "AMD GPU"
"""What the marketing calls it only a library of AMD's knows."""
_LEVEL = re.compile(r"([0-9]{1,6})Mhz", re.IGNORECASE)


class AmdProbe:
    """See `probes.base.Probe`. `card` is the card's folder in /sys/class/drm."""

    def __init__(self, card: Path) -> None:
        self._card = card
        self._device = card / "device"
        chips = sysfs.sensors(self._device / "hwmon")
        self._sensors = next((folder for name, folder in chips if name == _DRIVER), self._device / "hwmon/none")
        self._name = sysfs.text(self._device / "product_name") or _NAME

    @property
    def memory_bytes(self) -> int:
        """How much memory of its own it has."""
        return sysfs.whole(self._device / "mem_info_vram_total") or 0

    def read(self, at_s: float) -> Reading:  # noqa: ARG002 - others take differences
        """See Probe."""
        if sysfs.asleep(self._card):
            return Reading(gpu_name=self._name)
        device, sensors = self._device, self._sensors
        power_w = sysfs.scaled(sensors / "power1_average", 1e6)
        return Reading(
            gpu_name=self._name,
            gpu_busy_percent=_percent(sysfs.whole(device / "gpu_busy_percent"), 100),
            gpu_memory_used_mb=sysfs.scaled(device / "mem_info_vram_used", 1e6),
            gpu_memory_total_mb=sysfs.scaled(device / "mem_info_vram_total", 1e6, 1),
            gpu_temperature_c=sysfs.milli_celsius(sensors / "temp1_input"),
            gpu_power_w=sysfs.scaled(sensors / "power1_input", 1e6) if power_w is None else power_w,
            gpu_clock_mhz=sysfs.scaled(sensors / "freq1_input", 1e6),
            gpu_clock_max_mhz=highest_mhz(sysfs.text(device / "pp_dpm_sclk") or ""),
            fan_rpm=sysfs.scaled(sensors / "fan1_input", 1.0),
            fan_percent=_percent(sysfs.whole(sensors / "pwm1"), sysfs.whole(sensors / "pwm1_max", 1) or 255),
        )

    def close(self) -> None:
        """See Probe."""


def highest_mhz(levels: str) -> float | None:
    """The highest clock of a table such as `0: 500Mhz *`, a line for each; None if it names none."""
    return max((float(mhz) for mhz in _LEVEL.findall(levels)), default=None)


def open_amd(root: Path) -> AmdProbe | None:
    """The probe of the AMD GPU with the most memory; None if there is none. `root` is /sys."""
    found = [AmdProbe(card) for card in sysfs.cards(root, _VENDOR)]
    return max(found, key=lambda probe: probe.memory_bytes, default=None)


def _percent(value: int | None, most: int) -> float | None:
    return None if value is None or value > most else 100 * value / most
