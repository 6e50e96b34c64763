"""What goes to the disk holds nobody up, and trouble with it is told once."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from parlor_tui.events import now_s
from parlor_tui.observe.disk_thread import RETRY_S, DiskThread
from parlor_tui.observe.journal import JournalFile


class Disk:
    """A disk thread, with a clock that is set by hand. What it tells, and its looks at the clock, are waited for."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.looked = 0
        self.told: list[str | int] = []
        self._changed = threading.Condition()
        self.thread = DiskThread("journal", self._hear, self._hear, clock_s=self._look)

    def _hear(self, what: str | int) -> None:
        with self._changed:
            self.told.append(what)
            self._changed.notify_all()

    def _look(self) -> float:
        with self._changed:
            self.looked += 1
            self._changed.notify_all()
            return self.now_s

    def wait(self, *, told: int = 0, looked: int = 0) -> None:
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.told) >= told and self.looked >= looked, 20)
            assert came, (self.told, self.looked)


def test_trouble_is_told_once_and_its_end_with_what_was_lost(tmp_path: Path) -> None:
    disk, folder = Disk(), tmp_path / "log"
    folder.write_text("a file in place of the folder", encoding="utf-8")
    file = JournalFile(folder / "journal.jsonl", 1000, 2)

    def add(number: int) -> None:
        disk.thread.put(lambda: file.append(b"%d\n" % number))

    for number in range(3):
        add(number)
    disk.wait(looked=4)  # before each job, and after the one that failed
    disk.now_s = RETRY_S + 1
    add(3)
    disk.wait(looked=6)  # it was tried, in vain
    disk.now_s = 2 * RETRY_S + 2
    folder.unlink()
    add(4)
    disk.wait(told=2)
    disk.thread.close(5)
    why, lost = disk.told
    assert str(why).startswith(f"the journal is not kept: {folder}: ")
    assert lost == 4
    assert (folder / "journal.jsonl").read_bytes() == b"4\n"


def test_a_disk_that_stands_still_holds_nobody_up() -> None:
    disk, goes_on, entered = Disk(), threading.Event(), threading.Event()

    def stand_still() -> None:
        entered.set()
        goes_on.wait(30)

    disk.thread.put(stand_still)
    assert entered.wait(20)
    began_s = now_s()
    done: list[int] = []
    for number in range(1000):
        disk.thread.put(lambda number=number: done.append(number))  # type: ignore[misc]
    disk.thread.close(0.2)
    assert now_s() - began_s < 5
    assert disk.told == ["the journal is not kept: the disk does not keep up"]
    goes_on.set()
    disk.wait(told=2)
    assert done[:1] == [0]
    assert disk.told[1] == 1000 - 256
    disk.thread.close(5)
    assert done == list(range(256))


def test_a_job_that_fails_otherwise_is_logged_and_the_next_is_done(caplog: pytest.LogCaptureFixture) -> None:
    disk, done = Disk(), threading.Event()

    def fail() -> None:
        raise KeyError("no such thing")

    with caplog.at_level(logging.ERROR):
        disk.thread.put(fail)
        disk.thread.put(done.set)
        assert done.wait(20)
    assert "no such thing" in caplog.text
    assert disk.told == []
    disk.thread.close(5)
    DiskThread("x", print, print).close(1)  # one that was never used
