"""What `parlor-tui doctor` says about the GPU, and how long it waits for one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parlor_tui.commands.checks import machine
from parlor_tui.events import Reading
from tests.ui.machines import HOST, NVIDIA


class Slow:
    """A probe that knows the GPU's name at once, and its figures from the third look on."""

    def __init__(self) -> None:
        self.looks = 0

    def read(self, at_s: float) -> Reading:
        self.looks += 1
        return NVIDIA if self.looks > 2 else Reading(gpu_name=NVIDIA.gpu_name)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("reading", "found"),
    [
        (
            NVIDIA,
            "NVIDIA GeForce RTX 4070, 12.9 GB: tells its memory, temperature, power, clock; the processor has 54 °C",
        ),
        (
            Reading(gpu_name="Intel GPU", gpu_clock_mhz=300.0),
            "Intel GPU: tells its clock; the processor's temperature is not known",
        ),
        (Reading(gpu_name="AMD GPU"), "AMD GPU: tells no figures; the processor's temperature is not known"),
        (replace(HOST, cpu_temperature_c=61.0), "none that tells what it does; the processor has 61 °C"),
    ],
)
def test_the_line_says_what_is_known(reading: Reading, found: str) -> None:
    check = machine.gpu(reading)
    assert (check.status, check.found, check.advice) == ("ok", found, "")


def test_a_gpu_that_is_slow_to_tell_is_waited_for_and_no_longer_than_that() -> None:
    assert machine._first_figures(Slow()) == NVIDIA
    assert machine._first_figures(Slow(), wait_s=0.0) == Reading(gpu_name=NVIDIA.gpu_name)
