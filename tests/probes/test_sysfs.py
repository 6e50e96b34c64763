"""AMD's and Intel's GPUs, and the host, read from trees like /sys."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.events import Reading
from parlor_tui.probes import sysfs
from parlor_tui.probes.amd import highest_mhz, open_amd
from parlor_tui.probes.choose import open_probes
from parlor_tui.probes.host import HostProbe
from parlor_tui.probes.intel import open_intel
from tests.probes.recorded import tree


def amd(root: Path) -> Reading:
    probe = open_amd(root)
    assert probe is not None
    return probe.read(0.0)


def intel(root: Path) -> Reading:
    probe = open_intel(root)
    assert probe is not None
    return probe.read(0.0)


def test_of_two_radeons_the_one_with_the_memory_is_read(tmp_path: Path) -> None:
    assert amd(tree("radeon", tmp_path)) == Reading(
        gpu_name="Radeon RX 7800 XT",
        gpu_busy_percent=93.0,
        gpu_memory_used_mb=4812.345344,
        gpu_memory_total_mb=17163.091968,
        gpu_temperature_c=71.0,
        gpu_power_w=214.0,
        gpu_clock_mhz=1904.0,
        gpu_clock_max_mhz=2430.0,
        fan_rpm=1460.0,
        fan_percent=40.0,
    )


def test_newer_radeons_tell_their_power_under_another_name(tmp_path: Path) -> None:
    root = tree("radeon", tmp_path, card1__device__hwmon__hwmon5__power1_average=None)
    (root / "class/drm/card1/device/hwmon/hwmon5/power1_input").write_text("99500000\n")
    assert amd(root).gpu_power_w == 99.5


def test_a_gpu_that_sleeps_is_not_woken(tmp_path: Path) -> None:
    assert amd(tree("laptop", tmp_path)) == Reading(gpu_name="AMD GPU")


def test_an_arc_says_that_it_is_too_hot(tmp_path: Path) -> None:
    found = intel(tree("arc", tmp_path))
    assert (found.gpu_clock_mhz, found.gpu_clock_max_mhz, found.gpu_temperature_c) == (1450.0, 2400.0, 88.0)
    assert (found.throttled, found.throttle_reason, found.fan_rpm) == (True, "GPU hot", 2210.0)
    assert found.gpu_busy_percent is None


def test_an_arc_that_is_held_down_by_its_other_part(tmp_path: Path) -> None:
    root = tree("arc", tmp_path, gt0__freq0__throttle__status="0", gt1__freq0__throttle__status="1")
    (root / "class/drm/card0/device/tile0/gt1/freq0/throttle/reason_pl1").write_text("1")
    found = intel(root)
    assert (found.throttled, found.throttle_reason) == (True, "power limit")


def test_power_is_energy_over_time(tmp_path: Path) -> None:
    probe = open_intel(tree("arc", tmp_path))
    assert probe is not None
    energy = tmp_path / "class/drm/card0/device/hwmon/hwmon4/energy1_input"
    assert probe.read(10.0).gpu_power_w is None
    energy.write_text("90060000000")
    assert probe.read(10.05).gpu_power_w is None, "after so short a time it says nothing"
    assert probe.read(12.0).gpu_power_w == pytest.approx(30.0)
    energy.write_text("1000")
    assert probe.read(13.0).gpu_power_w is None, "the counter began anew"
    energy.write_text("5001000")
    assert probe.read(14.0).gpu_power_w == pytest.approx(5.0)


def test_i915_tells_it_elsewhere(tmp_path: Path) -> None:
    found = intel(tree("laptop", tmp_path))
    assert found == Reading(gpu_name="Intel GPU", gpu_clock_mhz=650.0, gpu_clock_max_mhz=1300.0, throttled=False)


def test_the_processor_is_asked_for_its_heat_and_no_disk_is(tmp_path: Path) -> None:
    root = tree("radeon", tmp_path)
    found = HostProbe(root).read(0.0)
    assert (found.cpu_temperature_c, found.fan_rpm) == (62.875, 1180.0)
    assert found.ram_total_mb is not None
    assert found.ram_used_mb is not None
    assert 0 < found.ram_used_mb < found.ram_total_mb


def test_where_no_chip_is_of_the_processor_its_thermal_zone_is_asked(tmp_path: Path) -> None:
    assert HostProbe(tree("laptop", tmp_path)).read(0.0).cpu_temperature_c == 67.0


def test_how_busy_processors_are_is_known_from_the_second_look_on(tmp_path: Path) -> None:
    probe = HostProbe(tmp_path)
    assert probe.read(0.0).cpu_percent is None
    percent = probe.read(1.0).cpu_percent
    assert percent is not None
    assert 0 <= percent <= 100


def test_a_laptop_is_read_by_the_gpu_that_is_awake(tmp_path: Path) -> None:
    found = open_probes("linux", tree("laptop", tmp_path)).read(0.0)
    assert (found.gpu_name, found.gpu_clock_mhz, found.fan_rpm, found.cpu_temperature_c) == (
        "Intel GPU",
        650.0,
        3200.0,
        67.0,
    )


def test_a_machine_that_tells_nothing_is_a_plain_host(tmp_path: Path) -> None:
    found = open_probes("linux", tmp_path / "none").read(0.0)
    known = {item.name for item in fields(Reading) if getattr(found, item.name) not in (None, "")}
    assert known == {"ram_used_mb", "ram_total_mb"}


GARBAGE = st.one_of(
    st.sampled_from([b"", b"\n", b"N/A", b"-", b"1 2", b"0x5", b"1e9", b"\xff\xfe", b"nan", b"9" * 40, b"\xd9\xa1"]),
    st.binary(max_size=30),
)


@settings(deadline=None)  # a file is written for each
@given(text=GARBAGE)
def test_a_file_of_garbage_is_no_number(text: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "garbage"
    file.write_bytes(text)
    found = sysfs.whole(file)
    digits = text.decode("latin-1").strip(" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f")
    if found is None:
        assert not (digits.isascii() and digits.isdigit() and len(digits) <= 18)
    else:
        assert found == int(digits) >= 0
    temperature = sysfs.milli_celsius(file)
    assert temperature is None or -60 <= temperature <= 250


@pytest.mark.parametrize("name", ["radeon", "arc", "laptop"])
@settings(max_examples=40, deadline=None)  # a tree of files is written for each
@given(data=st.data())
def test_garbage_anywhere_in_the_tree_raises_nothing(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tree(name, tmp_path_factory.mktemp(name))
    files = sorted(file for file in root.rglob("*") if file.is_file())
    for file in data.draw(st.lists(st.sampled_from(files), max_size=4, unique=True)):
        file.write_bytes(data.draw(GARBAGE))
    probes = [probe for probe in (open_amd(root), open_intel(root), HostProbe(root)) if probe is not None]
    for at_s in (0.0, 1.0):
        for reading in (probe.read(at_s) for probe in probes):
            assert reading.gpu_busy_percent is None or 0 <= reading.gpu_busy_percent <= 100
            assert reading.fan_percent is None or 0 <= reading.fan_percent <= 100
            assert reading.gpu_memory_total_mb != 0


@given(st.text())
def test_a_table_of_clocks_names_its_highest_or_none(levels: str) -> None:
    found = highest_mhz(levels)
    assert found is None or found >= 0


def test_a_folder_in_place_of_a_file_is_unknown(tmp_path: Path) -> None:
    assert sysfs.whole(tmp_path) is None
    assert sysfs.text(tmp_path / "absent") is None
    assert sysfs.whole(tmp_path / "a\0b") is None
