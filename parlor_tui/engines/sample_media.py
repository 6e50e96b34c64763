"""A small picture and a short sound, made on the spot: what probes and measurements show and play to a model."""

from __future__ import annotations

import array
import io
import math
import struct
import sys
import wave
import zlib

RATE_HZ = 16_000


def picture_png(width_px: int, height_px: int) -> bytes:
    """A colour gradient as PNG."""
    rows = bytearray()
    for y in range(height_px):
        row = bytearray(b"\0")  # filter: none
        for x in range(width_px):
            row += bytes((x * 255 // width_px, y * 255 // height_px, (x ^ y) & 255))
        rows += row
    header = struct.pack(">IIBBBBB", width_px, height_px, 8, 2, 0, 0, 0)  # 8 bits a channel, RGB
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows))), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def sound_wav(length_s: float) -> bytes:
    """A tone that glides up and down, as 16 kHz mono 16-bit WAV."""
    samples = array.array("h")
    phase = 0.0
    for number in range(round(length_s * RATE_HZ)):
        phase += 2 * math.pi * (300 + 200 * math.sin(4 * math.pi * number / RATE_HZ)) / RATE_HZ
        samples.append(round(9000 * math.sin(phase)))
    if sys.byteorder == "big":
        samples.byteswap()
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE_HZ)
        out.writeframes(samples.tobytes())
    return file.getvalue()
