"""Run a child process that downloads, watched: it answers in time, it does not stall, and it dies when it is to."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from parlor_tui.events import now_s
from parlor_tui.models import guarded
from parlor_tui.models.base import Cancelled, SourceFault, Watch

POLL_S = 0.1
START_S = 60.0
"""A child that prints nothing at all in this time did not start: a loaded machine is slow, but not that slow."""
KEPT_LINES = 400


def run_child(
    command: Sequence[str],
    watch: Watch,
    *,
    folder: Path,
    environment: Mapping[str, str],
    answered: Callable[[str], bool],
    on_line: Callable[[str], object] = len,
    arrived_bytes: Callable[[], int] = lambda: 0,
    reason: Callable[[Sequence[str]], str],
) -> None:
    """Run `command` in `folder` to its end.

    `answered(line)` tells whether a line shows that the far side answered; `arrived_bytes()` is what is on disk so far,
    and growth is an answer too. `on_line` gets every line. `reason(lines)` finds in the last lines why it went wrong.
    When we die it dies, too, with all that it started (see `guarded`).
    Raises Cancelled within a second of `watch.cancelled`; SourceFault if the child does not start, fails, gets no
    answer within `watch.connect_s` of its first line, or stalls for `watch.stall_s`. It is dead by then, with all that
    it started.
    """
    child = _start(command, folder, environment)
    lines: queue.Queue[str | None] = queue.Queue(maxsize=KEPT_LINES)
    over = threading.Event()
    reader = threading.Thread(target=_read, args=(child.stdout, lines, over), name="download-output", daemon=True)
    reader.start()
    kept: deque[str] = deque(maxlen=KEPT_LINES)
    phase, since_s, limit_s, seen_bytes = "start", now_s(), START_S, arrived_bytes()
    try:
        while True:
            if watch.cancelled.is_set():
                raise Cancelled("cancelled")
            news = _drain(lines, kept, on_line)
            if news is None:
                if child.wait(timeout=watch.stall_s) != 0:
                    raise SourceFault(reason(kept) or f"its program failed with code {child.returncode}")
                return
            grown = arrived_bytes()
            if grown != seen_bytes or (phase != "flow" and any(answered(line) for line in news)):
                phase, since_s, limit_s, seen_bytes = "flow", now_s(), watch.stall_s, grown
            elif news and phase == "start":
                phase, since_s, limit_s = "answer", now_s(), watch.connect_s
            elif news and phase == "flow":
                since_s = now_s()
            if now_s() - since_s > limit_s:
                why = reason(kept)
                raise SourceFault(_late(phase, limit_s) + (f" ({why})" if why else ""))
    except subprocess.TimeoutExpired:
        raise SourceFault("its program closed its output and did not end") from None
    finally:
        over.set()
        kill(child)
        reader.join(timeout=2)
        if child.stdout is not None and not reader.is_alive():
            child.stdout.close()


def _late(phase: str, limit_s: float) -> str:
    what = {"start": "its program did not start", "answer": "no answer", "flow": "stalled: nothing came"}[phase]
    return f"{what} within {limit_s:g} s"


def _start(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    if shutil.which(command[0]) is None:
        raise SourceFault(f"{Path(command[0]).name} cannot be run: it is not there")
    try:
        return subprocess.Popen(
            [sys.executable, "-I", str(Path(guarded.__file__)), *command],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            creationflags=flags,
        )
    except OSError as error:
        raise SourceFault(f"{Path(command[0]).name} cannot be run: {error.strerror}") from None


def _read(output: IO[bytes] | None, lines: queue.Queue[str | None], over: threading.Event) -> None:
    """Pass lines on until the output ends or nobody wants them; then None."""
    if output is None:
        raise AssertionError("a child's output is a pipe")
    with contextlib.suppress(OSError, ValueError):
        for line in output:
            if over.is_set():
                return
            _put(lines, line.decode("utf-8", "replace").rstrip(), over)
    _put(lines, None, over)


def _put(lines: queue.Queue[str | None], line: str | None, over: threading.Event) -> None:
    while not over.is_set():
        with contextlib.suppress(queue.Full):
            lines.put(line, timeout=POLL_S)
            return


def _drain(lines: queue.Queue[str | None], kept: deque[str], on_line: Callable[[str], object]) -> list[str] | None:
    """The lines that came within `POLL_S`; None at the end."""
    news: list[str] = []
    with contextlib.suppress(queue.Empty):
        line = lines.get(timeout=POLL_S)
        while True:
            if line is None:
                return None
            kept.append(line)
            news.append(line)
            on_line(line)
            line = lines.get_nowait()
    return news


def kill(child: subprocess.Popen[bytes]) -> None:
    """End `child` and everything it started; nothing happens if it is over."""
    if sys.platform == "win32":
        if child.poll() is None:
            subprocess.run(
                ["taskkill", "/PID", str(child.pid), "/T", "/F"], check=False, capture_output=True, timeout=10
            )
    elif child.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=5)
