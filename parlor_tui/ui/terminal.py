"""Keeps the terminal for the screen alone, and gives it back whole.

Sound, camera and model libraries print on file descriptors 1 and 2, from C, whenever they like. While the screen is
up both lead into a log file; the screen draws on a copy of the terminal that nobody else knows.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlor_tui.logfile import LIMIT_BYTES, old_log, open_log
from parlor_tui.ui.caretaker import Caretaker

RESTORE_PATIENCE_S = 0.2
_LEAVE_SEQUENCES = (
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"  # mouse reports off
    "\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # bracketed paste, focus and resize reports off
    "\x1b[<u"  # keyboard protocol back
    "\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[0m"  # line wrap, main screen, cursor, plain colours
)


class NoTerminalError(Exception):
    """There is no terminal to draw on. The message is one line."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """The screen's own terminal, and the log beside it."""

    tty_fd: int
    log_fd: int
    log_path: Path
    modes: Any
    caretaker: Caretaker | None = None

    def write_log(self, text: str) -> None:
        """Append `text` to the log. Never raises: there is nowhere to tell."""
        with contextlib.suppress(OSError):
            os.write(self.log_fd, text.encode("utf-8", "replace"))

    def trim_log(self) -> None:
        """Start the log anew once it is longer than `LIMIT_BYTES`; one old log is kept."""
        with contextlib.suppress(OSError):
            if os.fstat(self.log_fd).st_size > LIMIT_BYTES:
                shutil.copyfile(self.log_path, old_log(self.log_path))
                os.ftruncate(self.log_fd, 0)

    def restore(self) -> None:
        """Leave the screen by force: for the ways out on which it cannot do so itself. Waits 0.2 s at most."""
        if is_served(os.environ):
            return  # what goes over the pipe is no terminal's language, and its end is end enough
        writer = threading.Thread(target=self._restore, name="terminal-restore", daemon=True)
        writer.start()
        writer.join(RESTORE_PATIENCE_S)

    def _restore(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self.tty_fd, _LEAVE_SEQUENCES.encode())
        if self.modes is not None:
            import termios

            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(0, termios.TCSANOW, self.modes)
        if self.caretaker is not None:
            self.caretaker.over(0.0)


def terminal_modes() -> Any:
    """The line settings of the terminal on standard input; None where there are none to keep."""
    try:
        import termios
    except ImportError:
        return None
    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


def is_served(environment: Mapping[str, str]) -> bool:
    """Whether the screen is drawn by a program that started it, as `parlor-tui web` does, over a pipe."""
    return environment.get("TEXTUAL_DRIVER", "").endswith("WebDriver")


def check_terminal() -> int:
    """The descriptor of the terminal to draw on. Raises NoTerminalError."""
    if is_served(os.environ):
        return 1
    if not os.isatty(0):
        raise NoTerminalError("the screen needs a terminal to read keys from, and standard input is none")
    for fd in (2, 1):
        if os.isatty(fd):
            return fd
    raise NoTerminalError("the screen needs a terminal to draw on, and neither standard output nor error is one")


@contextlib.contextmanager
def own_terminal(log_path: Path) -> Iterator[Terminal]:
    """Give the terminal to the screen and send everything else into the log; undo both at the end.

    On Windows only the copy is made: there the console belongs to the standard handles, and a screen cannot be drawn
    once they lead elsewhere. Raises NoTerminalError.
    """
    source_fd = check_terminal()
    log_fd, log_path = open_log(log_path)
    if sys.platform == "win32":
        try:
            yield Terminal(source_fd, log_fd, log_path, None)
        finally:
            os.close(log_fd)
        return
    _flush()
    kept = {fd: os.dup(fd) for fd in (1, 2)}
    tty_fd = os.dup(source_fd)
    streams = sys.__stdout__, sys.__stderr__
    caretaker: Caretaker | None = None
    # A writer that meets a lone surrogate would raise, and the screen would stand still: hence "replace".
    tty = os.fdopen(tty_fd, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)
    try:
        # The screen draws on `sys.__stderr__` and asks `sys.__stdout__` for its size.
        sys.__stdout__ = sys.__stderr__ = tty  # type: ignore[misc]
        for fd in kept:
            os.dup2(log_fd, fd)
        caretaker = None if is_served(os.environ) else Caretaker(tty_fd, _LEAVE_SEQUENCES)
        yield Terminal(tty_fd, log_fd, log_path, terminal_modes(), caretaker)
    finally:
        if caretaker is not None:
            caretaker.over()
        _flush()
        sys.__stdout__, sys.__stderr__ = streams  # type: ignore[misc]
        for fd, copy in kept.items():
            os.dup2(copy, fd)
            os.close(copy)
        with contextlib.suppress(OSError, ValueError):
            tty.flush()
        os.close(tty_fd)
        os.close(log_fd)


def _flush() -> None:
    """Write out what Python and C still hold for descriptors 1 and 2, so that it goes where it was meant to."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).fflush(None)
