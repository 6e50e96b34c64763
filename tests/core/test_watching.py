"""The core looks after its machine: how often, at what cost, and what it tells whom."""

from __future__ import annotations

import asyncio
import itertools
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.profiles import LITE, OnProgress, Parts
from parlor_tui.core.watching import EVERY_S, STALE_S, Watching, read
from parlor_tui.events import CoreEvent, CoreHello, MachineRead, Reading, now_s
from parlor_tui.link.client import Link
from parlor_tui.link.server import CoreServer
from parlor_tui.probes.choose import open_probes
from parlor_tui.settings import Settings
from parlor_tui.usage import OwnUse

MOST_OF_A_CORE = 0.003
GIGABYTES_16 = Reading(ram_used_mb=5000.0, ram_total_mb=16_000.0)


class Probe:
    """Stands in for the machine's probes: counts its readings, which are its temperature; fails if it is told to."""

    def __init__(self, fails: bool = False) -> None:
        self.fails, self.readings, self.closed = fails, 0, threading.Event()
        self.goes_on = threading.Event()
        self.goes_on.set()

    def read(self, at_s: float) -> Reading:
        self.goes_on.wait(20)
        if self.fails:
            raise OSError("the machine is silent")
        self.readings += 1
        return replace(GIGABYTES_16, cpu_temperature_c=float(self.readings))

    def close(self) -> None:
        self.closed.set()


def run(
    probe: Probe,
    sitting: Callable[[Watching], Awaitable[None]],
    every_s: float = 0.02,
    idle_every_s: float = 30.0,
    stale_s: float = STALE_S,
) -> None:
    async def go() -> None:
        watching = Watching(65, open_probe=lambda: probe, every_s=every_s, idle_every_s=idle_every_s, stale_s=stale_s)
        watching.start()
        try:
            async with asyncio.timeout(20):
                await sitting(watching)
        finally:
            watching.close()

    asyncio.run(go())


async def until(said: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    while not said():  # noqa: ASYNC110 - it has no event of this loop
        await asyncio.sleep(0.005)


def test_who_comes_is_told_at_once_and_from_then_on() -> None:
    probe = Probe()
    first: list[MachineRead] = []
    second: list[MachineRead] = []

    async def sitting(watching: Watching) -> None:
        end = watching.watch(first.append)
        await until(lambda: len(first) >= 3)
        watching.watch(second.append)
        assert second == first[-1:]
        end()
        told = len(first)
        await until(lambda: len(second) >= 4)
        assert len(first) == told

    run(probe, sitting)
    assert [event.reading.cpu_temperature_c for event in first] == [float(n + 1) for n in range(len(first))]
    assert probe.closed.wait(5)


def test_while_nobody_is_connected_it_seldom_looks_and_wakes_for_who_comes() -> None:
    probe = Probe()
    told: list[MachineRead] = []

    async def sitting(watching: Watching) -> None:
        await until(lambda: probe.readings == 1)
        await asyncio.sleep(0.3)
        assert probe.readings == 1
        watching.watch(told.append)
        await until(lambda: probe.readings >= 3)

    run(probe, sitting)


def test_what_was_seen_too_long_ago_is_not_told_any_more() -> None:
    probe = Probe()
    told: list[MachineRead] = []

    async def sitting(watching: Watching) -> None:
        await until(lambda: watching.latest is not None)
        await until(lambda: watching.latest is None)
        watching.watch(told.append)
        assert told == []
        await until(lambda: len(told) >= 1)
        probe.goes_on.clear()
        await until(lambda: told[-1] == MachineRead(Reading()))
        assert watching.latest is None
        probe.goes_on.set()
        await until(lambda: told[-1] != MachineRead(Reading()))

    run(probe, sitting, stale_s=0.4)
    assert not any(one == two == MachineRead(Reading()) for one, two in itertools.pairwise(told)), "told once"


def test_a_probe_that_fails_is_logged_and_nothing_else_happens(caplog: pytest.LogCaptureFixture) -> None:
    probe = Probe(fails=True)
    told: list[MachineRead] = []

    async def sitting(watching: Watching) -> None:
        watching.watch(told.append)
        await until(lambda: "no longer looked after" in caplog.text)

    with caplog.at_level(logging.ERROR):
        run(probe, sitting)
    assert told == []
    assert probe.closed.is_set()


@pytest.mark.parametrize(
    ("reading", "used_mb", "budget_mb", "own"),
    [
        (GIGABYTES_16, 5000.0, 10_400.0, False),
        (replace(GIGABYTES_16, gpu_memory_used_mb=300.0, gpu_memory_total_mb=512.0), 5000.0, 10_400.0, False),
        (replace(GIGABYTES_16, gpu_memory_used_mb=900.0, gpu_memory_total_mb=8000.0), 900.0, 5200.0, True),
        (replace(GIGABYTES_16, gpu_memory_total_mb=8000.0), None, 5200.0, True),
        (Reading(), None, None, False),
    ],
)
def test_the_budget_is_of_the_memory_that_models_are_loaded_into(
    reading: Reading, used_mb: float | None, budget_mb: float | None, own: bool
) -> None:
    found = read(reading, OwnUse(), 65)
    assert (found.used_mb, found.budget_mb, found.own_memory) == (used_mb, budget_mb, own)


def test_the_memory_of_processes_that_the_core_started_is_counted() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "x = bytearray(60_000_000); print(1, flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    own = OwnUse()
    assert read(Reading(), own, 65).children_mb == 0.0
    child.stdout.readline()
    own.find_children()
    found = read(Reading(), own, 65)
    child.communicate(b"\n")
    assert found.core_mb is not None
    assert found.children_mb is not None
    assert found.core_mb > 20
    assert found.children_mb > 60
    assert read(Reading(), own, 65).children_mb == 0.0, "it is gone"


def test_looking_costs_less_than_0_3_percent_of_a_core() -> None:
    probe, own = open_probes(), OwnUse()
    probe.read(now_s())
    began_s = time.thread_time()
    for _ in range(100):
        read(probe.read(now_s()), own, 65)
    used_s = (time.thread_time() - began_s) / 100
    began_s = time.thread_time()
    own.find_children()
    used_s += (time.thread_time() - began_s) / 15
    probe.close()
    assert used_s / EVERY_S < MOST_OF_A_CORE


def test_a_terminal_hears_of_the_machine_through_the_link() -> None:
    told: list[CoreEvent] = []

    def load(progress: OnProgress, cancelled: threading.Event) -> Parts:
        raise OSError("no model is needed here")

    async def sitting(watching: Watching) -> None:
        core = InferenceCore(LITE, load, 1, lambda _: None)
        listening = await CoreServer(core, Settings(), "token", None, watching).listen(0)
        core.start()
        port = listening.sockets[0].getsockname()[1]
        link = await asyncio.to_thread(
            Link, f"ws://127.0.0.1:{port}/v1/realtime", "token", told.append, lambda _reason: None
        )
        link.start()
        await until(lambda: len([event for event in told if isinstance(event, MachineRead)]) >= 2)
        link.close()
        core.close()
        listening.close()
        await listening.wait_closed()

    run(Probe(), sitting)
    assert isinstance(told[0], CoreHello)
    seen = [event for event in told if isinstance(event, MachineRead)]
    assert seen[0].budget_mb == 10_400.0
    assert seen[0].reading.ram_total_mb == 16_000.0
    assert seen[1].reading.cpu_temperature_c != seen[0].reading.cpu_temperature_c
