"""A real terminal for tests: tmux."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

LEAVE_WITHIN_S = 2.0


class Tmux:
    """One tmux server of its own, with one pane, in which a shell runs one command."""

    def __init__(self, folder: Path, environment: Mapping[str, str], columns: int = 80, rows: int = 24) -> None:
        assert shutil.which("tmux"), "this test drives a real terminal: install tmux"
        self.folder = folder
        self._environment = environment
        self._size = ("-x", str(columns), "-y", str(rows))
        self._socket = str(folder / "tmux")

    def call(self, *arguments: str) -> str:
        command = ["tmux", "-f", os.devnull, "-S", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout

    def run(self, command: str) -> None:
        """Start `command`; what it left behind is kept in `folder`."""
        inner = (
            f"stty -a > {self.folder}/before; echo $$ > {self.folder}/shell; {command}; "
            f"echo $? > {self.folder}/code.part; stty -a > {self.folder}/after; "
            f"mv {self.folder}/code.part {self.folder}/code; sleep 60"
        )
        settings = [f"{key}={value}" for key, value in self._environment.items()]
        # Python's readline puts a size into the environment of children, which programs believe before the terminal's.
        without = [word for name in ("PYTHONUNBUFFERED", "COLUMNS", "LINES") for word in ("-u", name)]
        self.call("new-session", "-d", *self._size, "env", *without, *settings, "sh", "-c", inner)

    def picture(self) -> str:
        return self.call("capture-pane", "-p")

    def keys(self, *keys: str) -> None:
        self.call("send-keys", *keys)

    def flag(self, name: str) -> str:
        return self.call("display-message", "-p", f"#{{{name}}}").strip()

    def wait(self, what: str, is_so: Callable[[], bool], limit_s: float = 15.0) -> None:
        """Wait until `is_so`; the failure shows the screen."""
        until = time.monotonic() + limit_s
        while not is_so():
            assert time.monotonic() < until, f"not within {limit_s} s: {what}\n{self.picture()}"
            time.sleep(0.03)

    def wait_for(self, text: str, limit_s: float = 15.0) -> None:
        self.wait(f"{text!r} on the screen", lambda: text in self.picture(), limit_s)

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

    def close(self) -> None:
        """End the server and all that runs in it."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True, check=False)
