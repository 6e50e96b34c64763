"""One sitting for all faults of this folder: it is to get over each of them, and the talk goes on through them all."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from parlor_tui.devices import opencv, select
from parlor_tui.devices.camera import CameraDevice
from tests.faults.sitting import Sitting, sitting_down
from tests.rig import Rig
from tests.small_disk import small_disk


class Lens:
    """Stands in for what OpenCV makes of a camera: it gives pictures, none any more, or hangs."""

    def __init__(self) -> None:
        self.works, self.hangs = True, False
        self.let_go, self.seen = threading.Event(), threading.Event()

    def read(self) -> tuple[bool, np.ndarray | None]:
        if self.hangs:
            self.let_go.wait(20)
        threading.Event().wait(0.03 if self.works else 0.0)
        self.seen.set()
        return self.works, np.full((48, 64, 3), 120, np.uint8) if self.works else None

    def release(self) -> None: ...


@dataclass
class Cameras:
    """Those that the system knows, and what was opened of them; no machine for tests has one."""

    there: list[CameraDevice] = field(default_factory=list)
    opened: list[Lens] = field(default_factory=list)

    def plug_in(self) -> None:
        self.there.append(CameraDevice(0, "Front", "/dev/video0", allowed=True))

    def open(self, _device: int | str) -> Lens:
        self.opened.append(Lens())
        return self.opened[-1]


class Heater:
    """How hot the machine of the core is, in degrees C (see `tests/assistant/heated_core.py`)."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.set(61)

    def set(self, temperature_c: int) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(str(temperature_c), "ascii")
        new.replace(self.file)


@pytest.fixture(scope="package")
def cameras() -> Iterator[Cameras]:
    known = Cameras()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(select, "list_cameras", lambda: list(known.there))
        patch.setattr(opencv, "open_camera_device", known.open)
        yield known


@pytest.fixture(scope="package")
def heater(tmp_path_factory: pytest.TempPathFactory) -> Heater:
    return Heater(tmp_path_factory.mktemp("machine") / "heat")


@pytest.fixture(scope="package")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where conversations are kept: a small file system of its own, where one may make one."""
    folder = tmp_path_factory.mktemp("disk")
    with small_disk(folder):
        yield folder


@pytest.fixture(scope="package")
def sitting(
    rig: Rig, tmp_path_factory: pytest.TempPathFactory, cameras: Cameras, heater: Heater, disk: Path
) -> Iterator[Sitting]:
    """A talk whose machine can be heated, whose disk can be filled, and that has been told a name."""
    assert cameras.there == []
    program = [sys.executable, "-m", "tests.faults.core", str(heater.file)]
    folder = tmp_path_factory.mktemp("sitting")
    with sitting_down(
        rig, folder, lambda home: [*program, str(home.config)], **{"conversations.folder": str(disk / "kept")}
    ) as running:
        yield running


@pytest.fixture
def thinking(sitting: Sitting) -> None:
    """It thinks before it speaks: nothing of a reply is heard, or even begun, when the turn ends."""
    sitting.settle()
    sitting.assistant.tune({"hearing.eager_ms": 0})
