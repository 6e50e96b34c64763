"""The screen in a real terminal (tmux): nothing spoils it, and the terminal is whole afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parlor_tui.ui.cockpit import PROMPT_MARK

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("terminal_program.py")
LEAVE_WITHIN_S = 2.0


class Tmux:
    """One tmux server of its own, with one pane of 80x24, in which a shell runs the program."""

    def __init__(self, folder: Path) -> None:
        assert shutil.which("tmux"), "this test drives a real terminal: install tmux"
        self.folder = folder
        self._socket = str(folder / "tmux")

    def call(self, *arguments: str) -> str:
        command = ["tmux", "-f", os.devnull, "-S", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout

    def run(self, *faults: str, env: str = "") -> None:
        inner = (
            f"stty -a > {self.folder}/before; echo $$ > {self.folder}/shell; "
            f"{env} {sys.executable} {PROGRAM} {' '.join(faults)}; "
            f"echo $? > {self.folder}/code.part; stty -a > {self.folder}/after; "
            f"mv {self.folder}/code.part {self.folder}/code; sleep 60"
        )
        settings = [f"{key}={value}" for key, value in self.environment().items()]
        self.call(
            "new-session", "-d", "-x", "80", "-y", "24", "env", "-u", "PYTHONUNBUFFERED", *settings, "sh", "-c", inner
        )

    def environment(self) -> dict[str, str]:
        return {
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "HOME": str(self.folder),
        }

    def picture(self) -> str:
        return self.call("capture-pane", "-p")

    def keys(self, *keys: str) -> None:
        self.call("send-keys", *keys)

    def flag(self, name: str) -> str:
        return self.call("display-message", "-p", f"#{{{name}}}").strip()

    def wait(self, what: str, is_so: Callable[[], bool], limit_s: float = 15.0) -> None:
        until = time.monotonic() + limit_s
        while not is_so():
            assert time.monotonic() < until, f"not within {limit_s} s: {what}\n{self.picture()}"
            time.sleep(0.03)

    def wait_for(self, text: str) -> None:
        self.wait(f"{text!r} on the screen", lambda: text in self.picture())

    def wait_for_end(self, limit_s: float = LEAVE_WITHIN_S) -> int:
        code = self.folder / "code"
        self.wait("the end of the program", code.exists, limit_s)
        return int(code.read_text())

    def program_pid(self) -> int:
        shell = (self.folder / "shell").read_text().strip()
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", shell], capture_output=True, text=True, check=True)
        return int(found.stdout.split()[0])

    def log(self) -> str:
        (file,) = (self.folder).rglob("parlor-tui.log")
        return file.read_text()

    def assert_terminal_is_whole(self) -> None:
        assert (self.folder / "after").read_text() == (self.folder / "before").read_text()
        assert self.flag("alternate_on") == "0"
        assert self.flag("mouse_any_flag") == "0"
        assert self.flag("cursor_flag") == "1"


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    terminal = Tmux(tmp_path)
    yield terminal
    subprocess.run(["tmux", "-S", str(tmp_path / "tmux"), "kill-server"], capture_output=True, check=False)


def test_what_libraries_print_reaches_the_log_and_never_the_screen(tmux: Tmux) -> None:
    tmux.run("die-thread")
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
def test_a_key_leaves_and_the_terminal_is_as_before(tmux: Tmux, key: str) -> None:
    tmux.run("quiet")
    tmux.wait_for("LISTENING")
    tmux.keys(key)
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()
    assert tmux.picture().strip() == ""


@pytest.mark.parametrize("fault", ["hang", "stuck-thread"])
def test_leaving_is_bounded_even_if_something_hangs(tmux: Tmux, fault: str) -> None:
    tmux.run(fault)
    tmux.wait_for("LISTENING")
    tmux.keys("C-q")
    assert tmux.wait_for_end(LEAVE_WITHIN_S + 0.3) == 0
    tmux.assert_terminal_is_whole()
    assert tmux.picture().strip() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves(tmux: Tmux, number: signal.Signals) -> None:
    tmux.run()
    tmux.wait_for("LISTENING")
    os.kill(tmux.program_pid(), number)
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()


def test_losing_the_terminal_ends_the_program(tmux: Tmux) -> None:
    tmux.run()
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


def test_a_fault_of_the_screen_is_one_line_and_the_rest_is_in_the_log(tmux: Tmux) -> None:
    tmux.run("fail")
    assert tmux.wait_for_end(15) == 4
    tmux.assert_terminal_is_whole()
    said = " ".join(tmux.picture().split())
    assert said.startswith("parlor-tui: the screen failed (RuntimeError: a fault on purpose); details are in /")
    assert "Traceback" not in said
    assert "Traceback" in tmux.log()
    assert "raise RuntimeError" in tmux.log()


def test_the_keys_that_a_terminal_really_sends(tmux: Tmux) -> None:
    tmux.run("quiet")
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


@pytest.mark.parametrize(
    "env", ["NO_COLOR=1", "LC_ALL=C", "LC_ALL=C PYTHONUTF8=0 PYTHONIOENCODING=ascii", "TERM=linux"]
)
def test_plain_surroundings(tmux: Tmux, env: str) -> None:
    tmux.run("quiet", env=env)
    tmux.wait_for("LISTENING")
    tmux.keys("C-q")
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()


def test_the_first_picture_stands_within_a_second(tmux: Tmux) -> None:
    began_s = time.monotonic()
    tmux.run("quiet")
    tmux.wait("the first picture", lambda: "type here" in tmux.picture())
    assert time.monotonic() - began_s < 1.5  # 1 s, and half a second for tmux, the shell and a machine under test


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
