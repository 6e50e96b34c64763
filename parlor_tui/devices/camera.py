"""The real camera, and the video or picture that can stand in for it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.devices import opencv
from parlor_tui.devices.base import DeviceError
from parlor_tui.events import now_s

STALE_S = 1.0
"""A camera whose newest frame is older than this shows nothing any more."""
FAULTS_IN_A_ROW = 30
SHORTEST_FRAME_S = 1 / 120


@dataclass(frozen=True, slots=True)
class CameraDevice:
    """A camera as the system lists it."""

    number: int
    name: str
    path: str
    allowed: bool


def list_cameras(dev: Path = Path("/dev"), sysfs: Path = Path("/sys/class/video4linux")) -> list[CameraDevice] | None:
    """The cameras of a Linux system, none of them opened; None where only opening them would tell."""
    if not sys.platform.startswith("linux"):
        return None
    found = []
    for node in dev.glob("video[0-9]*"):
        digits = node.name.removeprefix("video")
        if not digits.isdecimal() or _read_line(sysfs / node.name / "index", "0") != "0":
            continue  # further nodes of the same camera carry metadata, not pictures
        name = _read_line(sysfs / node.name / "name", node.name)
        found.append(CameraDevice(int(digits), name, str(node), os.access(node, os.R_OK | os.W_OK)))
    return sorted(found, key=lambda one: one.number)


def _read_line(path: Path, otherwise: str) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or otherwise
    except OSError:
        return otherwise


class _Frames:
    """The newest frame only, with a thread that keeps it fresh."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._frame: opencv.Image | None = None
        self._at_s = 0.0
        self._jpeg: bytes | None = None
        self._thread: threading.Thread | None = None

    def _keep(self, frame_bgr: opencv.Image, at_s: float) -> None:
        with self._lock:
            self._frame, self._at_s, self._jpeg = frame_bgr, at_s, None

    def _forget(self) -> None:
        with self._lock:
            self._frame = self._jpeg = None

    def _newest(self) -> tuple[bytes, float] | None:
        with self._lock:
            frame, at_s, jpeg = self._frame, self._at_s, self._jpeg
        if frame is None:
            return None
        if jpeg is None:
            jpeg = opencv.to_jpeg(frame)
            with self._lock:
                if self._frame is frame:
                    self._jpeg = jpeg
        return jpeg, at_s

    def _newest_small(self, widest_px: int, tallest_px: int) -> tuple[opencv.Image, float] | None:
        with self._lock:
            frame, at_s = self._frame, self._at_s
        return None if frame is None else (opencv.small_rgb(frame, widest_px, tallest_px), at_s)

    def _run(self, capture: opencv.Capture) -> None:
        self._thread = threading.Thread(target=self._grab_and_release, args=(capture,), name="camera", daemon=True)
        self._thread.start()

    def _grab_and_release(self, capture: opencv.Capture) -> None:
        try:
            self._grab(capture)
        finally:
            capture.release()

    def _grab(self, capture: opencv.Capture) -> None:
        raise NotImplementedError

    def stop(self, timeout_s: float = 1.0) -> None:
        """See `base.Camera`. A camera that hangs is left to its thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout_s)


class DeviceCamera(_Frames):
    """A camera that the system knows, by number or /dev path; or whatever `opened_by` opens in its place."""

    def __init__(
        self,
        device: int | str,
        label: str,
        opened_by: Callable[[int | str], opencv.Capture | None] | None = None,
    ) -> None:
        super().__init__(label)
        self._device = device
        self._opened_by = opened_by

    def start(self) -> None:
        """See `base.Camera`."""
        capture = (self._opened_by or opencv.open_camera_device)(self._device)
        if capture is None:
            raise DeviceError(
                f"camera {self.label}: cannot be opened: check that it is plugged in, not in use, and that this "
                "terminal is allowed to use it; `parlor-tui devices` lists cameras",
                missing=True,
            )
        self._run(capture)

    def newest_jpeg(self) -> tuple[bytes, float] | None:
        """See `base.Camera`."""
        newest = self._newest()
        return newest if newest is not None and now_s() - newest[1] <= STALE_S else None

    def newest_rgb(self, widest_px: int, tallest_px: int) -> tuple[opencv.Image, float] | None:
        """See `base.Camera`."""
        newest = self._newest_small(widest_px, tallest_px)
        return newest if newest is not None and now_s() - newest[1] <= STALE_S else None

    def _grab(self, capture: opencv.Capture) -> None:
        faults = 0
        while not self._stop.is_set() and faults < FAULTS_IN_A_ROW:
            frame = opencv.frame_of(capture)
            if frame is None:
                faults += 1
                self._stop.wait(0.03)
            else:
                faults = 0
                self._keep(frame, now_s())
        self._forget()  # what it saw last is not what is there now


class VideoCamera(_Frames):
    """A video file in place of a camera, at its own speed; its last frame stays."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self._path = path

    def start(self) -> None:
        """See `base.Camera`."""
        capture = opencv.open_video(self._path)
        first = opencv.frame_of(capture) if capture is not None else None
        if capture is None or first is None:
            raise DeviceError(f"{self._path}: no video that can be read: {opencv.GIVE}")
        self._keep(first, now_s())
        self._run(capture)

    def newest_jpeg(self) -> tuple[bytes, float] | None:
        """See `base.Camera`. The frame that is shown now is as new as now."""
        newest = self._newest()
        return None if newest is None else (newest[0], now_s())

    def newest_rgb(self, widest_px: int, tallest_px: int) -> tuple[opencv.Image, float] | None:
        """See `base.Camera`."""
        newest = self._newest_small(widest_px, tallest_px)
        return None if newest is None else (newest[0], now_s())

    def _grab(self, capture: opencv.Capture) -> None:
        start_s, shown_s = now_s() - opencv.position_s(capture), 0.0
        while not self._stop.is_set():
            frame = opencv.frame_of(capture)
            if frame is None:
                return
            shown_s = max(opencv.position_s(capture), shown_s + SHORTEST_FRAME_S)
            if self._stop.wait(max(0.0, start_s + shown_s - now_s())):
                return
            self._keep(frame, now_s())


class PictureCamera:
    """A picture in place of a camera."""

    def __init__(self, path: Path) -> None:
        """Raises DeviceError if it is no picture."""
        self.label = path.name
        self._jpeg = opencv.read_picture(path)
        self._rgb: opencv.Image | None = None

    def start(self) -> None:
        """See `base.Camera`."""

    def newest_jpeg(self) -> tuple[bytes, float] | None:
        """See `base.Camera`."""
        return self._jpeg, now_s()

    def newest_rgb(self, widest_px: int, tallest_px: int) -> tuple[opencv.Image, float] | None:
        """See `base.Camera`."""
        if self._rgb is None:
            self._rgb = opencv.rgb_of(self._jpeg)
        return opencv.scaled_down(self._rgb, widest_px, tallest_px), now_s()

    def stop(self, timeout_s: float = 1.0) -> None:
        """See `base.Camera`."""
