"""Pictures, videos and cameras, whole and damaged, all made here."""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlor_tui.devices import opencv, select
from parlor_tui.devices.base import Camera, DeviceError
from parlor_tui.devices.camera import CameraDevice, DeviceCamera, PictureCamera, VideoCamera, list_cameras
from parlor_tui.devices.opencv import read_picture
from parlor_tui.events import now_s
from parlor_tui.picture_headers import claimed
from tests.waiting import until


def write(path: Path, image: np.ndarray) -> Path:
    good, encoded = cv2.imencode(path.suffix, image)
    assert good
    path.write_bytes(encoded.tobytes())
    return path


def decoded(jpeg: bytes) -> np.ndarray:
    assert jpeg.startswith(b"\xff\xd8\xff")
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_UNCHANGED)
    assert image.ndim == 3
    return image


def refused(path: Path) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        read_picture(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return caught.value


def photo(height: int, width: int) -> np.ndarray:
    """Smooth colours with some detail: top left blue, bottom right red."""
    down, right = np.mgrid[0:height, 0:width]
    blue = 255 * (1 - (down / max(1, height - 1) + right / max(1, width - 1)) / 2)
    return np.stack([blue, 128 + 60 * np.sin(right / 9), 255 - blue], axis=2).astype(np.uint8)


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Two seconds at 10 frames a second; frame n is grey of 10 * n."""
    path = tmp_path / "clip01.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 10, (640, 480))
    assert writer.isOpened()
    for number in range(20):
        writer.write(np.full((480, 640, 3), 10 * number, np.uint8))
    writer.release()
    return path


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".bmp", ".webp", ".tiff", ".ppm"])
@pytest.mark.parametrize(
    ("height", "width", "expected"),
    [(960, 1280, (672, 896)), (100, 80, (100, 80)), (1, 1, (1, 1)), (3000, 20, (1280, 9))],
)
def test_kinds_and_sizes(tmp_path: Path, suffix: str, height: int, width: int, expected: tuple[int, int]) -> None:
    source = photo(height, width)
    image = decoded(read_picture(write(tmp_path / f"ünï{suffix}", source)))
    assert image.shape == (*expected, 3)
    if min(expected) > 50:
        smaller = cv2.resize(source, expected[::-1], interpolation=cv2.INTER_AREA).astype(int)
        assert np.abs(image - smaller).mean() < 6


def test_grey_16_bit_and_transparent_pictures(tmp_path: Path) -> None:
    grey = decoded(read_picture(write(tmp_path / "grey.png", np.full((50, 60), 100, np.uint8))))
    assert np.abs(grey.astype(int) - 100).max() <= 2
    deep = decoded(read_picture(write(tmp_path / "deep.png", np.full((50, 60, 3), 100 * 256, np.uint16))))
    assert np.abs(deep.astype(int) - 100).max() <= 2
    clear = np.zeros((64, 64, 4), np.uint8)
    clear[:, 32:] = (0, 0, 255, 255)
    image = decoded(read_picture(write(tmp_path / "clear.png", clear)))
    assert (image[:, :20] > 245).all()
    assert (image[:, 44:, 2] > 240).all()
    assert (image[:, 44:, 0] < 20).all()
    deep_clear = np.zeros((8, 8, 4), np.uint16)
    assert (decoded(read_picture(write(tmp_path / "deep_clear.png", deep_clear))) > 250).all()


def test_missing_folder_empty_and_text(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.jpg").missing
    assert "folder" in str(refused(tmp_path))
    (tmp_path / "empty.jpg").touch()
    assert "empty" in str(refused(tmp_path / "empty.jpg"))
    for name in ("text.jpg", "img01.png"):
        (tmp_path / name).write_text("no picture\n" * 40, encoding="utf-8")
        assert "neither a picture nor a video" in str(refused(tmp_path / name))
    refused(Path("a\0b.jpg"))


@pytest.mark.parametrize("suffix", [".jpg", ".png"])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.6, 0.97])
def test_cut_short(tmp_path: Path, suffix: str, share: float) -> None:
    path = write(tmp_path / f"cut{suffix}", photo(480, 640))
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    refused(path)


def bomb_png(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims to be huge."""

    def chunk(tag: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + tag + content + struct.pack(">I", zlib.crc32(tag + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(1_000_000)))
        + chunk(b"IEND", b"")
    )


def test_a_huge_picture_is_refused_by_its_header(tmp_path: Path) -> None:
    png = tmp_path / "bomb.png"
    png.write_bytes(bomb_png(50_000, 50_000))
    jpeg = write(tmp_path / "bomb.jpg", photo(32, 32))
    content = bytearray(jpeg.read_bytes())
    start = content.index(b"\xff\xc0")
    content[start + 5 : start + 9] = struct.pack(">HH", 65000, 65000)
    jpeg.write_bytes(content)
    bmp = write(tmp_path / "bomb.bmp", photo(32, 32))
    content = bytearray(bmp.read_bytes())
    content[18:26] = struct.pack("<ii", 40000, -40000)
    bmp.write_bytes(content)
    for path in (png, jpeg, bmp):
        began_s = now_s()
        assert "at most 50 megapixels" in str(refused(path))
        assert now_s() - began_s < 2, "it was unpacked"


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp", ".webp", ".tiff", ".ppm", ".gif"])
def test_sizes_are_read_from_headers(suffix: str) -> None:
    _, encoded = cv2.imencode(suffix, photo(31, 77))
    assert claimed(encoded.tobytes())[:2] == (77, 31)


def picture_or_error(path: Path) -> np.ndarray | str:
    try:
        return decoded(read_picture(path))
    except DeviceError as error:
        return str(error)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([".jpg", ".png", ".bmp", ".webp"]), st.floats(0, 1), st.binary(min_size=1, max_size=12))
