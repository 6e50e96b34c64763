"""Keeps a core running as a child process and linked; starts it again when it dies."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from parlor_tui.events import CoreEvent, now_s
from parlor_tui.link.client import Link, LinkError
from parlor_tui.link.wire import WEDGED_EXIT
from parlor_tui.logfile import open_log
from parlor_tui.settings import Settings

_log = logging.getLogger(__name__)
_START_S = 20.0
_BACK_OFF_S = (0.2, 1.0, 2.0, 4.0, 8.0)
_RETIRE_S = 2.0
"""A core that is to make room for another has this long to end in order."""
_FORGIVEN_AFTER_S = 60.0
"""Crashes longer ago than this do not count towards the limit."""


class Supervisor:
    """Runs `command` (a core that takes its token on stdin) and links to it, again and again until `stop`.

    Callbacks come on the supervisor's or the link's threads: `on_up` with a fresh link, `on_event` with what the core
    says, `on_down` with the reason (empty after `restart`) and whether it will be tried again.
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        on_up: Callable[[Link], None],
        on_event: Callable[[CoreEvent], None],
        on_down: Callable[[str, bool], None],
    ) -> None:
        self._command = list(command)
        self._log = log
        self._on_up = on_up
        self._on_event = on_event
        self._on_down = on_down
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._link: Link | None = None
        self._retired: Link | None = None
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)

    @property
    def core_pid(self) -> int | None:
        """The core's process number, while there is one."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def restart(self) -> None:
        """End the core and start another at once; returns at once. It counts as no crash. Without a core: nothing."""
        with self._lock:
            self._retired = link = self._link
        if link is not None:
            link.close()

    def stop(self, timeout_s: float) -> None:
        """End the core, first by closing its stdin, then by force. Takes about `timeout_s` at most."""
        self._stopping.set()
        with self._lock:
            process, link = self._process, self._link
        if link is not None:
            link.close()
        if process is not None:
            end(process, timeout_s)
        if self._thread.is_alive():
            self._thread.join(0.5)

    def _run(self) -> None:
        crashes: deque[float] = deque(maxlen=len(_BACK_OFF_S) + 1)
        while not self._stopping.is_set():
            reason = self._once()
            if self._stopping.is_set():
                return
            if not reason:
                self._on_down("", True)
                continue
            crashes.append(now_s())
            while crashes and crashes[0] < now_s() - _FORGIVEN_AFTER_S:
                crashes.popleft()
            again = len(crashes) <= len(_BACK_OFF_S)
            self._on_down(reason, again)
            if not again:
                return
            self._stopping.wait(_BACK_OFF_S[len(crashes) - 1])

    def _once(self) -> str:
        """Start one core and follow it to its end; the reason for that, in one line; empty if it was to end."""
        token = secrets.token_urlsafe(32)
        try:
            process = self._spawn()
        except OSError as error:
            return f"the core cannot be started: {error}"
        closed = threading.Event()
        grace_s = 0.5
        try:
            port = self._handshake(process, token)
            if port is None:
                return self._why(process, "the core did not start")
            url = f"ws://127.0.0.1:{port}/v1/realtime"
            link = Link(url, token, self._on_event, lambda _reason: closed.set())
            with self._lock:
                self._link = link
            self._on_up(link)
            link.start()
            closed.wait()
            with self._lock:
                retired = self._retired is link
            if retired:
                grace_s = _RETIRE_S
                return ""
            return self._why(process, "the link to the core was lost")
        except LinkError as error:
            return str(error)
        finally:
            with self._lock:
                self._link = None
            end(process, grace_s)

    def _spawn(self) -> subprocess.Popen[bytes]:
        log_fd, _ = open_log(self._log)
        with os.fdopen(log_fd, "ab") as log, self._lock:
            if self._stopping.is_set():
                raise OSError("it is being stopped")
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"PYTHONFAULTHANDLER": "1", "PYTHONUNBUFFERED": "1"},
                start_new_session=True,  # Ctrl+C is for the terminal process, which stops the core in order
            )
            return self._process

    def _handshake(self, process: subprocess.Popen[bytes], token: str) -> int | None:
        """Give the token, get the port; None if the core ends or says nothing in time."""
        found: list[int] = []
        to_core, from_core = process.stdin, process.stdout
        if to_core is None or from_core is None:
            return None

        def talk() -> None:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                to_core.write(json.dumps({"token": token}).encode() + b"\n")
                to_core.flush()
                found.append(int(json.loads(from_core.readline())["port"]))

        talking = threading.Thread(target=talk, name="core-handshake", daemon=True)
        talking.start()
        talking.join(_START_S)
        return found[0] if found else None

    def _why(self, process: subprocess.Popen[bytes], otherwise: str) -> str:
        try:
            code = process.wait(0.5)
        except subprocess.TimeoutExpired:
            return otherwise
        if code == WEDGED_EXIT:
            return "the model hung and was given up on"
        if code < 0:
            return f"the core was killed by signal {-code}"
        return f"the core ended with code {code}" + (f"; see {self._log}" if code else "")


def end(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """End `process`: close its stdin, wait, then kill it."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)


def core_command(settings: Settings, config: Path | None) -> list[str]:
    """The command line of a core as a child, with what of `settings` the file `config` may not hold. It has no secret.

    `-P`: no module of the folder one stands in is run.
    """
    chosen = [
        part
        for name, option in (("profile", "--profile"), ("model", "--model"), ("backend", "--backend"))
        if f"core.{name}" in settings.explicit
        for part in (option, str(getattr(settings.core, name)))
    ]
    file = ["--config", str(config)] if config else []
    return [sys.executable, "-P", "-m", "parlor_tui", "core", *chosen, *file]
