"""NVIDIA's and Apple's GPUs, through stand-ins for their libraries; and what all probes say together."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import Reading, now_s
from parlor_tui.probes.apple import AppleProbe, open_apple, reading_of
from parlor_tui.probes.base import held_back
from parlor_tui.probes.choose import merged
from parlor_tui.probes.nvidia import THROTTLE_BITS, open_nvidia
from tests.probes.recorded import Nvml, snapshot

WHOLE = Reading(
    gpu_name="NVIDIA GeForce RTX 4070",
    gpu_busy_percent=97.0,
    gpu_memory_used_mb=5100.0,
    gpu_memory_total_mb=12878.610432,
    gpu_temperature_c=78.0,
    gpu_power_w=188.4,
    gpu_clock_mhz=2610.0,
    gpu_clock_max_mhz=3105.0,
    throttled=False,
    fan_rpm=1710.0,
    fan_percent=55.0,
)
FIELD_OF = {
    "nvmlDeviceGetUtilizationRates": ("gpu_busy_percent",),
    "nvmlDeviceGetMemoryInfo": ("gpu_memory_used_mb", "gpu_memory_total_mb"),
    "nvmlDeviceGetTemperature": ("gpu_temperature_c",),
    "nvmlDeviceGetPowerUsage": ("gpu_power_w",),
    "nvmlDeviceGetClockInfo": ("gpu_clock_mhz",),
    "nvmlDeviceGetMaxClockInfo": ("gpu_clock_max_mhz",),
    "nvmlDeviceGetFanSpeed": ("fan_percent",),
    "nvmlDeviceGetFanSpeedRPM": ("fan_rpm",),
}


def nvidia(nvml: Nvml) -> Reading:
    probe = open_nvidia(nvml)
    assert probe is not None
    return probe.read(0.0)


def test_the_stand_in_has_the_librarys_own_names() -> None:
    for name in [*Nvml().answers, "nvmlShutdown", "NVMLError"]:
        assert callable(getattr(pynvml, name)), name
    assert (pynvml.NVML_CLOCK_GRAPHICS, pynvml.NVML_TEMPERATURE_GPU) == (
        Nvml.NVML_CLOCK_GRAPHICS,
        Nvml.NVML_TEMPERATURE_GPU,
    )


def test_a_gpu_that_tells_all() -> None:
    assert nvidia(Nvml()) == WHOLE


@pytest.mark.parametrize("call", FIELD_OF)
def test_what_a_gpu_does_not_support_is_unknown_and_all_else_is_read(call: str) -> None:
    unknown: dict[str, Any] = dict.fromkeys(FIELD_OF[call])
    assert nvidia(Nvml(frozenset({call}))) == replace(WHOLE, **unknown)


@given(st.sets(st.sampled_from(sorted([*FIELD_OF, "nvmlDeviceGetName", "nvmlDeviceGetCurrentClocksEventReasons"]))))
def test_whatever_is_refused_nothing_is_raised_and_nothing_is_zero(refused: set[str]) -> None:
    found = nvidia(Nvml(frozenset(refused)))
    assert all(
        value != 0 or value is False for value in (getattr(found, name) for name in Reading.__dataclass_fields__)
    )


@pytest.mark.parametrize(
    ("bits", "throttled", "reason"),
    [
        (0x1, False, ""),  # it idles
        (0x2, False, ""),  # clocks set by hand
        (0x4, True, "power limit"),
        (0x8, True, "hardware"),
        (0x20, True, "GPU hot"),
        (0x40 | 0x8, True, "GPU hot"),
        (0x80, True, "power brake"),
    ],
)
def test_the_vendors_bits_say_whether_it_is_throttled(bits: int, throttled: bool, reason: str) -> None:
    for name in ("Event", "Throttle"):  # older drivers know the older name only
        refused = frozenset({"nvmlDeviceGetCurrentClocksEventReasons"} if name == "Throttle" else ())
        found = nvidia(Nvml(refused, **{f"nvmlDeviceGetCurrentClocks{name}Reasons": bits}))
        assert (found.throttled, found.throttle_reason) == (throttled, reason)


def test_the_bits_are_those_of_the_library() -> None:
    assert set(THROTTLE_BITS) == {
        pynvml.nvmlClocksEventReasonSwPowerCap,
        pynvml.nvmlClocksEventReasonHwSlowdown,
        pynvml.nvmlClocksEventReasonSwThermalSlowdown,
        pynvml.nvmlClocksEventReasonHwThermalSlowdown,
        pynvml.nvmlClocksEventReasonHwPowerBrakeSlowdown,
    }


def test_without_driver_or_gpu_there_is_no_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_nvidia(Nvml(frozenset({"nvmlInit"}))) is None
    assert open_nvidia(Nvml(nvmlDeviceGetCount=0)) is None
    assert open_nvidia(Nvml(frozenset({"nvmlDeviceGetHandleByIndex"}))) is None
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert open_nvidia() is None


def test_of_several_the_one_with_the_most_memory_is_read() -> None:
    sizes = (8e9, 24e9, 12e9)
    nvml = Nvml(
        nvmlDeviceGetCount=3,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetMemoryInfo=lambda device: SimpleNamespace(total=sizes[device], used=1),
    )
    assert nvidia(nvml).gpu_memory_total_mb == 24_000


def test_a_gpu_that_is_lost_is_unknown_and_closing_is_harmless() -> None:
    nvml = Nvml()
    probe = open_nvidia(nvml)
    assert probe is not None
    nvml.refused = frozenset(nvml.answers)
    lost = probe.read(1.0)
    assert lost == Reading(gpu_name=WHOLE.gpu_name, gpu_clock_max_mhz=3105.0)
    probe.close()
    assert nvml.shut == 1


# --- Apple ------------------------------------------------------------------------------------------------------------


def test_a_chip_of_apples() -> None:
    assert reading_of(snapshot(), "Apple GPU") == Reading(
        gpu_name="Apple GPU",
        gpu_busy_percent=71.0,
        gpu_temperature_c=61.2,
        gpu_power_w=18.1,
        gpu_clock_mhz=1181.0,
        gpu_clock_max_mhz=1398.0,
        fan_rpm=1402.0,
        fan_percent=100 * 1402.0 / 7000.0,
        thermal_pressure="nominal",
        cpu_temperature_c=54.0,
    )


def test_its_zeros_are_unknown_but_for_a_gpu_that_idles_and_a_fan_that_rests() -> None:
    zeros = snapshot(gpu_util_pct=0.0, gpu_temp_c=0.0, gpu_watts=0.0, gpu_freq_mhz=0, cpu_temp_c=0.0, fans=[])
    assert reading_of(zeros, "g") == Reading(
        gpu_name="g", gpu_busy_percent=0.0, gpu_clock_max_mhz=1398.0, thermal_pressure="nominal"
    )
    unclassified = snapshot(gpu_max_freq_mhz=0, gpu_util_pct=0.0)
    assert reading_of(unclassified, "g").gpu_busy_percent is None
    assert reading_of(replace_of(unclassified, gpu_util_source="ioaccelerator"), "g").gpu_busy_percent == 0.0
    resting = snapshot(fans=[SimpleNamespace(current=0.0, max=None)])
    assert (reading_of(resting, "g").fan_rpm, reading_of(resting, "g").fan_percent) == (0.0, None)
    assert reading_of(snapshot(fan_available=False), "g").fan_rpm is None


def replace_of(given: Any, **values: Any) -> Any:
    return SimpleNamespace(**vars(given) | values)


@pytest.mark.parametrize(
    ("state", "throttled"),
    [("Nominal", None), ("Fair", None), ("Serious", True), ("Critical", True), ("Unknown", None)],
)
def test_macos_says_when_it_holds_the_chip_down(state: str, throttled: bool | None) -> None:
    found = reading_of(snapshot(thermal_state=state), "g")
    assert found.throttled is throttled
    assert found.throttle_reason == (f"heat {state.lower()}" if throttled else "")
    assert found.thermal_pressure == (None if state == "Unknown" else state.lower())


class Monitor:
    """Stands in for actop's monitor: waits for its second or the end, then tells, or fails."""

    def __init__(self, ended: threading.Event, fails: bool) -> None:
        self.ended, self.fails, self.closed = ended, fails, threading.Event()

    def get_snapshot(self) -> Any:
        self.ended.wait(0.01)
        if self.fails:
            raise OSError("IOReport says no")
        return snapshot()

    def close(self) -> None:
        self.closed.set()


