"""Run a program that may crash or hang in a process of its own, and get its answer, or what became of it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from parlor_tui.events import now_s

_POLL_S = 0.02
_OUTPUT_LIMIT_BYTES = 8_000_000
_READ_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """`answers`: the JSON objects it printed, one a line; `noise`: the last lines of its standard error.

    `fault` says in a few words why it did not end well; empty if it did.
    """

    answers: tuple[Mapping[str, Any], ...]
    noise: tuple[str, ...]
    fault: str


def run_throwaway(
    command: Sequence[str], request: Mapping[str, Any], *, timeout_s: float, cancelled: threading.Event | None = None
) -> Outcome:
    """Run `command` with `request` as one line of JSON on its standard input, and wait for its end.

    It is killed after `timeout_s`, soon after `cancelled`, and when it prints without end. Its standard input stays
    open until it is over, so that it can tell when its parent is gone (`read_request`).
    """
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as noise:
        try:
            child = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=noise,
                creationflags=flags,
            )
        except OSError as error:
            return Outcome((), (), f"{Path(command[0]).name} cannot be run: {error.strerror}")
        try:
            with contextlib.suppress(OSError):  # one that dies before it reads has its own fault to tell
                _stdin(child).write(json.dumps(request).encode() + b"\n")
                _stdin(child).flush()
            fault = _watch(child, (output, noise), timeout_s, cancelled)
        finally:
            _kill(child)
        answers = tuple(_answers(_tail(output)))
        return Outcome(answers, tuple(line for line in _tail(noise) if line.strip()), fault)


def read_request() -> dict[str, Any]:
    """In the child: what it is to do. From here on it ends with its parent, and leaves no core file behind."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return request


def answer(**values: Any) -> None:
    """In the child: give out one answer."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def leave() -> NoReturn:
    """In the child: end at once. A native library that crashes as it is taken down has answered all the same."""
    sys.stdout.flush()
    os._exit(0)


def _watch(
    child: subprocess.Popen[bytes], files: Sequence[IO[bytes]], timeout_s: float, cancelled: threading.Event | None
) -> str:
    until_s = now_s() + timeout_s
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return _end_in_words(child.wait(_POLL_S))
        if cancelled is not None and cancelled.is_set():
            return "cancelled"
        if now_s() > until_s:
            return f"did not end within {timeout_s:g} s"
        if any(os.fstat(file.fileno()).st_size > _OUTPUT_LIMIT_BYTES for file in files):
            return "printed without end"


def _end_in_words(code: int) -> str:
    if code == 0:
        return ""
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"crashed: {signal.Signals(-code).name}"
    if code < 0 or code > 0xFFFF:  # a signal without a name; Windows gives the number of the exception
        return f"crashed: {code & 0xFFFFFFFF:#x}"
    return f"failed with code {code}"


def _stdin(child: subprocess.Popen[bytes]) -> IO[bytes]:
    if child.stdin is None:
        raise AssertionError("a child's input is a pipe")
    return child.stdin


def _kill(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.kill()
    with contextlib.suppress(OSError):
        _stdin(child).close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=5)


def _tail(file: IO[bytes]) -> list[str]:
    size_bytes = file.seek(0, os.SEEK_END)
    file.seek(max(0, size_bytes - _READ_BYTES))
    return file.read().decode("utf-8", "replace").splitlines()


def _answers(lines: Sequence[str]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for line in lines:
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


def _end_with_parent() -> None:
    """End this process when its standard input closes: whoever waited for the answer is gone."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):  # below the stream, whose lock a thread that blocks here would hold at the exit
            pass
    os._exit(1)