def test_wrong_bytes_give_a_picture_or_one_line(tmp_path: Path, suffix: str, place: float, wrong: bytes) -> None:
    path = write(tmp_path / f"fuzzed{suffix}", photo(24, 24))
    content = bytearray(path.read_bytes())
    at = int(place * (len(content) - 1))
    content[at : at + len(wrong)] = wrong
    path.write_bytes(content)
    outcome = picture_or_error(path)
    if isinstance(outcome, str):
        assert "\n" not in outcome
    else:
        assert outcome.shape[1] <= 896


def test_a_damaged_picture_prints_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "cut.jpg", photo(200, 200))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    program = (
        "import sys; from pathlib import Path; from parlor_tui.devices.opencv import read_picture\n"
        "from parlor_tui.devices.base import DeviceError\n"
        "from parlor_tui.devices.camera import DeviceCamera\n"
        "for work in (lambda: read_picture(Path(sys.argv[1])), lambda: read_picture(Path(sys.argv[2])),\n"
        "             DeviceCamera(99, '99').start):\n"
        "    try: work()\n"
        "    except DeviceError: pass\n"
    )
    text = tmp_path / "text.mp4"
    text.write_text("no video", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program, path, text], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr == ""


def test_a_video_gives_its_first_frame(clip: Path) -> None:
    image = decoded(read_picture(clip))
    assert image.shape == (480, 640, 3)
    assert image.mean() < 5


def test_a_video_is_shown_at_its_own_speed_and_its_last_frame_stays(clip: Path) -> None:
    camera = select.open_camera(str(clip))
    assert isinstance(camera, VideoCamera)
    began_s = now_s()
    camera.start()
    for wait_s in (0.05, 0.55, 1.25):
        threading.Event().wait(max(0.0, began_s + wait_s - now_s()))
        before_s, newest, after_s = now_s(), camera.newest_jpeg(), now_s()
        assert newest is not None
        assert decoded(newest[0]).shape == (480, 640, 3)
        shown_s = decoded(newest[0]).mean() / 100
        assert before_s - began_s - 0.6 < shown_s < after_s - began_s + 0.16
        assert before_s <= newest[1] <= after_s
    until(lambda: brightness(camera) == pytest.approx(190, abs=4), "its last frame")
    threading.Event().wait(0.4)
    assert brightness(camera) == pytest.approx(190, abs=4)
    before_s, newest = now_s(), camera.newest_jpeg()
    assert newest is not None
    assert newest[1] >= before_s
    camera.stop()


def brightness(camera: Camera) -> float:
    """The mean of what it sees, 0..255; -1 where that is nothing."""
    newest = camera.newest_jpeg()
    return -1.0 if newest is None else float(decoded(newest[0]).mean())


