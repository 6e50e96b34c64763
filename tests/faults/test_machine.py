"""Camera, disk and heat, and what others send: each is told in a talk that goes on aloud."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from websockets.sync.client import connect

from parlor_tui import appending
from parlor_tui.conversations import writer
from parlor_tui.conversations.store import Store
from parlor_tui.events import CoreError, DeviceUsed, Failed, Notice, TurnCommitted, now_s
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import AppendAudio
from tests.devices.test_bombs import flac
from tests.fault_table import Fault, RecordRow, Row
from tests.faults.conftest import Cameras, Heater
from tests.faults.sitting import Sitting
from tests.waiting import until


@pytest.mark.parametrize("hangs", [False, True], ids=["unplugged", "hangs"])
def test_a_camera_that_is_unplugged_or_hangs_is_told_and_used_again(
    sitting: Sitting, cameras: Cameras, fault_row: RecordRow, hangs: bool
) -> None:
    sitting.settle()
    cameras.plug_in()
    mark = sitting.watch.mark()
    sitting.assistant.use_device("camera", "default", remember=False)
    sitting.used(mark, "camera")
    lens = cameras.opened[-1]
    assert lens.seen.wait(5)
    try:
        mark, began_s = sitting.watch.mark(), now_s()
        cameras.there.clear()
        lens.hangs, lens.works = hangs, hangs
        notice = sitting.told(mark, "camera", "Front gives no picture")
        sitting.told(mark, "camera", "no camera found")
        mark, back_s = sitting.watch.mark(), now_s()
        cameras.plug_in()
        over = sitting.over(mark, "camera")
        assert cameras.opened[-1] is not lens
        sitting.answers_aloud()
    finally:
        lens.let_go.set()
        cameras.there.clear()
        sitting.assistant.use_device("camera", "none", remember=False)
    fault_row(
        Row(
            Fault.CAMERA,
            f"{'hangs' if hangs else 'unplugged'} (a stand-in lens)",
            notice.text,
            notice.at_s - began_s,
            over.at_s - back_s,
            "it is back",
            "pictures meanwhile",
        )
    )


def in_use(sitting: Sitting, mark: int, choice: str) -> bool:
    """Whether what was chosen so came into use since `mark`."""
    events = sitting.watch.since(mark)
    return any(isinstance(event, DeviceUsed) and event.choice == choice and bool(event.label) for event in events)


def test_a_camera_that_is_absent_black_or_ends_early_keeps_nobody_from_talking(
    sitting: Sitting, tmp_path: Path
) -> None:
    sitting.settle()
    black, video = tmp_path / "black.png", tmp_path / "cut.avi"
    assert cv2.imwrite(str(black), np.zeros((48, 64, 3), np.uint8))
    writing = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 240))
    for number in range(10):
        writing.write(np.full((240, 320, 3), 20 * number, np.uint8))
    writing.release()
    video.write_bytes(video.read_bytes()[: video.stat().st_size // 2])
    mark = sitting.watch.mark()
    try:
        sitting.assistant.use_device("camera", str(tmp_path / "absent.mp4"), remember=False)
        assert "absent.mp4" in sitting.wait(mark, Failed).text
        for source in (str(black), str(video)):
            sitting.assistant.use_device("camera", source, remember=False)
            until(partial(in_use, sitting, mark, source), f"{source} is in use")
        sitting.answers_aloud()
        told = [event for event in sitting.watch.since(mark) if isinstance(event, Notice) and event.key == "camera"]
        assert [event.text for event in told if event.text] == []
    finally:
        sitting.assistant.use_device("camera", "none", remember=False)


def test_while_the_disk_is_full_the_talk_goes_on_and_is_kept_once_there_is_room(
    sitting: Sitting, disk: Path, fault_row: RecordRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting.settle()
    ballast = disk / "ballast"
    real = os.path.ismount(disk)
    if real:
        (disk / "kept").mkdir()
        fill(ballast)
    else:  # without the right to make a small disk, its refusal stands in for it
        ballast.touch()

        def append(file: Path, content: bytes) -> None:
            if ballast.exists():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))
            appending.append(file, content)

        monkeypatch.setattr(writer, "append", append)
    sitting.assistant.set_recording("text")
    mark = sitting.watch.mark()
    said = sitting.answers_aloud().heard
    notice = sitting.told(mark, "disk", "No space left on device; what is said waits for room")
    first_write_s = sitting.wait(mark, TurnCommitted).at_s
    ballast.unlink()
    back_s = now_s()
    over = sitting.over(mark, "disk")
    sitting.assistant.set_recording("off")
    store = Store(disk / "kept")
    (name,) = store.names()
    until(lambda: [turn.said for turn in store.load(name).turns] == [said], "the turn is kept")
    fault_row(
        Row(
            Fault.DISK_FULL,
            "a small disk" if real else "a stand-in that refuses",
            notice.text,
            max(0.0, notice.at_s - first_write_s),
            over.at_s - back_s,
            "there is room",
            "nothing, up to 64 MB",
        )
    )


def fill(file: Path) -> None:
    """Write until there is no more room at all."""
    with file.open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while ballast.write(bytes(4096)):
            pass
    assert shutil.disk_usage(file).free == 0


def test_on_a_hot_machine_less_is_done_and_it_is_told_until_it_is_cool(
    sitting: Sitting, heater: Heater, fault_row: RecordRow
) -> None:
    sitting.settle()
    mark, began_s = sitting.watch.mark(), now_s()
    heater.set(91)
    notice = sitting.told(mark, "governor", "hot (91 °C): ")
    mark, back_s = sitting.watch.mark(), now_s()
    heater.set(61)
    over = sitting.over(mark, "governor")
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.HOT,
            "readings of an NVIDIA GPU, recorded, at 91 °C; steps thirty times as fast as usual",
            notice.text,
            notice.at_s - began_s,
            over.at_s - back_s,
            "it is cool",
        )
    )


def test_a_file_that_would_fill_the_memory_is_refused_and_what_was_in_use_goes_on(
    sitting: Sitting, fault_row: RecordRow, tmp_path: Path
) -> None:
    sitting.settle()
    mark, began_s = sitting.watch.mark(), now_s()
    sitting.assistant.use_device("microphone", str(flac(tmp_path / "bomb.flac", 655_350, 1, 1790)), remember=False)
    failed = sitting.wait(mark, Failed)
    assert "at most 400 million" in failed.text
    assert "\n" not in failed.text
    sitting.answers_aloud()
    fault_row(Row(Fault.TOO_MUCH, "a file for a microphone", failed.text, failed.at_s - began_s, lost="that alone"))


def test_another_client_that_says_nonsense_or_forgets_its_sound_is_told_and_nobody_else_notices(
    sitting: Sitting, fault_row: RecordRow
) -> None:
    sitting.settle()
    url, token = sitting.links[-1]
    with connect(url, additional_headers={"Authorization": f"Bearer {token}"}, proxy=None) as other:
        began_s = now_s()
        other.send("{nonsense")
        while (told := json.loads(other.recv(10)))["type"] != "error":
            pass
        fault_row(Row(Fault.TOO_MUCH, "a message", told["error"]["message"], now_s() - began_s, lost="that alone"))
    told_at: list[tuple[float, str]] = []

    def listen(event: object) -> None:
        if isinstance(event, CoreError) and event.code == "input_timeout":
            told_at.append((now_s(), event.message))

    link = Link(url, token, listen, listen)
    link.start()
    try:
        began_s = now_s()
        link.send(AppendAudio(bytes(2 * 24_000)))
        sitting.answers_aloud()
        until(lambda: bool(told_at), "it is told")
    finally:
        link.close()
    at_s, message = told_at[0]
    fault_row(Row(Fault.TOO_MUCH, "a client's sound", message, at_s - began_s, lost="that alone"))
