"""The time of day of what happened, whatever the machine does meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from parlor_tui.ui.wall_clock import WallClock

MORNING = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


class Machine:
    """Two clocks, of which a sleep stops one."""

    def __init__(self) -> None:
        self.wall, self.steady_s = MORNING, 100.0
        self.clock = WallClock(lambda: self.wall, lambda: self.steady_s)

    def work(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)
        self.steady_s += seconds
        self.clock.look()

    def sleep(self, hours: float) -> None:
        self.wall += timedelta(hours=hours)


def test_what_happened_before_a_sleep_keeps_its_time_and_what_comes_after_has_its_own() -> None:
    machine = Machine()
    machine.work(10.0)
    before_s = machine.steady_s
    machine.sleep(8.0)
    machine.work(0.05)
    after_s = machine.steady_s
    assert machine.clock.at(before_s) == MORNING + timedelta(seconds=10)
    assert machine.clock.at(after_s) == MORNING + timedelta(hours=8, seconds=10.05)
    assert machine.clock.at(50.0) == MORNING - timedelta(seconds=50), "before the program looked at any clock"


def test_a_clock_that_drifts_a_little_is_the_same_clock() -> None:
    machine = Machine()
    for _ in range(20):
        machine.wall += timedelta(milliseconds=20)
        machine.work(1.0)
    assert machine.clock.at(machine.steady_s) == MORNING + timedelta(seconds=20)


def test_many_nights_are_remembered_and_no_more() -> None:
    machine = Machine()
    for _ in range(200):
        machine.work(1.0)
        machine.sleep(8.0)
    machine.work(1.0)
    assert machine.clock.at(machine.steady_s) == machine.wall
    assert machine.clock.at(machine.steady_s - 1.0) == machine.wall - timedelta(hours=8, seconds=1)
