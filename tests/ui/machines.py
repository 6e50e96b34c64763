"""Machines as the core sees them, for the pictures of the screen."""

from __future__ import annotations

import math
from dataclasses import replace

from parlor_tui.events import Event, MachineRead, MachineSeen, Reading
from tests.readings import RTX_4070

NVIDIA = RTX_4070
HOT = replace(NVIDIA, gpu_temperature_c=87.0, gpu_memory_used_mb=9100.0)
THROTTLED = replace(HOT, gpu_temperature_c=91.0, gpu_clock_mhz=1450.0, throttled=True, throttle_reason="GPU hot")
HOST = Reading(cpu_percent=23.0, ram_used_mb=1200.0, ram_total_mb=12_000.0)
READINGS = {"cool": NVIDIA, "hot": HOT, "throttled": THROTTLED, "unknown": HOST}


def seen(reading: Reading, at_s: float = 5.0, *, terminal_mb: float | None = 96.0) -> MachineSeen:
    """What the terminal makes of `reading`, with a budget of 65 %."""
    own_memory = reading.gpu_memory_total_mb is not None
    total_mb = reading.gpu_memory_total_mb if own_memory else reading.ram_total_mb
    budget_mb = None if total_mb is None else 0.65 * total_mb
    machine = MachineRead(reading, 816.0, 0.0, budget_mb, own_memory)
    return MachineSeen(at_s=at_s, machine=machine, terminal_mb=terminal_mb, terminal_cpu_percent=3.2)


def minute(reading: Reading, readings: int = 24) -> list[Event]:
    """`reading` with what went before it: work that comes and goes."""
    events: list[Event] = []
    for second in range(readings):
        share = 0.55 + 0.45 * math.cos((readings - 1 - second) / 3)
        values = {
            name: value * share
            for name in ("gpu_busy_percent", "cpu_percent", "gpu_power_w")
            if (value := getattr(reading, name)) is not None
        }
        events.append(seen(replace(reading, **values), 5.0 + second))
    return events
