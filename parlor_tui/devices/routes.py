"""Where the sound server has put the streams of this process, and whether they are muted there.

PulseAudio, and PipeWire in its place, moves a stream whose device is gone to another one, and tells the stream nothing:
a recording may go on from what the speaker plays. Asked through `pactl`; without it nothing is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from parlor_tui.devices.pulse import ANSWER_S, can_ask
from parlor_tui.events import now_s

SETTLE_S = 0.1
"""A device that goes and the stream that moves are told one after the other."""
_STREAMS = ("on source-output ", "on sink-input ")
_DEVICES = ("on source ", "on sink ")


@dataclass(frozen=True, slots=True)
class Route:
    """The server's device that a stream is on: its own `name`, and what people call it.

    `monitor`: it is no microphone, but what a speaker plays. `muted`: it, or the stream, is muted or turned down to 0.
    """

    name: str
    description: str
    monitor: bool = False
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Routes:
    """Where this process's newest recording and playback are, None where there is none; `there`: all devices' names."""

    microphone: Route | None = None
    speaker: Route | None = None
    there: frozenset[str] = frozenset()


OnRoutes = Callable[[Routes, float], None]
"""Called with the routes and with when they were asked for, on `events.now_s`."""


def tells_of_routes(line: str) -> bool:
    """Whether a line of `pactl subscribe` may mean that a stream is elsewhere now, or muted, or can be."""
    return any(what in line for what in (*_STREAMS, *_DEVICES))


def look() -> Routes | None:
    """Ask the server; None where there is none that answers."""
    if not can_ask():
        return None
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}  # of some languages the numbers are no JSON
    try:
        done = subprocess.run(
            ["pactl", "--format=json", "list"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=ANSWER_S,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_routes(done.stdout.decode("utf-8", "replace"), os.getpid()) if done.returncode == 0 else None


def parse_routes(listed: str, process: int) -> Routes | None:
    """What `pactl --format=json list` says of the streams of `process`; None if that is no such list."""
    try:
        found: Any = json.loads(listed)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    sources, sinks = _numbered(found.get("sources")), _numbered(found.get("sinks"))
    devices = (*sources.values(), *sinks.values())
    return Routes(
        _route(found.get("source_outputs"), "source", sources, process),
        _route(found.get("sink_inputs"), "sink", sinks, process),
        frozenset(str(one.get("name")) for one in devices),
    )


def _numbered(listed: Any) -> dict[int, Mapping[str, Any]]:
    return {one["index"]: one for one in _objects(listed) if isinstance(one.get("index"), int)}


def _objects(listed: Any) -> list[Mapping[str, Any]]:
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _route(streams: Any, end: str, devices: Mapping[int, Mapping[str, Any]], process: int) -> Route | None:
    """Of the newest stream of `process`; `end` is what its device is called in it."""
    own = [one for one in _numbered(streams).values() if _is_of(one, process)]
    stream = max(own, key=lambda one: int(one["index"]), default=None)
    number = stream.get(end) if stream is not None else None
    device = devices.get(number) if isinstance(number, int) else None
    if stream is None or device is None:
        return None
    name = str(device.get("name"))
    monitor = end == "source" and bool(device.get("monitor_source")) and name.endswith(".monitor")
    return Route(name, str(device.get("description") or name), monitor, _is_silent(stream) or _is_silent(device))


def _is_of(stream: Mapping[str, Any], process: int) -> bool:
    properties = stream.get("properties")
    return isinstance(properties, dict) and properties.get("application.process.id") == str(process)


def _is_silent(one: Mapping[str, Any]) -> bool:
    """Muted, or turned down to nothing on every channel."""
    volume = one.get("volume")
    channels = _objects(list(volume.values())) if isinstance(volume, dict) else []
    return one.get("mute") is True or (bool(channels) and all(channel.get("value") == 0 for channel in channels))


class RouteWatch:
    """`on_change(routes, asked_at_s)` is called on a thread of its own whenever the routes are other ones.

    It looks when it is stirred.
    """

    def __init__(self, on_change: OnRoutes, look_now: Callable[[], Routes | None] = look) -> None:
        self._on_change = on_change
        self._look = look_now
        self._known: Routes | None = None
        self._anew = False
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._stirred = threading.Event()
        self._thread: threading.Thread | None = None

    def stir(self, *, anew: bool = False) -> None:
        """Something may be elsewhere now. `anew`: the routes are told even if they are those that were told last."""
        with self._lock:
            self._anew = self._anew or anew
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="routes", daemon=True)
                self._thread.start()
        self._stirred.set()

    def stop(self) -> None:
        """End it; a server that is being asked is left to its thread."""
        self._stop.set()
        self._stirred.set()

    def _run(self) -> None:
        while True:
            self._stirred.wait()
            if self._stop.wait(SETTLE_S):
                return
            self._stirred.clear()
            with self._lock:
                anew, self._anew = self._anew, False
            asked_at_s, routes = now_s(), self._look()
            if routes is not None and (anew or routes != self._known) and not self._stop.is_set():
                self._known = routes
                self._on_change(routes, asked_at_s)
