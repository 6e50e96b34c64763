"""What a picture says of itself before anything is decoded: how large it is, and how much work. Pure.

A few kilobytes can claim a thousand megapixels: whoever decodes pictures of others asks here first.
"""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
MOST_SCANS = 64
"""Of a JPEG. Those for the web have ten; each of thousands would be a pass over the whole picture."""
_STANDALONE = {0x01, *range(0xD0, 0xD9)}
"""Marks of a JPEG that have no length behind them."""
_NOT_A_FRAME = {0xC4, 0xC8, 0xCC}
"""Marks among those of frames (C0 to CF) that announce tables."""
_SCAN, _END = 0xDA, 0xD9
_MARK = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]")
"""What ends the data of a scan."""
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PNM = re.compile(rb"P([1-6])(?:\s|#[^\n]*\n)+(\d{1,9})(?:\s|#[^\n]*\n)+(\d{1,9})(?:(?:\s|#[^\n]*\n)+(\d{1,9}))?")
_MOST_TAGS = 4096
_WIDTH, _HEIGHT, _TILE_WIDTH, _TILE_HEIGHT = 256, 257, 322, 323


class Claimed(NamedTuple):
    """What the header of a picture claims. `bytes_per_px` is what a pixel takes once it is decoded, at most."""

    width_px: int
    height_px: int
    bytes_per_px: int

    @property
    def pixels(self) -> int:
        """How many there are."""
        return self.width_px * self.height_px

    @property
    def decoded_bytes(self) -> int:
        """What they take once they are decoded."""
        return self.pixels * self.bytes_per_px


def claimed(content: bytes) -> Claimed | None:
    """What a PNG, JPEG, GIF, BMP, WebP, TIFF or PNM picture claims; None if that cannot be told, or is nothing."""
    try:
        found = _claimed(content)
    except (struct.error, IndexError):
        return None
    return found if found is not None and found.pixels > 0 else None


def is_too_much_work(jpeg: bytes) -> bool:
    """Whether a JPEG has more scans than MOST_SCANS."""
    at, scans = _frame_at(jpeg, _SCAN), 0
    while at is not None and scans <= MOST_SCANS:
        scans += 1
        at = _next_scan(jpeg, at)
    return scans > MOST_SCANS


def _claimed(content: bytes) -> Claimed | None:
    if content.startswith(PNG):
        if content[12:16] != b"IHDR":
            return None
        width, height, depth, colour = struct.unpack(">IIBB", content[16:26])
        return Claimed(width, height, 4 if colour == 3 else _PNG_CHANNELS.get(colour, 4) * (2 if depth == 16 else 1))
    if content.startswith(JPEG):
        at = _frame_at(content, None)
        if at is None:
            return None
        height, width = struct.unpack(">HH", content[at + 5 : at + 9])
        return Claimed(width, height, 3)
    if content.startswith(b"GIF8"):
        width, height = struct.unpack("<HH", content[6:10])
        return Claimed(width, height, 4)
    if content.startswith(b"BM"):
        old = content[14:18] == b"\x0c\0\0\0"
        width, height = struct.unpack("<HH", content[18:22]) if old else struct.unpack("<ii", content[18:26])
        return Claimed(abs(width), abs(height), 4)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return _webp(content)
    if content[:4] in (b"II*\0", b"MM\0*"):
        return _tiff(content, "<" if content[:1] == b"I" else ">")
    found = _PNM.match(content[:4096])
    if found is None:
        return None
    deep = found[1] not in b"14" and int(found[4] or 0) > 255
    return Claimed(int(found[2]), int(found[3]), 6 if deep else 3)


def _webp(content: bytes) -> Claimed | None:
    match content[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", content[26:30])
            return Claimed(width & 0x3FFF, height & 0x3FFF, 4)
        case b"VP8L":
            (bits,) = struct.unpack("<I", content[21:25])
            return Claimed((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, 4)
        case b"VP8X":
            width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
            return Claimed(width, height, 4) if len(content) >= 30 else None
    return None


def _tiff(content: bytes, order: str) -> Claimed | None:
    """The first picture in it. A tile counts as no smaller than it says: it is decoded as a whole."""
    (at,) = struct.unpack(order + "I", content[4:8])
    (tags,) = struct.unpack(order + "H", content[at : at + 2])
    sizes: dict[int, int] = {}
    for place in range(at + 2, at + 2 + 12 * min(tags, _MOST_TAGS), 12):
        tag, kind = struct.unpack(order + "HH", content[place : place + 4])
        if tag in (_WIDTH, _HEIGHT, _TILE_WIDTH, _TILE_HEIGHT):
            form, length = ("H", 2) if kind == 3 else ("I", 4)
            (sizes[tag],) = struct.unpack(order + form, content[place + 8 : place + 8 + length])
    if _WIDTH not in sizes or _HEIGHT not in sizes:
        return None
    width = max(sizes[_WIDTH], sizes.get(_TILE_WIDTH, 0))
    height = max(sizes[_HEIGHT], sizes.get(_TILE_HEIGHT, 0))
    return Claimed(width, height, 8)


def _frame_at(content: bytes, wanted: int | None) -> int | None:
    """Where a JPEG's first frame header (or the first mark `wanted`) is. A preview inside is stepped over."""
    at = 2
    while at + 1 < len(content) and content[at] == 0xFF:
        mark = content[at + 1]
        if mark == wanted:
            return at
        if mark == 0xFF:
            at += 1
        elif mark in (_SCAN, _END):
            return None
        elif mark in _STANDALONE:
            at += 2
        elif wanted is None and 0xC0 <= mark <= 0xCF and mark not in _NOT_A_FRAME:
            return at
        elif at + 4 > len(content):
            return None
        else:
            at += 2 + max(2, struct.unpack(">H", content[at + 2 : at + 4])[0])
    return None


def _next_scan(content: bytes, at: int) -> int | None:
    """Where the scan after the one at `at` begins; None at the end of the picture."""
    while (found := _MARK.search(content, at + 2)) is not None:
        at = found.end() - 2
        if content[at + 1] == _SCAN:
            return at
        if content[at + 1] == _END or at + 4 > len(content):
            return None
        at += max(2, struct.unpack(">H", content[at + 2 : at + 4])[0])
    return None
