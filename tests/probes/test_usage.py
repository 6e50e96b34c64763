"""What memory and processor time are in use, of this process."""

from __future__ import annotations

import time

from parlor_tui.usage import OwnUse, ProcessorUse, memory_bytes


def test_this_process_has_memory_and_after_the_first_look_a_share_of_a_core() -> None:
    own = OwnUse()
    resident_mb = own.resident_mb()
    assert resident_mb is not None
    assert 10 < resident_mb < 10_000
    assert own.cpu_percent() is None
    until_s = time.thread_time() + 0.1
    while time.thread_time() < until_s:
        pass
    percent = own.cpu_percent()
    assert percent is not None
    assert percent > 1


def test_the_machine_is_busy_while_we_are() -> None:
    use = ProcessorUse()
    assert use.percent() is None
    until_s = time.thread_time() + 0.1
    while time.thread_time() < until_s:
        pass
    percent = use.percent()
    assert percent is not None
    assert 1 < percent <= 100


def test_memory_taken_is_part_of_the_memory() -> None:
    total, taken = memory_bytes()
    assert 0 < taken < total
