"""Pictures as clients send them: checked before anything decodes them."""

from __future__ import annotations

from parlor_tui.picture_headers import JPEG, MOST_SCANS, PNG, claimed, is_too_much_work

MAX_PICTURE_BYTES = 4 * 1024 * 1024
MAX_PICTURE_PIXELS = 20_000_000
"""More than a telephone's camera makes. A few kilobytes can claim a thousand times that, and fill the memory."""
MAX_DECODED_BYTES = 100_000_000
"""A transparent picture of the most pixels, or half as many with 16 bits a colour."""


class PictureError(Exception):
    """Not a picture that is taken. The message is one line."""


def check_picture(data: bytes) -> str:
    """The kind of picture that `data` is, JPEG or PNG, by its first bytes; nothing is decoded.

    Raises PictureError if it is neither, larger than MAX_PICTURE_BYTES, would have more than MAX_PICTURE_PIXELS or take
    more than MAX_DECODED_BYTES, does not say how many it has, or is made to take long.
    """
    if len(data) > MAX_PICTURE_BYTES:
        raise PictureError(f"the picture has {len(data)} bytes; at most {MAX_PICTURE_BYTES} are taken")
    kind = "JPEG" if data.startswith(JPEG) else "PNG" if data.startswith(PNG) else None
    if kind is None:
        raise PictureError("the picture is neither a JPEG nor a PNG")
    size = claimed(data)
    if size is None:
        raise PictureError(f"the {kind} picture is damaged: it does not say how large it is")
    if size.pixels > MAX_PICTURE_PIXELS:
        most = MAX_PICTURE_PIXELS // 1_000_000
        raise PictureError(
            f"the picture has {size.width_px}x{size.height_px} pixels; at most {most} megapixels are taken"
        )
    if size.decoded_bytes > MAX_DECODED_BYTES:
        raise PictureError(f"the picture takes {size.decoded_bytes // 1_000_000} MB once decoded: send fewer pixels")
    if kind == "JPEG" and is_too_much_work(data):
        raise PictureError(f"the picture has more than {MOST_SCANS} scans: save it as a usual JPEG")
    return kind