@pytest.mark.parametrize("fails", [False, True])
def test_it_is_measured_on_a_thread_of_its_own(fails: bool) -> None:
    made: list[Monitor] = []

    def open_monitor(ended: threading.Event) -> Monitor:
        made.append(Monitor(ended, fails))
        return made[-1]

    probe = AppleProbe(open_monitor, "Apple GPU", now_s)
    deadline_s = now_s() + 5
    while (found := probe.read(now_s())).gpu_power_w is None and now_s() < deadline_s:
        if fails and made and made[0].closed.wait(5):
            break
        threading.Event().wait(0.005)
    assert found.gpu_power_w == (None if fails else 18.1)
    assert probe.read(now_s() + 60) == Reading(gpu_name="Apple GPU"), "what is old is no longer known"
    probe.close()
    assert made[0].closed.wait(5)


def test_other_machines_have_no_chip_of_apples() -> None:
    assert open_apple(now_s, "linux") is None


# --- together ---------------------------------------------------------------------------------------------------------

figures = st.none() | st.floats(0, 4000)


@given(st.builds(Reading, gpu_busy_percent=figures, gpu_temperature_c=figures, gpu_clock_mhz=figures,
                 gpu_clock_max_mhz=figures))  # fmt: skip
def test_a_gpu_is_held_back_only_if_busy_slow_and_hot(reading: Reading) -> None:
    held = held_back(reading)
    busy, heat = reading.gpu_busy_percent, reading.gpu_temperature_c
    if held:
        assert busy is not None
        assert busy >= 80
        assert heat is not None
        assert heat >= 85
    if (busy is not None and busy < 80) or (heat is not None and heat < 85):
        assert held is False
    if busy is None and heat is None and not reading.gpu_clock_max_mhz:
        assert held is None


