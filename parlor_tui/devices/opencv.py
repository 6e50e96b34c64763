"""Pictures and video through OpenCV; the only module that imports cv2."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.files import regular_file

WIDEST_PX = 896
"""What the model's budget for a picture holds at its default: 280 tokens of 48 x 48 pixels, 896 x 672 at 4:3."""
TALLEST_PX = 1280
JPEG_QUALITY = 70
MOST_PIXELS = 50_000_000
MOST_FILE_BYTES = 200_000_000
PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
START_OF_SCAN, END_OF_IMAGE = b"\xff\xda", b"\xff\xd9"
GIVE = "give a JPEG or PNG picture, or a video"

Capture = Any
Image = NDArray[np.uint8]


def load() -> Any:
    """The cv2 module. Raises DeviceError if OpenCV is missing."""
    os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
    try:
        import cv2
    except (ImportError, OSError) as error:
        raise DeviceError(f"OpenCV is missing ({error}): pip install opencv-python-headless", missing=True) from None
    return cv2


def to_jpeg(frame_bgr: Image) -> bytes:
    """`frame_bgr` (height, width, 3) as JPEG of quality 70, scaled down to at most 896 wide, never up."""
    cv2 = load()
    frame_bgr = scaled_down(frame_bgr, WIDEST_PX, TALLEST_PX)
    good, encoded = cv2.imencode(".jpg", frame_bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not good:
        raise DeviceError("the frame cannot be made a JPEG")
    return bytes(encoded.tobytes())


def scaled_down(picture: Image, widest_px: int, tallest_px: int) -> Image:
    """`picture` (height, width, 3) made to fit into so many pixels, its shape kept; one that fits stays as it is."""
    height, width = picture.shape[:2]
    scale = min(1.0, widest_px / width, tallest_px / height)
    if scale == 1.0:
        return picture
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    smaller: Image = load().resize(picture, size, interpolation=load().INTER_AREA)
    return smaller


def small_rgb(frame_bgr: Image, widest_px: int, tallest_px: int) -> Image:
    """A frame of the camera's, scaled down to fit into so many pixels, as red, green, blue."""
    return np.ascontiguousarray(scaled_down(frame_bgr, widest_px, tallest_px)[:, :, ::-1])


def open_camera_device(device: int | str) -> Capture | None:
    """An open camera by number or /dev path; None if it is absent, in use or denied."""
    cv2 = load()
    if sys.platform.startswith("linux"):
        backend = cv2.CAP_V4L2
    elif sys.platform == "darwin":
        backend = cv2.CAP_AVFOUNDATION
    else:
        backend = cv2.CAP_ANY
    capture = cv2.VideoCapture(device, backend)
    if not capture.isOpened():
        capture.release()
        return None
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1280)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 720)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture


def open_video(path: Path) -> Capture | None:
    """An open video file; None if it is none. Other readers than FFmpeg take a numbered name for a row of pictures."""
    cv2 = load()
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if capture.isOpened():
        return capture
    capture.release()
    return None


def position_s(capture: Capture) -> float:
    """When the frame that was read last is to be shown, from the start of the video."""
    return float(capture.get(load().CAP_PROP_POS_MSEC)) / 1000


def frame_of(capture: Capture) -> Image | None:
    """The next frame, or None at the end or on a fault."""
    good, frame = capture.read()
    return frame if good and frame is not None and frame.size else None


def is_picture(head: bytes) -> bool:
    """Whether a file that begins with `head` (at least 16 bytes of it) is a still picture."""
    return (
        head.startswith((PNG, JPEG, b"GIF8", b"BM", b"II*\0", b"MM\0*"))
        or (head[:1] == b"P" and head[1:2] in b"123456" and head[2:3].isspace())
        or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")
    )


