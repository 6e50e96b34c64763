"""What pictures claim, of every kind, before anything decodes them."""

from __future__ import annotations

import struct

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.picture_headers import JPEG, MOST_SCANS, PNG, Claimed, claimed, is_too_much_work


def encoded(suffix: str, image: np.ndarray, *flags: int) -> bytes:
    good, data = cv2.imencode(suffix, image, flags)
    assert good
    return data.tobytes()


def noise(height: int, width: int, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 255, (height, width, channels), np.uint8)


@pytest.mark.parametrize(
    ("image", "bytes_per_px"),
    [
        (noise(5, 9, 1), 1),
        (noise(5, 9), 3),
        (noise(5, 9, 4), 4),
        (noise(5, 9, 4).astype(np.uint16), 8),
    ],
)
def test_a_png_says_what_its_pixels_take(image: np.ndarray, bytes_per_px: int) -> None:
    assert claimed(encoded(".png", image)) == Claimed(9, 5, bytes_per_px)


@pytest.mark.parametrize("quality", [80, 101])
def test_both_kinds_of_webp(quality: int) -> None:
    found = claimed(encoded(".webp", noise(31, 77), cv2.IMWRITE_WEBP_QUALITY, quality))
    assert found is not None
    assert found[:2] == (77, 31)


def extended_webp(width: int, height: int) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0" + bytes(4) + sizes


def tiff(order: str, *tags: tuple[int, int, int]) -> bytes:
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IH", 8, len(tags))
    values = {3: "HH", 4: "I"}
    return head + b"".join(
        struct.pack(order + "HHI" + values[kind], tag, kind, 1, *((value, 0) if kind == 3 else (value,)))
        for tag, kind, value in tags
    )


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (extended_webp(16_000_000, 9_000_000), (16_000_000, 9_000_000)),
        (tiff("<", (256, 4, 90_000), (257, 3, 60_000)), (90_000, 60_000)),
        (tiff(">", (256, 3, 300), (257, 3, 200), (322, 4, 40_000), (323, 4, 30_000)), (40_000, 30_000)),
        (b"P6\n# drawn by hand\n30000 # wide\n20000\n255\n", (30_000, 20_000)),
        (b"P1 123456789 1 ", (123_456_789, 1)),
        (b"GIF89a" + struct.pack("<HH", 65_535, 65_535), (65_535, 65_535)),
        (b"BM" + bytes(12) + b"\x0c\0\0\0" + struct.pack("<HH", 60_000, 50_000), (60_000, 50_000)),
        (b"BM" + bytes(16) + struct.pack("<ii", 40_000, -50_000), (40_000, 50_000)),
    ],
)
def test_what_a_few_bytes_can_claim(content: bytes, size: tuple[int, int]) -> None:
    found = claimed(content)
    assert found is not None
    assert found[:2] == size


@given(
    st.sampled_from([PNG, PNG + b"\0\0\0\rIHDR", JPEG, b"\xff\xd8\xff\xc0", b"GIF89a", b"BM", b"RIFF\0\0\0\0WEBPVP8 "])
    | st.sampled_from([b"RIFF\0\0\0\0WEBPVP8L", b"RIFF\0\0\0\0WEBPVP8X", b"II*\0", b"MM\0*", b"P6 ", b"P5\n#", b""]),
    st.binary(max_size=60),
)
def test_any_bytes_claim_a_size_or_nothing(head: bytes, rest: bytes) -> None:
    found = claimed(head + rest)
    assert found is None or found.pixels > 0
    is_too_much_work(head + rest)


def test_a_jpeg_of_thousands_of_passes_is_told_from_a_usual_one() -> None:
    usual = encoded(".jpg", noise(64, 64), cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
    assert usual.count(b"\xff\xda") > 5
    assert not is_too_much_work(usual)
    assert not is_too_much_work(usual + b"\xff\xda\0\x02" * 1000), "what stands behind its end is no part of it"
    last = usual.rindex(b"\xff\xda")
    scan = usual[last:-2]
    assert is_too_much_work(usual[:-2] + scan * MOST_SCANS + usual[-2:])
    assert not is_too_much_work(usual[:last] + b"\xff\xfe\x0f\xa2" + b"\xff\xda\0\x02" * 1000 + usual[last:])
