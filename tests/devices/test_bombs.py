"""Files of a few kilobytes that would fill the memory, or the day: refused in a line, before they are decoded."""

from __future__ import annotations

import struct
import subprocess
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import soundfile

from parlor_tui.devices import select, sound_file
from parlor_tui.devices.base import MIC_RATE_HZ, DeviceError
from parlor_tui.devices.camera import VideoCamera
from parlor_tui.devices.opencv import read_picture, rgb_of
from parlor_tui.devices.sound_file import read_sound
from parlor_tui.events import now_s

READ: dict[str, Callable[[Path], object]] = {
    "picture": read_picture,
    "camera": lambda path: select.open_camera(str(path)).start(),
    "sound": lambda path: read_sound(path, 1800.0),
}


def refused(path: Path, read: str) -> str:
    """What is said of `path`, which must come at once."""
    began_s = now_s()
    with pytest.raises(DeviceError) as caught:
        READ[read](path)
    assert now_s() - began_s < 10
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def flac(path: Path, rate_hz: int, channels: int, claimed_s: float) -> Path:
    """A short FLAC file whose header claims to be as long as that."""
    soundfile.write(path, np.zeros((4096, channels), np.float32), rate_hz, subtype="PCM_16")
    content = bytearray(path.read_bytes())
    (packed,) = struct.unpack(">Q", content[18:26])
    content[18:26] = struct.pack(">Q", packed >> 36 << 36 | int(claimed_s * rate_hz))
    path.write_bytes(content)
    return path


def test_sound_that_is_small_on_the_disk_alone(tmp_path: Path) -> None:
    fast = flac(tmp_path / "fast.flac", 655_350, 1, 1790)
    assert "1173076500 samples: at most 400 million" in refused(fast, "sound")
    wide = flac(tmp_path / "wide.flac", 96_000, 8, 1790)
    assert "at most 400 million" in refused(wide, "sound")
    long = flac(tmp_path / "long.flac", 16_000, 1, 3600)
    assert "3600.0 s long; at most 1800 s" in refused(long, "sound")


def test_sound_of_a_hundred_channels(tmp_path: Path) -> None:
    path = tmp_path / "wide.wav"
    soundfile.write(path, np.zeros((100, 100), np.float32), 16_000)
    assert "100 channels: at most 64" in refused(path, "sound")


def test_a_wav_of_endless_chunks_is_read_no_further(tmp_path: Path) -> None:
    path = tmp_path / "chunks.wav"
    path.write_bytes(b"RIFF\xff\xff\xff\x7fWAVE" + b"junk\0\0\0\0" * 2_000_000)
    refused(path, "sound")


def test_sound_whose_header_does_not_tell_its_length_is_bounded_as_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sound_file, "MOST_VALUES", 1_000_000)
    path = tmp_path / "pipe.wav"
    soundfile.write(path, np.zeros((300_000, 4), np.float32), 48_000)
    content = bytearray(path.read_bytes())
    at = content.index(b"data") + 4
    content[at : at + 4] = content[4:8] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    assert "at most" in refused(path, "sound")


def test_no_more_of_a_sound_is_held_than_is_kept_of_it(tmp_path: Path) -> None:
    path = tmp_path / "dense.flac"
    soundfile.write(path, np.zeros(8 * 655_350, np.float32), 655_350, subtype="PCM_16")
    tracemalloc.start()
    samples = read_sound(path, 60.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(samples) == 8 * MIC_RATE_HZ
    assert peak < 8_000_000, "a third of the sound at its own rate"


def png(width: int, height: int, depth: int, colour: int, row: bytes) -> bytes:
    """A whole PNG, every row of which is `row`."""

    def chunk(tag: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + tag + content + struct.pack(">I", zlib.crc32(tag + content))

    packer = zlib.compressobj(1)
    data = b"".join([*(packer.compress(b"\0" + row) for _ in range(height)), packer.flush()])
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_a_picture_that_really_is_as_large_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png(30_000, 2000, 1, 0, bytes(3750)))
    assert path.stat().st_size < 40_000
    assert "30000x2000 pixels: at most 50 megapixels" in refused(path, "picture")
    assert "at most 50 megapixels" in refused(path, "camera")


def test_a_picture_of_deep_pixels(tmp_path: Path) -> None:
    path = tmp_path / "deep.png"
    path.write_bytes(png(6000, 6000, 16, 6, b"")[:64] + b"IEND")
    assert "288 MB once decoded: make it smaller" in refused(path, "picture")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bomb.ppm", b"P6 30000 30000 255\n" + bytes(1000)),
        ("bomb.pgm", b"P5\n#x\n30000 30000\n65535\n" + bytes(1000)),
        ("bomb.webp", b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0" + bytes(4) + b"\x2f\x75\0" * 2),
        ("bomb.tiff", b"II*\0\x08\0\0\0\2\0" + struct.pack("<HHIIHHII", 256, 4, 1, 30_000, 257, 4, 1, 30_000)),
        ("bomb.gif", b"GIF89a" + struct.pack("<HH", 30_000, 30_000) + bytes(9)),
    ],
)
def test_every_kind_of_picture_is_asked_how_large_it_is(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert "megapixels" in refused(path, "picture")


def test_a_transparent_picture_takes_little_more_than_its_pixels() -> None:
    row = np.full((1500, 4), 128, np.uint8).tobytes()
    picture = png(1500, 1500, 8, 6, row)
    tracemalloc.start()
    frame_rgb = rgb_of(picture)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert frame_rgb.shape == (1500, 1500, 3)
    assert (frame_rgb[::500, ::500] == 191).all(), "half grey, half white"
    assert peak < 4 * 1500 * 1500 * 3


def test_a_video_of_huge_frames_is_refused_before_one_is_decoded(tmp_path: Path) -> None:
    small, path = tmp_path / "small.jpg", tmp_path / "huge.avi"
    assert cv2.imwrite(str(small), np.zeros((64, 64, 3), np.uint8))
    command = ["ffmpeg", "-v", "error", "-i", small, "-vf", "scale=9000:6000", "-frames:v", "1", "-c:v", "mjpeg", path]
    subprocess.run(command, check=True, timeout=60)
    assert "frames of 9000x6000 pixels: at most 50 megapixels" in refused(path, "picture")
    assert "frames of 9000x6000 pixels" in refused(path, "camera")
    with pytest.raises(DeviceError, match="9000x6000"):
        VideoCamera(path).start()
