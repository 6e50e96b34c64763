"""The screen in a real terminal (tmux): nothing spoils it, and the terminal is whole afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from parlor_tui.ui.widgets.prompt import PROMPT_MARK
from tests.terminal import LEAVE_WITHIN_S, Tmux

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("terminal_program.py")


class Screen(Tmux):
    """The screen with a stand-in for the assistant behind it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            folder,
            {
                "PYTHONPATH": str(ROOT),
                "XDG_STATE_HOME": str(folder / "state"),
                "XDG_CONFIG_HOME": str(folder / "config"),
                "HOME": str(folder),
                "LANG": "C.UTF-8",
            },
        )

    def run_screen(self, *faults: str, env: str = "") -> None:
        self.run(f"{env} {sys.executable} {PROGRAM} {' '.join(faults)}")


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Screen]:
    terminal = Screen(tmp_path)
    yield terminal
    terminal.close()


def test_what_libraries_print_reaches_the_log_and_never_the_screen(tmux: Screen) -> None:
    tmux.run_screen("die-thread")
    tmux.wait_for("LISTENING")
    tmux.wait("the dying thread in the log", lambda: "NOISE of a dying thread" in tmux.log())
    picture = tmux.picture()
    assert "NOISE" not in picture
    assert f"{PROMPT_MARK} type here, or just talk" in picture
    assert "esc interrupt" in picture
    tmux.keys("C-q")
    assert tmux.wait_for_end() == 0
    time.sleep(0.2)  # what C held back would come out as the process ends
    assert "NOISE" not in tmux.picture()
    for kind in ("on two", "on one", "from C", "from print", "while stopping", "left in a buffer"):
        assert f"NOISE {kind}" in tmux.log()
    tmux.assert_terminal_is_whole()


@pytest.mark.parametrize("key", ["C-q", "C-c"])
def test_a_key_leaves_and_the_terminal_is_as_before(tmux: Screen, key: str) -> None:
    tmux.run_screen("quiet")
    tmux.wait_for("LISTENING")
    tmux.keys(key)
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()
    assert tmux.picture().strip() == ""


@pytest.mark.parametrize("fault", ["hang", "stuck-thread"])
def test_leaving_is_bounded_even_if_something_hangs(tmux: Screen, fault: str) -> None:
    tmux.run_screen(fault)
    tmux.wait_for("LISTENING")
    tmux.keys("C-q")
    assert tmux.wait_for_end(LEAVE_WITHIN_S + 0.3) == 0
    tmux.assert_terminal_is_whole()
    assert tmux.picture().strip() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves(tmux: Screen, number: signal.Signals) -> None:
    tmux.run_screen()
    tmux.wait_for("LISTENING")
    os.kill(tmux.program_pid(), number)
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_who_is_told_twice_to_leave_still_does_so_in_order(tmux: Screen, number: signal.Signals) -> None:
    tmux.run_screen("quiet", "hang")
    tmux.wait_for("LISTENING")
    program = tmux.program_pid()
    os.kill(program, number)
    tmux.wait("the way out", lambda: "NOISE while stopping" in tmux.log())
    os.kill(program, number)
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_screen_that_is_killed_or_crashes_leaves_none_behind(tmux: Screen, number: signal.Signals) -> None:
    tmux.run_screen("quiet")
    tmux.wait_for("LISTENING")
    assert tmux.flag("alternate_on") == "1"
    family = psutil.Process(tmux.program_pid()).children()
    os.kill(tmux.program_pid(), number)
    tmux.wait_for_end()
    whole = {"alternate_on": "0", "mouse_any_flag": "0", "cursor_flag": "1"}
    tmux.wait("a terminal as before", lambda: {name: tmux.flag(name) for name in whole} == whole, LEAVE_WITHIN_S)
    _, left = psutil.wait_procs(family, LEAVE_WITHIN_S)
    assert left == []


def test_losing_the_terminal_ends_the_program(tmux: Screen) -> None:
    tmux.run_screen()
    tmux.wait_for("LISTENING")
    pid = tmux.program_pid()
    tmux.call("kill-server")

    def gone() -> bool:
        status = Path(f"/proc/{pid}/status")
        return not status.exists() or "State:\tZ" in status.read_text()

    until = time.monotonic() + LEAVE_WITHIN_S + 0.5
    while not gone() and time.monotonic() < until:
        time.sleep(0.05)
    assert gone()


def test_a_fault_of_the_screen_is_one_line_and_the_rest_is_in_the_log(tmux: Screen) -> None:
    tmux.run_screen("fail")
    assert tmux.wait_for_end(15) == 4
    tmux.assert_terminal_is_whole()
    said = " ".join(tmux.picture().split())
    assert said.startswith("parlor-tui: the screen failed (RuntimeError: a fault on purpose); details are in /")
    assert "Traceback" not in said
    assert "Traceback" in tmux.log()
    assert "raise RuntimeError" in tmux.log()


def test_the_keys_that_a_terminal_really_sends(tmux: Screen) -> None:
    tmux.run_screen("quiet")
    tmux.wait_for("LISTENING")
    tmux.keys("hello there", "Enter")
    tmux.wait("the typed turn", lambda: "SAID hello there" in tmux.log())
    tmux.keys("C-t")
    tmux.wait("muted by Ctrl+T", lambda: "MUTED True" in tmux.log())
    tmux.wait_for("mic muted")
    tmux.keys("F8")
    tmux.wait("opened by F8", lambda: "MUTED False" in tmux.log())
    tmux.keys("Escape")
    tmux.wait("interrupted", lambda: "INTERRUPTED" in tmux.log())
    tmux.call("set-buffer", "two\nlines")
    tmux.call("paste-buffer", "-p")
    tmux.wait_for("lines")
    assert "SAID two" not in tmux.log()
    tmux.keys("Enter")
    tmux.wait("both lines as one turn", lambda: "SAID two\nlines" in tmux.log())


def test_the_keys_of_an_offer_are_ones_that_a_terminal_really_sends(tmux: Screen) -> None:
    tmux.run_screen("quiet", "offers")
    tmux.wait_for("^g download  ^x not now")
    tmux.keys("half a question")
    tmux.keys("C-g")
    tmux.wait("the wish to get it", lambda: "GET MODEL" in tmux.log())
    tmux.wait_for("^x cancel")
    tmux.keys("C-x")
    tmux.wait("the wish to cancel", lambda: "CANCEL MODEL" in tmux.log())
    tmux.wait_for("^x not now")
    tmux.keys("C-x")
    tmux.wait("the wish for no more offers", lambda: "DECLINE MODEL" in tmux.log())
    tmux.wait("the talk has the room again", lambda: "^x" not in tmux.picture())
    assert "half a question" in tmux.picture()


def test_the_linux_console(tmux: Screen) -> None:
    tmux.run_screen("quiet", env="TERM=linux")
    tmux.wait_for("LISTENING")
    tmux.keys("C-q")
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, PROGRAM],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
    )
    assert ended.returncode == 3
    assert ended.stdout == ""
    assert ended.stderr == "parlor-tui: the screen needs a terminal to read keys from, and standard input is none\n"
