"""Looks at the camera a few times a second, on a thread of its own: for the screen, and for whether it lives."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import Camera, DeviceError
from parlor_tui.devices.pacing import StallWatch
from parlor_tui.events import CameraFrame, now_s

_log = logging.getLogger(__name__)
EVERY_S = 0.25
NOT_SHOWN_S = 0.3
WIDEST_PX, TALLEST_PX = 96, 72
FIRST_S, GONE_S = 5.0, 0.5
"""A camera takes its time for the first picture. Later one that has none for this long has gone; a device's own picture
is none any more a second after the last one came."""
CHANGED_LEVELS = 1.5
"""A camera's noise stays below this mean difference of levels (0..255); a hand that moves does not."""


def has_changed(before: NDArray[np.uint8] | None, now: NDArray[np.uint8]) -> bool:
    """Whether the pictures, each (height, width, 3), differ by more than noise."""
    if before is None or before.shape != now.shape:
        return True
    difference = np.abs(before.astype(np.int16) - now.astype(np.int16))
    return float(difference.mean()) >= CHANGED_LEVELS


class Looking:
    """`on_frame` and `on_gone(reason, camera)` are called on its thread, `on_gone` once for each camera."""

    def __init__(self, on_frame: Callable[[CameraFrame], None], on_gone: Callable[[str, Camera], None]) -> None:
        self._on_frame = on_frame
        self._on_gone = on_gone
        self._lock = threading.Lock()
        self._camera: Camera | None = None
        self._shown = False
        self._fresh = False
        self._wake = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    def at(self, camera: Camera | None) -> None:
        """Look at this camera from now on."""
        with self._lock:
            self._camera = camera
            self._fresh = True
            if camera is not None and self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="looking", daemon=True)
                self._thread.start()
        self._wake.set()

    def show(self, wanted: bool) -> None:
        """Whether anybody wants to see the frames."""
        with self._lock:
            self._fresh = self._fresh or wanted
            self._shown = wanted
        self._wake.set()

    def close(self) -> None:
        """End it; its thread ends by itself."""
        with self._lock:
            self._closed, self._camera = True, None
        self._wake.set()

    def _run(self) -> None:
        last: NDArray[np.uint8] | None = None
        camera, still = None, StallWatch(FIRST_S, GONE_S, now_s(), NOT_SHOWN_S)
        while True:
            with self._lock:
                if self._closed:
                    return
                fresh, self._fresh = self._fresh, False
                now, shown = self._camera, self._shown
            if fresh or now is not camera:
                if now is not camera:
                    still = StallWatch(FIRST_S, GONE_S, now_s(), NOT_SHOWN_S)
                last, camera = None, now
            if camera is None:
                self._wake.wait()
                self._wake.clear()
                continue
            picture = _picture_of(camera)
            if still.stalled(picture is not None, now_s()):
                self._given_up(camera)
                continue
            if picture is not None and shown and has_changed(last, picture):
                last = picture
                height, width = picture.shape[:2]
                self._on_frame(CameraFrame(at_s=now_s(), width_px=width, height_px=height, rgb=picture.tobytes()))
            self._wake.wait(EVERY_S if shown else NOT_SHOWN_S)
            self._wake.clear()

    def _given_up(self, camera: Camera) -> None:
        with self._lock:
            if self._camera is not camera:
                return
            self._camera = None
        self._on_gone(f"{camera.label} gives no picture: plug it in again, or choose another one", camera)


def _picture_of(camera: Camera) -> NDArray[np.uint8] | None:
    try:
        newest = camera.newest_rgb(WIDEST_PX, TALLEST_PX)
    except DeviceError:
        return None
    except Exception:  # noqa: BLE001 - the edge of a thread: a driver that raises shows nothing, and is given up in time
        _log.exception("the camera %s", camera.label)
        return None
    return newest[0] if newest is not None else None
