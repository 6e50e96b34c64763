"""What goes to the disk holds nobody up, is held back while the disk takes none, and trouble with it is told once."""

from __future__ import annotations

import contextlib
import errno
import functools
import logging
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from parlor_tui.events import now_s
from parlor_tui.observe import disk_thread
from parlor_tui.observe.disk_thread import RETRY_S, DiskThread
from parlor_tui.observe.journal import JournalFile, line, parse
from tests.journals import raw_lines
from tests.small_disk import small_disk
from tests.waiting import until


class Disk:
    """A disk thread that tries again soon, and what it tells."""

    def __init__(self, retry_s: float = 0.05) -> None:
        self.told: list[str | int] = []
        self.thread = DiskThread("journal", self.told.append, self.told.append, retry_s=retry_s)


def appending(file: JournalFile, number: int) -> Callable[[], None]:
    return lambda: file.append(b"%d\n" % number)


def in_the_way(folder: Path) -> JournalFile:
    """A journal that cannot be written until `folder` is no file any more."""
    folder.write_text("a file in place of the folder", encoding="utf-8")
    return JournalFile(folder / "journal.jsonl", 100_000, 2)


def test_trouble_is_told_once_and_once_there_is_room_all_is_there_in_its_order(tmp_path: Path) -> None:
    disk, folder = Disk(), tmp_path / "log"
    file = in_the_way(folder)
    for number in range(20):
        disk.thread.put(appending(file, number))
    until(lambda: bool(disk.told), "word of the trouble")
    folder.unlink()
    until(lambda: len(disk.told) == 2, "word that it is over")  # without any new line
    disk.thread.put(appending(file, 20))
    disk.thread.close(5)
    why, lost = disk.told
    assert str(why).startswith(f"the journal is not kept: {folder}: ")
    assert lost == 0
    assert (folder / "journal.jsonl").read_bytes().split() == [b"%d" % number for number in range(21)]


def test_a_full_disk_costs_no_line_though_it_took_a_part_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real one, where a small disk may be mounted; elsewhere the system's call for writing stands in for it."""
    with small_disk(tmp_path / "disk") as is_real:
        rest = Rest(monkeypatch) if not is_real else None
        disk, path, filler = Disk(), tmp_path / "disk" / "journal.jsonl", tmp_path / "disk" / "filler"
        file = JournalFile(path, 10_000_000, 2)
        if rest is None:
            with contextlib.suppress(OSError):
                filler.write_bytes(bytes(2_000_000))
            os.truncate(filler, filler.stat().st_size - 8192)
        lines = [line(datetime.now(UTC), "turn", turn=number, tuning={"a": "x" * 1500}) for number in range(50)]
        for one in lines:
            disk.thread.put(functools.partial(file.append, one))
        until(lambda: bool(disk.told), "word of the trouble")
        before = path.read_bytes()
        assert before
        assert not before.endswith(b"\n") or rest is None, "it took a part of a line"
        if rest is None:
            filler.unlink()
        else:
            rest.room_bytes = 10_000_000
        until(lambda: len(disk.told) == 2, "word that it is over")
        disk.thread.close(5)
        assert "No space left" in str(disk.told[0])
        assert disk.told[1] == 0
        turns = [entry.number("turn") for entry in map(parse, raw_lines(path)) if entry is not None]
        assert turns == list(range(50))


class Rest:
    """Stands in for a disk with little room, and takes what fits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room_bytes = 8192
        self._write = os.write
        monkeypatch.setattr(os, "write", self._take)

    def _take(self, descriptor: int, content: memoryview) -> int:
        if self.room_bytes == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = self._write(descriptor, content[: self.room_bytes])
        self.room_bytes -= taken
        return taken


def test_it_is_tried_again_within_five_seconds_and_for_the_last_time_at_the_end(tmp_path: Path) -> None:
    assert RETRY_S <= 5
    disk, folder = Disk(retry_s=3600), tmp_path / "log"
    disk.thread.put(appending(in_the_way(folder), 1))
    until(lambda: bool(disk.told), "word of the trouble")
    folder.unlink()
    disk.thread.close(5)
    assert (folder / "journal.jsonl").read_bytes() == b"1\n"


def test_what_is_held_back_is_bounded_and_what_found_no_room_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_thread, "HELD_JOBS", 3)
    disk, folder = Disk(retry_s=3600), tmp_path / "log"
    file = in_the_way(folder)
    for number in range(5):
        disk.thread.put(appending(file, number))
    until(lambda: bool(disk.told), "word of the trouble")
    folder.unlink()
    disk.thread.close(5)
    assert disk.told[1:] == [2]
    assert (folder / "journal.jsonl").read_bytes() == b"0\n1\n2\n"


def test_what_is_tried_once_and_fails_holds_nothing_back(tmp_path: Path) -> None:
    """Such as an incident whose folder cannot be made."""
    disk, failures, done = Disk(retry_s=3600), list[str](), threading.Event()
    file = JournalFile(tmp_path / "journal.jsonl", 1000, 2)

    def fail() -> None:
        raise FileNotFoundError(2, "no such folder", "/incidents")

    disk.thread.put(appending(file, 1))
    disk.thread.once(fail, failures.append)
    disk.thread.put(appending(file, 2))
    disk.thread.put(done.set)
    assert done.wait(20)
    assert (tmp_path / "journal.jsonl").read_bytes() == b"1\n2\n"
    assert failures == ["/incidents: no such folder"]
    assert disk.told == []
    disk.thread.close(5)


def test_while_lines_are_held_back_what_is_tried_once_is_tried_at_once(tmp_path: Path) -> None:
    disk, done = Disk(retry_s=3600), threading.Event()
    disk.thread.put(appending(in_the_way(tmp_path / "log"), 1))
    disk.thread.once(done.set, pytest.fail)
    assert done.wait(20)
    disk.thread.close(5)


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
    refused: list[str] = []
    disk.thread.once(lambda: None, refused.append)
    disk.thread.close(0.2)
    assert now_s() - began_s < 5
    assert disk.told == ["the journal is not kept: the disk does not keep up"]
    assert refused == ["the disk does not keep up"]
    goes_on.set()
    until(lambda: len(disk.told) == 2, "word that it is over")
    assert disk.told[1] == 1000 - 256
    disk.thread.close(5)
    assert done == list(range(256))


def test_a_job_that_fails_otherwise_is_logged_and_the_next_is_done(caplog: pytest.LogCaptureFixture) -> None:
    disk, done, failures = Disk(), threading.Event(), list[str]()

    def fail() -> None:
        raise KeyError("no such thing")

    with caplog.at_level(logging.ERROR):
        disk.thread.put(fail)
        disk.thread.once(fail, failures.append)
        disk.thread.put(done.set)
        assert done.wait(20)
    assert caplog.text.count("no such thing") >= 2
    assert disk.told == []
    assert failures == ["KeyError"]
    disk.thread.close(5)
    DiskThread("x", print, print).close(1)  # one that was never used
