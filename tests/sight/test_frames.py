from __future__ import annotations

import struct

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.sight.frames import MAX_PICTURE_BYTES, PictureError, check_picture


def encoded(suffix: str, height: int = 24, width: int = 32, *flags: int) -> bytes:
    good, data = cv2.imencode(suffix, np.full((height, width, 3), 90, np.uint8), flags)
    assert good
    return data.tobytes()


def claiming(data: bytes, width: int, height: int) -> bytes:
    """`data` with another size in its header."""
    if data.startswith(b"\x89PNG"):
        return data[:16] + struct.pack(">II", width, height) + data[24:]
    at = min(place for place in (data.find(b"\xff\xc0"), data.find(b"\xff\xc2")) if place > 0)
    return data[: at + 5] + struct.pack(">HH", height, width) + data[at + 9 :]


PROGRESSIVE = encoded(".jpg", 24, 32, cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
PICTURES = {"JPEG": encoded(".jpg"), "PNG": encoded(".png")}


@pytest.mark.parametrize(("kind", "data"), [*PICTURES.items(), ("JPEG", PROGRESSIVE)])
def test_a_picture_is_known_by_its_first_bytes(kind: str, data: bytes) -> None:
    assert check_picture(data) == kind
    assert check_picture(claiming(data, 5000, 4000)) == kind


@pytest.mark.parametrize("data", [*PICTURES.values(), PROGRESSIVE])
@pytest.mark.parametrize(("width", "height"), [(5001, 4000), (65_535, 65_535)])
def test_a_picture_that_would_fill_the_memory_is_refused(data: bytes, width: int, height: int) -> None:
    with pytest.raises(PictureError, match=rf"^the picture has {width}x{height} pixels; at most 20 megapixels"):
        check_picture(claiming(data, width, height))


@pytest.mark.parametrize("data", PICTURES.values())
def test_a_picture_without_a_size_is_refused(data: bytes) -> None:
    for damaged in (claiming(data, 0, 10), claiming(data, 10, 0), data[:10], data[:20]):
        with pytest.raises(PictureError, match=r"picture is damaged: it does not say how large it is$"):
            check_picture(damaged)


def test_a_preview_inside_a_jpeg_does_not_hide_its_size() -> None:
    data = PICTURES["JPEG"]
    preview = b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data
    assert check_picture(data[:2] + preview + b"\xff\xff" + data[2:]) == "JPEG"
    with pytest.raises(PictureError, match="9000x9000"):
        check_picture(data[:2] + preview + claiming(data, 9000, 9000)[2:])


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"\xff\xd8", b"<svg/>"])
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(PictureError, match="neither a JPEG nor a PNG"):
        check_picture(data)


def test_a_picture_of_too_many_bytes_is_refused() -> None:
    with pytest.raises(PictureError, match="bytes; at most"):
        check_picture(PICTURES["JPEG"] + bytes(MAX_PICTURE_BYTES))


@given(
    st.sampled_from([b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b""]),
    st.binary(max_size=99),
)
def test_any_bytes_are_a_picture_or_refused_in_one_line(head: bytes, rest: bytes) -> None:
    try:
        said = check_picture(head + rest)
    except PictureError as error:
        said = str(error)
    assert said
    assert "\n" not in said
