"""Cores that are asked to end, and cores that die."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from parlor_tui.events import CoreEvent, CoreHello
from parlor_tui.link.client import Link
from parlor_tui.link.supervisor import Supervisor
from tests.waiting import until

CORE = [sys.executable, str(Path(__file__).with_name("a_core.py"))]


class Watched:
    """A supervisor and all that it tells."""

    def __init__(self, log: Path) -> None:
        self.links: list[Link] = []
        self.greetings: list[int] = []
        self.downs: list[tuple[str, str]] = []
        self.restart_between_links = False
        self._changed = threading.Condition()
        self.supervisor = Supervisor(CORE, log, self._up, self._said, self._down)

    def _up(self, link: Link) -> None:
        self.links.append(link)

    def _said(self, event: CoreEvent) -> None:
        assert isinstance(event, CoreHello)
        with self._changed:
            self.greetings.append(self.supervisor.core_pid or 0)
            self._changed.notify_all()

    def _down(self, reason: str, then: str) -> None:
        with self._changed:
            self.downs.append((reason, then))
            self._changed.notify_all()
        if then == "link" and self.restart_between_links:
            self.supervisor.restart()

    def wait_for_core(self, number: int) -> int:
        """The process number of the `number`-th core, once it greets."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.greetings) >= number, 20), f"no core {number}: {self.downs}"
        return self.greetings[number - 1]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    watched = Watched(tmp_path / "log")
    watched.supervisor.start()
    yield watched
    watched.supervisor.stop(2.0)


def test_a_restart_ends_the_core_in_order_and_brings_another(watched: Watched) -> None:
    first = psutil.Process(watched.wait_for_core(1))
    watched.supervisor.restart()
    second = watched.wait_for_core(2)
    assert second != first.pid
    assert not first.is_running()
    assert watched.downs == [("", "start")]
    assert len(watched.links) == 2


def test_a_restart_between_two_links_to_one_core_brings_another_core(watched: Watched) -> None:
    watched.restart_between_links = True
    first = watched.wait_for_core(1)
    watched.links[0].close()
    assert watched.wait_for_core(2) != first
    assert watched.downs == [("the link to the core was lost", "link"), ("", "start")]


def test_restarts_are_no_crashes_however_many(watched: Watched) -> None:
    for number in range(1, 9):
        watched.wait_for_core(number)
        began_s = time.monotonic()
        watched.supervisor.restart()
    watched.wait_for_core(9)
    assert time.monotonic() - began_s < 4, "a restart waits for nothing"
    assert watched.downs == [("", "start")] * 8
    os.kill(watched.greetings[-1], signal.SIGTERM)
    watched.wait_for_core(10)
    assert watched.downs[-1] == ("the core was told to end (SIGTERM)", "start")


def test_without_a_core_a_restart_is_nothing(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "log")
    watched.supervisor.restart()
    watched.supervisor.start()
    os.kill(watched.wait_for_core(1), signal.SIGTERM)
    watched.wait_for_core(2)
    assert watched.downs[0][0], "the end of the first core was a crash"
    watched.supervisor.stop(2.0)


def test_what_goes_wrong_in_looking_after_the_core_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Supervisor) -> None:
        raise RuntimeError("an odd /proc")

    monkeypatch.setattr(Supervisor, "_spawn", broken)
    told: queue.Queue[str] = queue.Queue()
    supervisor = Supervisor(
        ["none"], tmp_path / "log", lambda _: None, lambda _: None, lambda reason, _then: told.put(reason)
    )
    supervisor.start()
    assert told.get(timeout=20).startswith("what looks after the core failed: RuntimeError")
    supervisor.stop(1.0)


def test_a_core_that_stands_still_before_it_greets_is_replaced(watched: Watched) -> None:
    until(lambda: watched.supervisor.core_pid is not None, "a process")
    first = psutil.Process(watched.supervisor.core_pid)
    first.suspend()
    assert watched.wait_for_core(1) != first.pid
    assert watched.downs == [("the core did not start", "start")]
    assert not first.is_running()
