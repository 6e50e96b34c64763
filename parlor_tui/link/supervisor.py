"""Keeps a core running as a child process and linked; starts it again when it dies, hangs or never gets ready."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from parlor_tui.counts import Count, count
from parlor_tui.events import CoreEvent, now_s
from parlor_tui.link import last_words
from parlor_tui.link.back_off import BackOff
from parlor_tui.link.client import OPEN_S, Link, LinkError
from parlor_tui.link.endings import in_words, memory_kills
from parlor_tui.link.following import Following, Lost, Relinks
from parlor_tui.link.pulse import Patience
from parlor_tui.logfile import open_log
from parlor_tui.settings import Settings

_log = logging.getLogger(__name__)
_START_S = 20.0
_RETIRE_S = 2.0
"""A core that is to make room for another has this long to end in order."""
_DYING_S = 0.3
"""When a core dies its link is gone first, and its process so much later at most."""
_RELINK_S = 1.0

Then = Literal["start", "link", "stop"]
"""What comes after a core was lost: another one is started, the same one is linked to again, or nothing."""


class Supervisor:
    """Runs `command` (a core that takes its token on stdin) and links to it, again and again until `stop`.

    Callbacks come on the supervisor's or the link's threads: `on_up` with a fresh link, `on_event` with what the core
    says, `on_down` with the reason (empty after `restart`) and what comes then. After "stop" nothing does, until
    `restart`.
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        on_up: Callable[[Link], None],
        on_event: Callable[[CoreEvent], None],
        on_down: Callable[[str, Then], None],
        *,
        patience: Patience | None = None,
    ) -> None:
        self._command = list(command)
        self._log = log
        self._on_up = on_up
        self._on_event = on_event
        self._on_down = on_down
        self._patience = patience or Patience()
        self._stopping = threading.Event()
        self._anew = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._link: Link | None = None
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)

    @property
    def core_pid(self) -> int | None:
        """The core's process number, while there is one."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def restart(self) -> None:
        """End the core and start another at once; returns at once. It counts as no crash.

        Without a core: one that was given up on, or waits to be started, is started now. Before `start`: nothing.
        """
        self._anew.set()
        with self._lock:
            link = self._link
        if link is not None:
            link.close()

    def stop(self, timeout_s: float) -> None:
        """End the core, first by closing its stdin, then by force.

        Takes about `timeout_s` at most; for one that hangs so hard that it cannot be asked where, 3 s more.
        """
        self._stopping.set()
        self._anew.set()
        with self._lock:
            process, link = self._process, self._link
        if link is not None:
            link.close()
        if process is not None:
            end(process, timeout_s)
        if self._thread.is_alive():
            self._thread.join(0.5)

    def _run(self) -> None:
        back_off = BackOff()
        while not self._stopping.is_set():
            self._anew.clear()
            following = Following(self._patience, self._on_event)
            try:
                reason = self._once(following)
            except Exception as error:  # noqa: BLE001 - edge of a thread: who waits for a core must hear of it
                _log.exception("supervisor")
                reason = f"what looks after the core failed: {type(error).__name__}; see {self._log}"
            if self._stopping.is_set():
                return
            if not reason:
                self._on_down("", "start")
                continue
            count(Count.CORES_DIED)
            wait_s = back_off.ended(following.useful_s(now_s()))
            self._on_down(reason, "stop" if wait_s is None else "start")
            if wait_s is None:
                self._anew.wait()
                back_off.forgive()
            else:
                self._anew.wait(wait_s)

    def _once(self, following: Following) -> str:
        """Start one core and follow it to its end; the reason for that, in one line; empty if it was to end."""
        kills = memory_kills()

        def why(otherwise: str, within_s: float = _DYING_S) -> str:
            try:
                code = process.wait(within_s)
            except subprocess.TimeoutExpired:
                return otherwise
            return in_words(code, self._log, out_of_memory=memory_kills() > kills)

        token = secrets.token_urlsafe(32)
        try:
            process = self._spawn()
        except OSError as error:
            return f"the core cannot be started: {error}"
        grace_s = 0.0  # one that is of no use any more has nothing to end in order
        try:
            port = self._handshake(process, token, following)
            if port is None:
                return why("the core did not start")
            url, relinks, lost = f"ws://127.0.0.1:{port}/v1/realtime", Relinks(), ""
            while True:
                try:
                    how = self._follow(process.pid, url, token, following, _RELINK_S if lost else OPEN_S)
                except LinkError as error:
                    return why(lost or str(error))
                if how == "retired":
                    grace_s = _RETIRE_S
                    return ""
                lost = following.reason(how)
                ended = why("", _DYING_S if how == "closed" else 0.0)
                if ended or how in ("stopped", "never ready") or self._stopping.is_set() or not relinks.again(now_s()):
                    return ended or lost
                self._on_down(lost, "link")
        finally:
            with self._lock:
                self._link = None
            end(process, grace_s)

    def _follow(self, pid: int, url: str, token: str, following: Following, open_s: float) -> Lost | Literal["retired"]:
        """Link to the core and follow it until that is of no use any more; how it was lost. Raises LinkError."""
        closed = threading.Event()
        link = Link(url, token, following.said, lambda _reason: closed.set(), open_s=open_s)
        with self._lock:
            self._link = link
        lost: Lost = "closed"
        if not self._anew.is_set():  # else another was asked for while there was no link
            self._on_up(link)
            link.start()
            lost = following.watch(link, pid, closed)
        link.close()
        with self._lock:
            self._link = None
        return "retired" if self._anew.is_set() else lost

    def _spawn(self) -> subprocess.Popen[bytes]:
        log_fd, _ = open_log(self._log)
        # On Linux the core ends with the thread that starts it (see `parent`): this one, which lasts as long as it.
        with os.fdopen(log_fd, "ab") as log, self._lock:
            if self._stopping.is_set():
                raise OSError("it is being stopped")
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"PYTHONFAULTHANDLER": "1", "PYTHONUNBUFFERED": "1"},
                # Ctrl+C is for the terminal process, which stops the core in order. In the same session: when the
                # terminal is killed, the system ends a core that stands still as well (SIGHUP, SIGCONT).
                process_group=0,
            )
            return self._process

    def _handshake(self, process: subprocess.Popen[bytes], token: str, following: Following) -> int | None:
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
        greeted = following.greets(talking, process.pid, _START_S)
        return found[0] if greeted and found else None


def end(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """End `process`, the leader of its group: close its stdin, wait, have it say what it is at, then kill it."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        last_words.ask(process)
        if hasattr(os, "killpg"):  # with what it started
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)


def core_command(settings: Settings, config: Path | None, *, apart: bool = False) -> list[str]:
    """The command line of a core as a child, with what of `settings` the file `config` may not hold. It has no secret.

    `apart`: it leaves `core.port`, where a terminal's core can be watched, to that one. `-P`: no module of the folder
    one stands in is run.
    """
    chosen = [
        part
        for name, option in (("profile", "--profile"), ("model", "--model"), ("backend", "--backend"))
        if f"core.{name}" in settings.explicit
        for part in (option, str(getattr(settings.core, name)))
    ]
    file = ["--config", str(config)] if config else []
    return [sys.executable, "-P", "-m", "parlor_tui", "core", *chosen, *file, *(("--port", "0") if apart else ())]
