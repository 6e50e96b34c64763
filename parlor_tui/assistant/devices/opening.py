"""Opens a device on a thread of its own: a sound system or a camera may take seconds, or hang.

What came of it is put into the assistant's inbox; one that nobody wants any more is stopped where it was opened.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from parlor_tui.devices.base import DeviceError
from parlor_tui.events import DeviceKind
from parlor_tui.settings import SettingsError

_log = logging.getLogger(__name__)
AT_WORK_AT_MOST = 3
"""Threads of one kind that hang in an opening; more are not begun."""
STOP_S = 0.5


class Device(Protocol):
    """What microphones, speakers and cameras have in common."""

    label: str

    def stop(self, timeout_s: float = 1.0) -> None:
        """End it within `timeout_s` whatever the device does."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What came of opening number `attempt`: the device, started; None for `none` and where `trouble` says why not.

    `forgotten` says why the choice could not be written into the settings file.
    """

    kind: DeviceKind
    attempt: int
    device: Device | None
    trouble: str = ""
    forgotten: str = ""


class Opening:
    """Openings of one kind of device. Used by one thread; `put` is called on others."""

    def __init__(self, kind: DeviceKind, put: Callable[[Opened], None]) -> None:
        self._kind = kind
        self._put = put
        self._lock = threading.Lock()
        self._at_work = 0
        self._newest = 0
        self._closed = False

    @property
    def newest(self) -> int:
        """The number of the opening that counts; what an earlier one brings is stopped."""
        return self._newest

    @property
    def has_room(self) -> bool:
        """Whether one more can begin; if not it fails at once, and its `start` is not called."""
        with self._lock:
            return self._at_work < AT_WORK_AT_MOST

    def begin(self, start: Callable[[], Device | None], remember: Callable[[], None] | None = None) -> int:
        """Open by `start` (raises DeviceError), then `remember` it (raises SettingsError). The opening's number."""
        with self._lock:
            self._newest += 1
            attempt = self._newest
            if self._at_work >= AT_WORK_AT_MOST:
                busy = Opened(self._kind, attempt, None, f"the {self._kind} does not answer: unplug it, or start again")
            else:
                self._at_work += 1
                busy = None
        if busy is not None:
            self._put(busy)
        else:
            arguments = (attempt, start, remember)
            threading.Thread(target=self._run, args=arguments, name=f"open {self._kind}", daemon=True).start()
        return attempt

    def forget(self) -> None:
        """What is being opened is not wanted any more."""
        with self._lock:
            self._newest += 1

    def close(self) -> None:
        """Nothing is wanted any more."""
        with self._lock:
            self._closed = True

    def _run(self, attempt: int, start: Callable[[], Device | None], remember: Callable[[], None] | None) -> None:
        try:
            opened = Opened(self._kind, attempt, start())
        except DeviceError as error:
            opened = Opened(self._kind, attempt, None, str(error))
        except Exception as error:  # noqa: BLE001 - the edge of a thread: whatever a driver raises is told, and the talk goes on
            _log.exception("opening the %s", self._kind)
            opened = Opened(self._kind, attempt, None, f"the {self._kind} cannot be used: {type(error).__name__}")
        with self._lock:
            self._at_work -= 1
            wanted = attempt == self._newest and not self._closed
        if wanted and not opened.trouble and remember is not None:
            opened = replace(opened, forgotten=_remembered(remember))
        if wanted:
            self._put(opened)
        elif opened.device is not None:
            opened.device.stop(STOP_S)


def _remembered(remember: Callable[[], None]) -> str:
    try:
        remember()
    except SettingsError as error:
        return str(error)
    return ""


def stop_later(device: Device) -> None:
    """Stop `device` on a thread of its own: nobody waits for it."""
    threading.Thread(target=device.stop, args=(STOP_S,), name="stop device", daemon=True).start()