def test_a_video_that_was_cut_short(clip: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.avi"
    writer = cv2.VideoWriter(str(cut), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 240))
    for number in range(20):
        writer.write(np.full((240, 320, 3), 10 * number, np.uint8))
    writer.release()
    content = cut.read_bytes()
    cut.write_bytes(content[: len(content) // 2])
    camera = VideoCamera(cut)
    camera.start()
    until(lambda: brightness(camera) > 5, "more of it than the first frame")
    camera.stop()
    clip.write_bytes(clip.read_bytes()[:600])
    with pytest.raises(DeviceError, match="no video"):
        VideoCamera(clip).start()


def test_a_picture_stays(tmp_path: Path) -> None:
    camera = select.open_camera(str(write(tmp_path / "still.png", photo(300, 400))))
    assert isinstance(camera, PictureCamera)
    camera.start()
    first, second = camera.newest_jpeg(), camera.newest_jpeg()
    assert first is not None
    assert second is not None
    assert first[0] == second[0]
    assert first[1] <= second[1] <= now_s()
    camera.stop()


def test_a_camera_keeps_only_the_newest_frame_and_is_gone_when_it_ends(
    clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A capture of a file, read as fast as it goes, is a camera that is unplugged after 20 frames."""
    monkeypatch.setattr(opencv, "open_camera_device", lambda device: opencv.open_video(clip))
    camera = DeviceCamera(0, "front")
    camera.start()
    until(lambda: brightness(camera) == pytest.approx(190, abs=4), "its last frame")
    until(lambda: camera.newest_jpeg() is None, "it is gone")
    camera.stop()


def test_a_camera_that_hangs_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = threading.Event()

    class Hanging:
        def read(self) -> tuple[bool, Any]:
            let_go.wait(20)
            return False, None

        def release(self) -> None: ...

    monkeypatch.setattr(opencv, "open_camera_device", lambda device: Hanging())
    camera = DeviceCamera(0, "front")
    camera.start()
    assert camera.newest_jpeg() is None
    began_s = now_s()
    camera.stop(0.3)
    assert now_s() - began_s < 5, "it waits for the camera"
    let_go.set()


def test_an_absent_camera_is_said_in_one_line() -> None:
    with pytest.raises(DeviceError, match="cannot be opened") as caught:
        DeviceCamera(99, "99").start()
    assert caught.value.missing


@pytest.fixture
def system(tmp_path: Path) -> tuple[Path, Path]:
    """/dev and sysfs of a machine with two cameras, each with a node for metadata."""
    dev, sysfs = tmp_path / "dev", tmp_path / "sys"
    dev.mkdir()
    for number, (name, index) in enumerate([("FaceTime HD", 0), ("FaceTime HD", 1), ("USB Café", 0), ("USB Café", 1)]):
        (dev / f"video{number}").touch()
        (sysfs / f"video{number}").mkdir(parents=True)
        (sysfs / f"video{number}" / "name").write_text(name + "\n", encoding="utf-8")
        (sysfs / f"video{number}" / "index").write_text(f"{index}\n", encoding="utf-8")
    (dev / "video10").touch()
    (dev / "videos").touch()
    return dev, sysfs


def test_linux_lists_cameras_without_opening_them(system: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    found = list_cameras(*system)
    assert found is not None
    assert [(one.number, one.name) for one in found] == [(0, "FaceTime HD"), (2, "USB Café"), (10, "video10")]
    assert found[0].path == str(system[0] / "video0")


KNOWN = [
    CameraDevice(0, "FaceTime HD", "/dev/video0", allowed=True),
    CameraDevice(2, "USB Café", "/dev/video2", allowed=True),
    CameraDevice(4, "USB Old", "/dev/video4", allowed=False),
]


@pytest.mark.parametrize(
    ("choice", "label"),
    [("default", "FaceTime HD"), ("2", "USB Café"), ("CAFÉ", "USB Café"), ("/dev/video0", "FaceTime HD")],
)
def test_choosing_a_camera(choice: str, label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "list_cameras", lambda: KNOWN)
    camera = select.open_camera(choice)
    assert camera is not None
    assert camera.label == label


@pytest.mark.parametrize(
    ("choice", "says", "missing"),
    [
        ("usb", "several match: 2 USB Café, 4 USB Old", False),
        ("7", "there are: 0 FaceTime HD", True),
        ("sony", "there are: 0 FaceTime HD", True),
        ("", "there are: 0 FaceTime HD", True),
        ("/dev/video9", "there are: 0 FaceTime HD", True),
        ("old", "usermod", True),
        ("gone.mp4", "no such file", True),
    ],
)
def test_choosing_no_camera(choice: str, says: str, missing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "list_cameras", lambda: KNOWN)
    with pytest.raises(DeviceError, match=says) as caught:
        select.open_camera(choice)
    assert caught.value.missing is missing
    assert "\n" not in str(caught.value)


def test_without_a_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    assert select.open_camera("none") is None
    monkeypatch.setattr(select, "list_cameras", list)
    with pytest.raises(DeviceError, match="no camera found") as caught:
        select.open_camera("default")
    assert caught.value.missing
    monkeypatch.setattr(select, "list_cameras", lambda: None)
    with pytest.raises(DeviceError, match="by number"):
        select.open_camera("FaceTime")
    camera = select.open_camera("1")
    assert camera is not None
    assert camera.label == "1"


def test_a_small_picture_of_what_a_camera_sees(tmp_path: Path, clip: Path) -> None:
    picture = tmp_path / "red.png"
    red = np.zeros((300, 600, 3), np.uint8)
    red[:, :, 2] = 200
    cv2.imwrite(str(picture), red)
    for path in (picture, clip):
        camera = select.open_camera(str(path))
        assert camera is not None
        camera.start()
        newest = camera.newest_rgb(96, 72)
        camera.stop()
        assert newest is not None
        small = newest[0]
        assert small.shape == ((48, 96, 3) if path == picture else (72, 96, 3))
        if path == picture:
            assert np.abs(small.astype(int) - (200, 0, 0)).max() <= 6
