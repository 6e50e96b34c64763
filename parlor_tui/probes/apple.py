"""Apple's chips, through actop, which needs no rights. It measures for a second at a time, on a thread of its own."""

from __future__ import annotations

import logging
import platform
import sys
import threading
from collections.abc import Callable
from typing import Any

from parlor_tui.events import Reading

_log = logging.getLogger(__name__)
_EVERY_S = 1.0
_STALE_S = 10.0
"""What is older than this is no longer known."""
_PRESSED = ("serious", "critical")
"""The states of heat in which macOS holds the chip down; at `fair` only fans are louder."""


class AppleProbe:
    """See `probes.base.Probe`. `open_monitor` makes the monitor, given the event that ends its waiting."""

    def __init__(self, open_monitor: Callable[[threading.Event], Any], name: str, clock: Callable[[], float]) -> None:
        self._open_monitor = open_monitor
        self._name = name
        self._clock = clock
        self._latest: tuple[float, Reading] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._measure, name="apple", daemon=True)
        self._thread.start()

    def read(self, at_s: float) -> Reading:
        """See Probe: what was measured last."""
        latest = self._latest
        if latest is None or at_s - latest[0] > _STALE_S:
            return Reading(gpu_name=self._name)
        return latest[1]

    def close(self) -> None:
        """See Probe."""
        self._ended.set()

    def _measure(self) -> None:
        try:
            monitor = self._open_monitor(self._ended)
            try:
                while not self._ended.is_set():
                    self._latest = self._clock(), reading_of(monitor.get_snapshot(), self._name)
            finally:
                monitor.close()
        except Exception:  # noqa: BLE001 - the edge of the thread: private calls of macOS may fail in any way
            _log.warning("no readings of this chip", exc_info=True)


def reading_of(snapshot: Any, name: str) -> Reading:
    """A snapshot of actop as a reading. It writes 0 for what it does not know; an idle GPU has no clock, either."""
    state = str(snapshot.thermal_state).lower()
    pressure = state if state in ("nominal", "fair", *_PRESSED) else None
    known = snapshot.gpu_max_freq_mhz > 0 or snapshot.gpu_util_source == "ioaccelerator"
    fans = list(snapshot.fans) if snapshot.fan_available else []
    fastest = max(fans, key=lambda fan: float(fan.current), default=None)
    return Reading(
        gpu_name=name,
        gpu_busy_percent=min(max(float(snapshot.gpu_util_pct), 0.0), 100.0) if known else None,
        gpu_temperature_c=_unless_zero(snapshot.gpu_temp_c),
        gpu_power_w=_unless_zero(snapshot.gpu_watts),
        gpu_clock_mhz=_unless_zero(snapshot.gpu_freq_mhz),
        gpu_clock_max_mhz=_unless_zero(snapshot.gpu_max_freq_mhz),
        throttled=True if pressure in _PRESSED else None,
        throttle_reason=f"heat {pressure}" if pressure in _PRESSED else "",
        fan_rpm=None if fastest is None else float(fastest.current),
        fan_percent=None if fastest is None or not fastest.max else min(100.0, 100.0 * fastest.current / fastest.max),
        thermal_pressure=pressure,
        cpu_temperature_c=_unless_zero(snapshot.cpu_temp_c),
    )


def _unless_zero(value: float) -> float | None:
    return float(value) if value > 0 else None


def open_apple(clock: Callable[[], float], system: str = sys.platform) -> AppleProbe | None:
    """The probe of an Apple chip; None on any other machine. `clock` is `now_s`."""
    if system != "darwin" or platform.machine() != "arm64":
        return None
    return AppleProbe(_monitor, "Apple GPU", clock)


def _monitor(ended: threading.Event) -> Any:
    from actop import Monitor

    return Monitor(_EVERY_S, stop_event=ended)
