"""NVIDIA's GPUs, through NVML, the library of their driver. No sum is done on the GPU for it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from parlor_tui.events import Reading

Value = TypeVar("Value")

THROTTLE_BITS = {
    0x40: "GPU hot",
    0x20: "GPU hot",
    0x80: "power brake",
    0x08: "hardware",
    0x04: "power limit",
}
"""What holds the clock down against the load's wish, the weightiest first. Idling and clocks set by hand do not."""


class NvidiaProbe:
    """See `probes.base.Probe`. `nvml` is the module that binds NVML, `device` its handle of one GPU.

    A field that the GPU, its driver or its permissions do not give is unknown; the others are read all the same.
    """

    def __init__(self, nvml: Any, device: Any) -> None:
        self._nvml = nvml
        self._device = device
        self._name = self._ask(lambda: str(nvml.nvmlDeviceGetName(device))) or "NVIDIA GPU"
        self._most_mhz = self._ask(
            lambda: float(nvml.nvmlDeviceGetMaxClockInfo(device, nvml.NVML_CLOCK_GRAPHICS)) or None
        )

    def read(self, at_s: float) -> Reading:  # noqa: ARG002 - others take differences
        """See Probe."""
        nvml, device, ask = self._nvml, self._device, self._ask
        memory = ask(lambda: nvml.nvmlDeviceGetMemoryInfo(device))
        bits = self._reasons()
        return Reading(
            gpu_name=self._name,
            gpu_busy_percent=ask(lambda: float(nvml.nvmlDeviceGetUtilizationRates(device).gpu)),
            gpu_memory_used_mb=None if memory is None or not memory.total else memory.used / 1e6,
            gpu_memory_total_mb=None if memory is None or not memory.total else memory.total / 1e6,
            gpu_temperature_c=ask(lambda: float(nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU))),
            gpu_power_w=ask(lambda: nvml.nvmlDeviceGetPowerUsage(device) / 1000),
            gpu_clock_mhz=ask(lambda: float(nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_GRAPHICS))),
            gpu_clock_max_mhz=self._most_mhz,
            throttled=None if bits is None else any(bits & bit for bit in THROTTLE_BITS),
            throttle_reason=reason_of(bits or 0),
            fan_percent=ask(lambda: float(nvml.nvmlDeviceGetFanSpeed(device))),
            fan_rpm=ask(lambda: float(nvml.nvmlDeviceGetFanSpeedRPM(device))),
        )

    def close(self) -> None:
        """See Probe."""
        self._ask(self._nvml.nvmlShutdown)

    @property
    def memory_bytes(self) -> int:
        """How much memory of its own it has."""
        return self._ask(lambda: int(self._nvml.nvmlDeviceGetMemoryInfo(self._device).total)) or 0

    def _reasons(self) -> int | None:
        """Why the clock is not higher, as bits. Drivers before 535 have it under an older name."""
        nvml = self._nvml
        bits = self._ask(lambda: int(nvml.nvmlDeviceGetCurrentClocksEventReasons(self._device)))
        if bits is None:
            bits = self._ask(lambda: int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._device)))
        return bits

    def _ask(self, call: Callable[[], Value]) -> Value | None:
        try:
            return call()
        except (self._nvml.NVMLError, UnicodeDecodeError):
            return None


def reason_of(bits: int) -> str:
    """The weightiest of the reasons in `bits`, in words; empty if none of them is throttling."""
    return next((words for bit, words in THROTTLE_BITS.items() if bits & bit), "")


def open_nvidia(nvml: Any = None) -> NvidiaProbe | None:
    """The probe of the NVIDIA GPU with the most memory; None without a GPU, its driver, or the library for it.

    `nvml` stands in for the library.
    """
    try:
        nvml = nvml or _library()
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return None
    return max(_probes(nvml), key=lambda probe: probe.memory_bytes, default=None)


def _probes(nvml: Any) -> Iterator[NvidiaProbe]:
    with contextlib.suppress(nvml.NVMLError):  # one that fell off the bus, and is counted still
        for index in range(nvml.nvmlDeviceGetCount()):
            yield NvidiaProbe(nvml, nvml.nvmlDeviceGetHandleByIndex(index))


def _library() -> Any:
    import pynvml

    return pynvml
