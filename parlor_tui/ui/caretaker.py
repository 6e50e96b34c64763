"""Puts the terminal right where this process could not: it was killed, or a native library crashed it."""

from __future__ import annotations

import contextlib
import os
import subprocess

_OVER = b"over\n"
_DONE_WITHIN_S = 0.2
# A group of its own, and no signal of the terminal: it has to outlive what ends the screen. Its `read` fails where the
# pipe ends without a word.
_SCRIPT = 'trap "" HUP INT QUIT TERM TTOU; read -r word || printf "$1"'


class Caretaker:
    """A shell that waits for the end of this process, and writes `leave` to the terminal unless `over` was called.

    The settings of the line (echo and the like) are not its business: a shell that ran this program puts them back
    itself, and two at it would be in each other's way. Without a shell (Windows) it is nobody.
    """

    def __init__(self, tty_fd: int, leave: str) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if os.name != "posix":
            return
        words = "".join(f"\\{byte:03o}" for byte in leave.encode())
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "parlor-tui-terminal", words],
                stdin=subprocess.PIPE,
                stdout=tty_fd,
                stderr=subprocess.DEVNULL,
                cwd="/",
                process_group=0,
            )

    def over(self, within_s: float = _DONE_WITHIN_S) -> None:
        """The terminal is as it was, or is being put right here: nothing is to be done. Again does no harm."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.write(_OVER)
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(within_s)
