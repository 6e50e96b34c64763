"""Lanes: one job at a time, in the order in which they came, each to its end."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.bench.costs.machine import Lane, Machine

JOBS = st.lists(st.tuples(st.floats(0, 5), st.floats(0, 3)), min_size=1, max_size=30)


@dataclass
class FakeClock:
    at_s: float = 0.0

    def now_s(self) -> float:
        return self.at_s

    def wait_until(self, at_s: float) -> None:
        self.at_s = max(self.at_s, at_s)


@given(JOBS)
def test_jobs_never_overlap_and_none_is_idle_for_nothing(jobs: list[tuple[float, float]]) -> None:
    """Each job waits for the one before it and for nothing else."""
    lane = Lane()
    ready_s, before_s = 0.0, 0.0
    for gap_s, work_s in jobs:
        ready_s += gap_s
        ticket = lane.join()
        begin_s, end_s = lane.begin(ticket, ready_s, work_s)
        lane.leave(ticket)
        assert begin_s == max(ready_s, before_s)
        assert end_s == pytest.approx(begin_s + work_s)
        before_s = end_s


@given(st.lists(st.floats(0, 3), min_size=1, max_size=30))
def test_what_is_always_busy_takes_the_sum(works_s: list[float]) -> None:
    lane = Lane()
    for work_s in works_s:
        ticket = lane.join()
        _, end_s = lane.begin(ticket, 0.0, work_s)
        lane.leave(ticket)
    assert end_s == pytest.approx(sum(works_s))


@given(st.lists(st.sampled_from(["join", "begin", "off"]), max_size=60), st.data())
def test_first_come_first_served_whoever_is_called_off(steps: list[str], data: st.DataObject) -> None:
    lane = Lane()
    waiting: list[object] = []
    for step in steps:
        if step == "join":
            waiting.append(lane.join())
        elif step == "begin" and waiting:
            for ticket in waiting[1:]:
                assert not lane.is_next(ticket)
                with pytest.raises(ValueError, match="before it"):
                    lane.begin(ticket, 0.0, 1.0)
            first = waiting.pop(0)
            assert lane.is_next(first)
            lane.begin(first, 0.0, 1.0)
            lane.leave(first)
        elif step == "off" and waiting:
            lane.leave(waiting.pop(data.draw(st.integers(0, len(waiting) - 1))))


def test_time_passes_on_the_clock_that_was_handed_in() -> None:
    machine = Machine(FakeClock(10.0))
    assert machine.work("gpu", "a", 0.5) == 10.5
    assert machine.work("captions", "b", 1.0) == 11.5
    assert machine.now_s() == 11.5


def test_a_thread_that_wakes_up_late_loses_no_time_of_the_device() -> None:
    clock = FakeClock()
    machine = Machine(clock)
    end_s = machine.work("gpu", "token", 0.1)
    for _ in range(9):
        clock.at_s += 0.003
        end_s = machine.work("gpu", "token", 0.1, ready_s=end_s)
    assert end_s == pytest.approx(1.0)


def test_two_threads_share_a_device_and_have_others_to_themselves() -> None:
    machine = Machine()
    began_s = time.monotonic()

    def run(device: str) -> None:
        for _ in range(5):
            machine.work("gpu" if device == "gpu" else "encoder", device, 0.02)

    threads = [threading.Thread(target=run, args=(device,)) for device in ("gpu", "gpu", "encoder")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gpu = [span for span in machine.spans if span.device == "gpu"]
    assert len(gpu) == 10
    assert all(one.end_s <= two.begin_s for one, two in pairwise(gpu))
    encoder = [span for span in machine.spans if span.device == "encoder"]
    assert encoder[0].begin_s < gpu[1].end_s  # beside the other
    assert time.monotonic() - began_s >= 0.2


def test_a_job_that_waits_can_be_called_off_and_one_that_was_begun_cannot() -> None:
    machine = Machine()
    unwanted = threading.Event()
    ends: list[float | None] = []
    first = threading.Thread(
        target=lambda: ends.append(machine.work("gpu", "first", 0.15, unwanted=unwanted.is_set))
    )  # fmt: skip
    first.start()
    while not machine.spans:
        time.sleep(0.001)
    second = threading.Thread(
        target=lambda: ends.append(machine.work("gpu", "second", 5.0, unwanted=unwanted.is_set))
    )  # fmt: skip
    second.start()
    time.sleep(0.03)
    unwanted.set()
    second.join(0.1)
    assert ends == [None]
    first.join()
    assert ends[1] == pytest.approx(machine.spans[0].end_s)
    assert [span.what for span in machine.spans] == ["first"]
    assert machine.work("gpu", "third", 0.0) is not None
