"""Intel's GPUs on Linux, as the drivers xe and i915 tell it in /sys. Neither says how busy the GPU is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parlor_tui.events import Reading
from parlor_tui.probes import sysfs

_VENDOR = "0x8086"
_NAME = "Intel GPU"
_DRIVERS = ("xe", "i915")
_LEAST_S = 0.2
"""Energy over less time than this says little about power."""
_REASONS = {
    "thermal": "GPU hot",
    "prochot": "processor hot",
    "vr_thermalert": "regulator hot",
    "vr_tdc": "current limit",
    "ratl": "thermal limit",
    "pl1": "power limit",
    "pl2": "power limit",
    "pl4": "current limit",
}


@dataclass(frozen=True, slots=True)
class _Clock:
    """Where a driver tells clocks, in MHz, and whether they are held down: a file each, the first that is there."""

    now: str
    ceilings: tuple[str, ...]
    throttle: str
    """What stands before `status`, and before each reason."""
    reason: str


_XE = _Clock("act_freq", ("rp0_freq", "max_freq"), "throttle/", "throttle/reason_")
_I915 = _Clock("rps_act_freq_mhz", ("rps_RP0_freq_mhz", "rps_max_freq_mhz"), "throttle_reason_", "throttle_reason_")
_I915_OLD = _Clock("gt_act_freq_mhz", ("gt_RP0_freq_mhz", "gt_max_freq_mhz"), "throttle_reason_", "throttle_reason_")


class IntelProbe:
    """See `probes.base.Probe`. `card` is the card's folder in /sys/class/drm. Power is energy over time."""

    def __init__(self, card: Path) -> None:
        self._card = card
        self._clock, self._parts = _parts(card)
        chips = sysfs.sensors(card / "device/hwmon")
        self._sensors = next((folder for name, folder in chips if name in _DRIVERS), card / "device/hwmon/none")
        self._energy: tuple[float, int] | None = None

    @property
    def measures(self) -> bool:
        """Whether it has sensors of its own, as cards have and parts of a processor have not."""
        return self._sensors.is_dir()

    def read(self, at_s: float) -> Reading:
        """See Probe."""
        if sysfs.asleep(self._card):
            self._energy = None
            return Reading(gpu_name=_NAME)
        throttled, reason = self._throttled()
        temperature = (sysfs.milli_celsius(self._sensors / f"temp{number}_input") for number in (2, 1))
        return Reading(
            gpu_name=_NAME,
            gpu_temperature_c=next((value for value in temperature if value is not None), None),
            gpu_power_w=self._power_w(at_s),
            gpu_clock_mhz=self._mhz((self._clock.now,)),
            gpu_clock_max_mhz=self._mhz(self._clock.ceilings),
            throttled=throttled,
            throttle_reason=reason,
            fan_rpm=sysfs.scaled(self._sensors / "fan1_input", 1.0),
        )

    def close(self) -> None:
        """See Probe."""

    def _mhz(self, names: tuple[str, ...]) -> float | None:
        found = (sysfs.scaled(self._parts[0] / name, 1.0) for name in names)
        return next((mhz for mhz in found if mhz is not None), None)

    def _throttled(self) -> tuple[bool | None, str]:
        known: bool | None = None
        for part in self._parts:
            status = sysfs.whole(part / f"{self._clock.throttle}status")
            if status is None:
                continue
            if status:
                named = (words for name, words in _REASONS.items() if sysfs.whole(part / f"{self._clock.reason}{name}"))
                return True, next(named, "")
            known = False
        return known, ""

    def _power_w(self, at_s: float) -> float | None:
        """Of the card (1), else of the GPU's package (2)."""
        counters = (sysfs.whole(self._sensors / f"energy{number}_input") for number in (1, 2))
        used_uj = next((value for value in counters if value is not None), None)
        last = self._energy
        if used_uj is None:
            self._energy = None
            return None
        if last is not None and at_s - last[0] < _LEAST_S:
            return None
        self._energy = (at_s, used_uj)
        if last is None or used_uj < last[1]:  # the counter began anew
            return None
        return (used_uj - last[1]) / 1e6 / (at_s - last[0])


def open_intel(root: Path) -> IntelProbe | None:
    """The probe of an Intel GPU, of two the one that measures; None if there is none. `root` is /sys."""
    found = [IntelProbe(card) for card in sysfs.cards(root, _VENDOR)]
    return max(found, key=lambda probe: probe.measures, default=None)


def _parts(card: Path) -> tuple[_Clock, list[Path]]:
    """The GPU's parts that have a clock of their own, the one that computes first."""
    if parts := sorted((card / "device").glob("tile*/gt*/freq0")):
        return _XE, parts
    if parts := sorted((card / "gt").glob("gt*")):
        return _I915, parts
    return _I915_OLD, [card]