HOT = Reading(gpu_name="g", gpu_busy_percent=95, gpu_temperature_c=91, gpu_clock_mhz=800, gpu_clock_max_mhz=1400)


def test_throttling_is_concluded_only_where_no_vendor_says() -> None:
    assert merged([HOT]).throttled is True
    assert merged([HOT]).throttle_reason == "GPU hot"
    assert merged([replace(HOT, throttled=False)]).throttled is False
    assert merged([replace(HOT, gpu_temperature_c=70)]).throttled is False
    assert merged([replace(HOT, gpu_temperature_c=None)]).throttled is None


def test_of_two_gpus_figures_never_mix_and_the_host_tells_the_rest() -> None:
    first = Reading(gpu_name="first", gpu_busy_percent=95.0)
    second = Reading(gpu_name="second", gpu_busy_percent=50.0, gpu_power_w=9.0, fan_rpm=900.0)
    host = Reading(cpu_percent=12.0, ram_used_mb=1.0, ram_total_mb=2.0, fan_rpm=1.0)
    assert merged([first, second, host]) == replace(first, fan_rpm=900.0, cpu_percent=12.0, ram_used_mb=1.0,
                                                    ram_total_mb=2.0)  # fmt: skip
    asleep = Reading(gpu_name="asleep")
    assert merged([asleep, second]).gpu_name == "second"
    assert merged([asleep, host]).gpu_name == "asleep"
    assert merged([]) == Reading()
