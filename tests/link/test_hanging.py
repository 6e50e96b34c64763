"""Cores that run and are of no use, and one that is only hard at work."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from parlor_tui.events import CoreEvent, CoreFailed, CoreLoading, now_s
from parlor_tui.link.pulse import Patience
from parlor_tui.link.supervisor import Supervisor
from tests.waiting import until

CORE = str(Path(__file__).with_name("hanging_core.py"))


class Supervised:
    """A supervisor, and all that it tells with the time of it."""

    def __init__(self, log: Path, how: str, patience: Patience) -> None:
        self.log = log
        self.events: list[CoreEvent] = []
        self.downs: list[tuple[str, str]] = []
        self.step_s = self.down_s = 0.0
        self.up = threading.Event()
        self.supervisor = Supervisor(
            [sys.executable, CORE, how], log, lambda _link: self.up.set(), self._said, self._down, patience=patience
        )

    def _said(self, event: CoreEvent) -> None:
        self.events.append(event)
        if isinstance(event, CoreLoading) and event.text == "loading the first part":
            self.step_s = now_s()

    def _down(self, reason: str, then: str) -> None:
        self.down_s = self.down_s or now_s()
        self.downs.append((reason, then))


Supervise = Callable[[str, Patience], AbstractContextManager[Supervised]]


@pytest.fixture
def supervise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Supervise:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))

    @contextmanager
    def supervised(how: str, patience: Patience) -> Iterator[Supervised]:
        running = Supervised(tmp_path / "log", how, patience)
        running.supervisor.start()
        try:
            yield running
        finally:
            running.supervisor.stop(1.0)

    return supervised


def test_one_that_a_native_call_keeps_from_everything_is_ended_after_one_more_try_to_reach_it(
    supervise: Supervise,
) -> None:
    with supervise("frozen", Patience()) as running:
        pid = until_linked(running)
        until(lambda: len(running.downs) >= 2, "it is given up on", 40)
        (reason, first), (again, second) = running.downs[:2]
        assert (first, second) == ("link", "start")
        assert reason == again
        assert reason.startswith("the core did not answer for ")
        assert running.down_s - running.step_s < 10.0, "three seconds, and a busy machine"
        until(lambda: running.supervisor.core_pid not in (None, pid), "another core", 20)
        assert 'hanging_core.py", line' in running.log.read_text("utf-8"), "it said where it was"


def test_one_that_is_hard_at_work_while_it_loads_is_waited_for(supervise: Supervise) -> None:
    with supervise("busy", Patience()) as running:
        until(lambda: any(isinstance(event, CoreFailed) for event in running.events), "it comes back", 60)
        assert now_s() - running.step_s > Patience().idle_s + 0.5, "it was silent for longer than an idle one may be"
        assert running.downs == []


def until_linked(running: Supervised) -> int:
    assert running.up.wait(30)
    assert running.supervisor.core_pid is not None
    return running.supervisor.core_pid
