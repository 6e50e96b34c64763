"""Pictures as clients send them: checked before anything decodes them."""

from __future__ import annotations

import struct

MAX_PICTURE_BYTES = 4 * 1024 * 1024
MAX_PICTURE_PIXELS = 20_000_000
"""More than a telephone's camera makes. A few kilobytes can claim a thousand times that, and fill the memory."""
_JPEG, _PNG = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"
_STANDALONE = {0x01, *range(0xD0, 0xD9)}
"""Marks of a JPEG that have no length behind them."""
_NOT_A_FRAME = {0xC4, 0xC8, 0xCC}
"""Marks among those of frames (C0 to CF) that announce tables."""
_SCAN, _END = 0xDA, 0xD9


class PictureError(Exception):
    """Not a picture that is taken. The message is one line."""


def check_picture(data: bytes) -> str:
    """The kind of picture that `data` is, JPEG or PNG, by its first bytes; nothing is decoded.

    Raises PictureError if it is neither, larger than MAX_PICTURE_BYTES, has more than MAX_PICTURE_PIXELS, or does not
    say how many it has.
    """
    if len(data) > MAX_PICTURE_BYTES:
        raise PictureError(f"the picture has {len(data)} bytes; at most {MAX_PICTURE_BYTES} are taken")
    if data.startswith(_JPEG):
        kind, size = "JPEG", _jpeg_size(data)
    elif data.startswith(_PNG):
        kind, size = "PNG", _png_size(data)
    else:
        raise PictureError("the picture is neither a JPEG nor a PNG")
    if size is None or 0 in size:
        raise PictureError(f"the {kind} picture is damaged: it does not say how large it is")
    width, height = size
    if width * height > MAX_PICTURE_PIXELS:
        most = MAX_PICTURE_PIXELS // 1_000_000
        raise PictureError(f"the picture has {width}x{height} pixels; at most {most} megapixels are taken")
    return kind


def _png_size(data: bytes) -> tuple[int, int] | None:
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height as the first frame header says; it comes before any scan. A preview inside is stepped over."""
    at = 2
    while at + 1 < len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if mark == 0xFF:
            at += 1
        elif mark in (_SCAN, _END):
            return None
        elif mark in _STANDALONE:
            at += 2
        elif 0xC0 <= mark <= 0xCF and mark not in _NOT_A_FRAME:
            if at + 9 > len(data):
                return None
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        elif at + 4 > len(data):
            return None
        else:
            at += 2 + max(2, struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None
