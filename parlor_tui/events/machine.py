"""What the machine that the core runs on is doing. In all of it None is unknown, and never 0; MB are 10^6 bytes."""

from __future__ import annotations

from dataclasses import dataclass

from parlor_tui.events.base import Event

HOT_C = 85.0
"""From here on a GPU or a processor is hot."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at a machine.

    `gpu_clock_max_mhz` is the clock that the GPU can be given, `throttled` whether it is held below that because of
    heat or power; `throttle_reason` says why, in a word or two. `fan_percent` is of the fan's most. `thermal_pressure`
    is the system's own word for it, where it has one: nominal, fair, serious, critical.
    """

    gpu_name: str | None = None
    gpu_busy_percent: float | None = None
    gpu_memory_used_mb: float | None = None
    gpu_memory_total_mb: float | None = None
    gpu_temperature_c: float | None = None
    gpu_power_w: float | None = None
    gpu_clock_mhz: float | None = None
    gpu_clock_max_mhz: float | None = None
    throttled: bool | None = None
    throttle_reason: str = ""
    fan_rpm: float | None = None
    fan_percent: float | None = None
    thermal_pressure: str | None = None
    cpu_percent: float | None = None
    cpu_temperature_c: float | None = None
    ram_used_mb: float | None = None
    ram_total_mb: float | None = None


@dataclass(frozen=True, slots=True)
class MachineRead:
    """The core looked at its machine, and at itself.

    `core_mb` is what the core's process holds resident, `children_mb` what processes that it started do. `budget_mb` is
    how much may be in use of the memory that models are loaded into: the GPU's own (`own_memory`), or the machine's.
    """

    reading: Reading
    core_mb: float | None = None
    children_mb: float | None = None
    budget_mb: float | None = None
    own_memory: bool = False

    @property
    def used_mb(self) -> float | None:
        """What is in use of the memory that the budget is of, whoever uses it."""
        return self.reading.gpu_memory_used_mb if self.own_memory else self.reading.ram_used_mb


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSeen(Event):
    """What the machine does that the core runs on, and what the terminal's own process takes.

    `terminal_mb` is its resident memory (10^6 bytes), `terminal_cpu_percent` of one core. None is unknown.
    """

    machine: MachineRead
    terminal_mb: float | None = None
    terminal_cpu_percent: float | None = None
