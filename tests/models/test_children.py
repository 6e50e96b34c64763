"""A watched child process does not outlive its use, and neither does what it started."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from parlor_tui.events import now_s
from parlor_tui.models.base import Cancelled, SourceFault, Watch
from parlor_tui.models.children import run_child

GRANDPARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"], stdin=subprocess.DEVNULL)
print("started", child.pid, flush=True)
time.sleep(120)
"""


def run(code: str, folder: Path, watch: Watch) -> list[str]:
    """The lines of a child that runs `code`; `answer` is its answer, and its last line its reason."""
    lines: list[str] = []
    run_child(
        [sys.executable, "-c", code],
        watch,
        folder=folder,
        environment={},
        answered=lambda line: line == "answer",
        on_line=lines.append,
        reason=lambda kept: kept[-1] if kept else "",
    )
    return lines


def watch(connect_s: float = 20, stall_s: float = 20, cancelled: threading.Event | None = None) -> Watch:
    return Watch(connect_s, stall_s, cancelled or threading.Event(), lambda done_bytes, total_bytes: None)


def gone(pids: list[int]) -> bool:
    until_s = now_s() + 10
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids):
        if now_s() > until_s:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("end", ["cancelled", "no answer"])
def test_the_child_and_its_own_children_die(tmp_path: Path, end: str) -> None:
    cancelled, pids = threading.Event(), []

    def on_line(line: str) -> None:
        pids.append(int(line.split()[1]))
        if end == "cancelled":
            cancelled.set()

    began_s = now_s()
    with pytest.raises(Cancelled if end == "cancelled" else SourceFault):
        run_child(
            [sys.executable, "-c", GRANDPARENT],
            watch(connect_s=1, cancelled=cancelled),
            folder=tmp_path,
            environment={},
            answered=lambda line: False,
            on_line=on_line,
            reason=lambda lines: "",
        )
    assert now_s() - began_s < 30
    assert pids
    assert gone(pids)
    assert [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE] == []


def test_every_line_arrives_even_if_there_are_more_than_are_kept(tmp_path: Path) -> None:
    lines = run("for number in range(5000): print(number)", tmp_path, watch())
    assert lines == [str(number) for number in range(5000)]


def test_a_failure_says_why(tmp_path: Path) -> None:
    with pytest.raises(SourceFault, match=r"^it broke$"):
        run("import sys; print('it broke'); sys.exit(3)", tmp_path, watch())
    with pytest.raises(SourceFault, match=r"^its program failed with code 3$"):
        run("import sys; sys.exit(3)", tmp_path, watch())


def test_one_that_answers_and_stalls_is_given_up_on_and_one_that_goes_on_is_not(tmp_path: Path) -> None:
    with pytest.raises(SourceFault, match=r"stalled: nothing came within 1 s \(answer\)"):
        run("import time; print('answer', flush=True); time.sleep(60)", tmp_path, watch(stall_s=1))
    slow = "import time\nprint('answer', flush=True)\nfor _ in range(12): time.sleep(0.2); print('more', flush=True)"
    assert len(run(slow, tmp_path, watch(connect_s=1, stall_s=1.5))) == 13


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    assert run("import sys; sys.stdout.buffer.write(b'\\xff\\xfe ok\\n')", tmp_path, watch()) == ["\ufffd\ufffd ok"]


def test_a_program_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(SourceFault, match="no-such-program cannot be run"):
        run_child(
            [str(tmp_path / "no-such-program")],
            watch(),
            folder=tmp_path,
            environment={},
            answered=bool,
            reason=lambda lines: "",
        )
