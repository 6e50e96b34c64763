"""Pictures and video through OpenCV; the only module that imports cv2."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.files import regular_file
from parlor_tui.picture_headers import JPEG, MOST_SCANS, PNG, claimed, is_too_much_work

WIDEST_PX = 896
"""What the model's budget for a picture holds at its default: 280 tokens of 48 x 48 pixels, 896 x 672 at 4:3."""
TALLEST_PX = 1280
JPEG_QUALITY = 70
MOST_PIXELS = 50_000_000
MOST_DECODED_BYTES = 200_000_000
MOST_FILE_BYTES = 200_000_000
START_OF_SCAN, END_OF_IMAGE = b"\xff\xda", b"\xff\xd9"
GIVE = "give a JPEG or PNG picture, or a video"
_TOO_MANY = f"at most {MOST_PIXELS // 1_000_000} megapixels are taken"
_ROWS_AT_ONCE = 256

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
    """An open video file; None if it is none. Other readers than FFmpeg take a numbered name for a row of pictures.

    Raises DeviceError if its frames have more than MOST_PIXELS; none of them is decoded yet.
    """
    cv2 = load()
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        capture.release()
        return None
    width, height = (int(capture.get(size)) for size in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width * height > MOST_PIXELS:
        capture.release()
        raise DeviceError(f"{path}: frames of {width}x{height} pixels: {_TOO_MANY}")
    return capture


def position_s(capture: Capture) -> float:
    """When the frame that was read last is to be shown, from the start of the video."""
    return float(capture.get(load().CAP_PROP_POS_MSEC)) / 1000


def frame_of(capture: Capture) -> Image | None:
    """The next frame, or None at the end or on a fault, such as one that is larger than the video said."""
    good, frame = capture.read()
    return frame if good and frame is not None and 0 < frame.size <= 3 * MOST_PIXELS else None


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
    size = claimed(content)
    if size is None:
        raise DeviceError(f"{name}: the picture is damaged: it does not say how large it is: {GIVE}")
    if size.pixels > MOST_PIXELS:
        raise DeviceError(f"{name}: {size.width_px}x{size.height_px} pixels: {_TOO_MANY}")
    if size.decoded_bytes > MOST_DECODED_BYTES:
        raise DeviceError(f"{name}: {size.decoded_bytes // 1_000_000} MB once decoded: make it smaller")
    if content.startswith(JPEG) and is_too_much_work(content):
        raise DeviceError(f"{name}: more than {MOST_SCANS} scans: save it as a usual JPEG")
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
    """Grey, 16-bit or transparent `image` as 8-bit (height, width, 3), over white.

    A few rows at a time: what stands in between takes six times the room of the result.
    """
    if image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3:
        return image
    whole = np.empty((*image.shape[:2], 3), np.uint8)
    for top in range(0, image.shape[0], _ROWS_AT_ONCE):
        rows = slice(top, top + _ROWS_AT_ONCE)
        whole[rows] = _rows_as_eight_bit_bgr(image[rows])
    return whole


def _rows_as_eight_bit_bgr(image: NDArray[Any]) -> Image:
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