def read_picture(path: Path) -> bytes:
    """A picture, or the first frame of a video, as JPEG, at most 896 wide. Transparent parts become white.

    Raises DeviceError for whatever is not a complete picture of at most 50 megapixels.
    """
    file = regular_file(path, "a picture")
    try:
        size_bytes = file.stat().st_size
        with file.open("rb") as opened:
            head = opened.read(16)
            if not head:
                raise DeviceError(f"{path}: the file is empty: {GIVE}")
            if is_picture(head):
                if size_bytes > MOST_FILE_BYTES:
                    raise DeviceError(
                        f"{path}: {size_bytes / 1e6:.0f} MB: at most {MOST_FILE_BYTES / 1e6:.0f} MB are taken"
                    )
                return to_jpeg(_decode(head + opened.read(), str(path)))
    except OSError as error:
        raise DeviceError(f"{path}: cannot be read: {error.strerror or error}") from None
    except MemoryError:
        raise DeviceError(f"{path}: too large for the memory there is: make it smaller") from None
    capture = open_video(file)
    frame = None
    if capture is not None:
        frame = frame_of(capture)
        capture.release()
    if frame is None:
        raise DeviceError(f"{path}: neither a picture nor a video that can be read: {GIVE}")
    return to_jpeg(frame)


def rgb_of(jpeg: bytes) -> Image:
    """A picture that a client sent, as frame_rgb (height, width, 3). Raises DeviceError if it is none."""
    return np.ascontiguousarray(_decode(jpeg, "the picture")[:, :, ::-1])


def _decode(content: bytes, name: str) -> Image:
    cv2 = load()
    size = picture_size(content)
    if size is not None and size[0] * size[1] > MOST_PIXELS:
        raise DeviceError(
            f"{name}: {size[0]}x{size[1]} pixels: at most {MOST_PIXELS // 1_000_000} megapixels are taken"
        )
    if _cut_short(content):
        raise DeviceError(f"{name}: the picture is cut short: copy it again")
    flags = cv2.IMREAD_UNCHANGED if content.startswith(PNG) or content[8:12] == b"WEBP" else cv2.IMREAD_COLOR
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), flags)
    except cv2.error:
        image = None
    if image is None or not image.size:
        raise DeviceError(f"{name}: the picture is damaged or of a kind that cannot be read: {GIVE}")
    return _eight_bit_bgr(image)


def _eight_bit_bgr(image: NDArray[Any]) -> Image:
    """Grey, 16-bit or transparent `image` as 8-bit (height, width, 3), over white."""
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    if image.ndim == 2 or image.shape[2] == 1:
        grey = image.reshape(image.shape[:2])
        return np.ascontiguousarray(np.repeat(grey[:, :, np.newaxis], 3, axis=2))
    if image.shape[2] == 4:
        alpha = image[:, :, 3:].astype(np.uint16)
        return ((image[:, :, :3] * alpha + 255 * (255 - alpha)) // 255).astype(np.uint8)
    return image.astype(np.uint8, copy=False)


def _cut_short(content: bytes) -> bool:
    """Whether the end mark is missing: OpenCV fills what is not there with grey."""
    if content.startswith(JPEG):
        return content.rfind(END_OF_IMAGE) < content.rfind(START_OF_SCAN)
    return content.startswith(PNG) and b"IEND" not in content[-1024:]


def picture_size(content: bytes) -> tuple[int, int] | None:
    """Width and height as the header says, without decoding; None if it cannot be told."""
    try:
        if content.startswith(PNG):
            return struct.unpack(">II", content[16:24])
        if content.startswith(b"GIF8"):
            return struct.unpack("<HH", content[6:10])
        if content.startswith(b"BM"):
            width, height = struct.unpack("<ii", content[18:26])
            return abs(width), abs(height)
        if content.startswith(JPEG):
            return _jpeg_size(content)
    except struct.error:
        pass
    return None


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        mark = content[at + 1]
        if mark == 0xFF:
            at += 1
            continue
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + struct.unpack(">H", content[at + 2 : at + 4])[0]
    return None
