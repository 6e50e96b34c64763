"""What a machine with a GPU tells of itself, for tests of all that shows or judges it."""

from __future__ import annotations

from parlor_tui.events import Reading

RTX_4070 = Reading(
    gpu_name="NVIDIA GeForce RTX 4070",
    gpu_busy_percent=71.0,
    gpu_memory_used_mb=5100.0,
    gpu_memory_total_mb=12_878.6,
    gpu_temperature_c=61.0,
    gpu_power_w=118.0,
    gpu_clock_mhz=2610.0,
    gpu_clock_max_mhz=3105.0,
    throttled=False,
    fan_rpm=1710.0,
    fan_percent=55.0,
    cpu_percent=23.0,
    cpu_temperature_c=54.0,
    ram_used_mb=12_100.0,
    ram_total_mb=32_000.0,
)
