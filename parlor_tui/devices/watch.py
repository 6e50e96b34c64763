"""Notices devices that come and go, cheaply: a glance at what the system shows anyway, and a list only if that changed.

The list is made by a process of its own (see `listing`). On Linux the glance is at the names of cameras and sound
cards, and a `pactl subscribe` tells of the sound server's devices. Elsewhere nothing can be glanced at: there a list is
made from time to time while somebody chooses.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from parlor_tui.devices.listing import Found, parse
from parlor_tui.devices.routes import OnRoutes, RouteWatch, tells_of_routes
from parlor_tui.events import now_s

GLANCE_S = 1.0
SETTLE_S = 0.4
"""One thing that is plugged in shows up as several devices, one after the other."""
CHOOSING_S = 3.0
"""While somebody chooses, a list this often, where nothing tells of changes."""
LIST_WITHIN_S = 8.0
SERVER_AGAIN_S, SERVER_LATER_S = 1.0, 60.0
"""A sound server that ended is looked for after the first, and less and less often up to the second."""
SERVER_ANSWERS_S = 0.25
_TOLD = ("on source ", "on sink ", "on card ")
_MATTERS = ("'new'", "'remove'")

Glance = tuple[str, ...] | None


def glance(dev: Path = Path("/dev"), cards: Path = Path("/proc/asound/cards")) -> Glance:
    """What changes with the devices and costs nothing to read; None where there is nothing of that kind."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        told = cards.read_text(encoding="utf-8", errors="replace")
    except OSError:
        told = ""
    return (*sorted(node.name for node in dev.glob("video[0-9]*")), told)


def list_in_child() -> Found | None:
    """What is there now, listed by a process of its own; None if that came to nothing."""
    command = [sys.executable, "-P", "-m", "parlor_tui.devices.listing"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LIST_WITHIN_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse(done.stdout.decode("utf-8", "replace"))


def tells_of_devices(line: str) -> bool:
    """Whether a line of `pactl subscribe` means that a device came or went, and not that somebody plays."""
    return any(kind in line for kind in _MATTERS) and any(what in line for what in _TOLD)


class Watcher:
    """`on_change(found, came)` is called on the watcher's thread with the first list, and whenever it is another one.

    `came` are the names that were not there before; none of the first list. `on_routes`, on another thread, with where
    the sound server has put this process's streams, whenever that changes; only where a server tells.
    """

    def __init__(
        self,
        on_change: Callable[[Found, tuple[str, ...]], None],
        *,
        on_routes: OnRoutes | None = None,
        list_now: Callable[[], Found | None] = list_in_child,
        look: Callable[[], Glance] = glance,
        subscribe: bool = True,
    ) -> None:
        self._on_change = on_change
        self._routes = RouteWatch(on_routes) if on_routes is not None else None
        self._list_now = list_now
        self._look = look
        self._subscribe = subscribe
        self._known: Found | None = None
        self._choosing = False
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._knock = threading.Event()
        self._due = True
        self._server: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; the first list comes soon. Started already: nothing happens."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="device watch", daemon=True)
            self._thread.start()
            if self._subscribe and shutil.which("pactl") is not None:
                threading.Thread(target=self._listen_to_server, name="sound server watch", daemon=True).start()

    def choosing(self, wanted: bool) -> None:
        """Somebody is choosing: list at once, and now and then where nothing tells of changes."""
        self._choosing = wanted
        if wanted:
            self._ask()

    def look_at_routes(self) -> None:
        """A stream is another one, so there is a server: where it put it is told soon, in any case."""
        self._knock.set()
        if self._routes is not None and self._server is not None:
            self._routes.stir(anew=True)

    def stop(self, timeout_s: float = 1.0) -> None:
        """End it. A list that is being made is left to its thread."""
        self._stop.set()
        self._wake.set()
        self._knock.set()
        if self._routes is not None:
            self._routes.stop()
        with self._lock:
            if self._server is not None:
                self._server.terminate()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _ask(self) -> None:
        self._due = True
        self._wake.set()

    def _run(self) -> None:
        seen = self._look()
        listed_s = now_s()
        while not self._stop.is_set():
            if self._due:
                self._due = False
                self._list()
                listed_s = now_s()
            self._wake.wait(GLANCE_S)
            if self._wake.is_set():
                self._wake.clear()
                if self._known is not None:
                    self._stop.wait(SETTLE_S)
            before, seen = seen, self._look()
            if seen != before or (seen is None and self._choosing and now_s() - listed_s >= CHOOSING_S):
                self._due = True

    def _list(self) -> None:
        found = self._list_now()
        before = self._known
        if found is None or found == before or self._stop.is_set():
            return
        self._known = found
        came = () if before is None else tuple(name for name in _in_order(found) if name not in before.names)
        self._on_change(found, came)

    def _listen_to_server(self) -> None:
        """Ask for a list whenever the sound server says so; a server that ends is asked again once it is back."""
        again, again_s = False, SERVER_AGAIN_S
        while not self._stop.is_set():
            try:
                with self._lock:
                    if self._stop.is_set():
                        return
                    self._server = subprocess.Popen(
                        ["pactl", "subscribe"],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        text=True,
                        env={**os.environ, "LC_ALL": "C"},  # its words are read
                    )
            except OSError:
                return
            if answers := self._answers(self._server):
                self._stir()
                if again:  # what changed while nobody listened
                    self._ask()
            with self._server as server:
                for line in server.stdout or ():
                    if tells_of_devices(line):
                        self._ask()
                    if tells_of_routes(line):
                        self._stir()
            if answers:
                self._ask()
            again, again_s = True, SERVER_AGAIN_S if answers else min(2 * again_s, SERVER_LATER_S)
            self._knock.wait(again_s)
            self._knock.clear()

    def _stir(self) -> None:
        if self._routes is not None:
            self._routes.stir()

    @staticmethod
    def _answers(server: subprocess.Popen[str]) -> bool:
        """Whether there is a server: without one `pactl` ends at once."""
        try:
            server.wait(SERVER_ANSWERS_S)
        except subprocess.TimeoutExpired:
            return True
        return False


def _in_order(found: Found) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*found.microphones, *found.speakers, *found.cameras)))
