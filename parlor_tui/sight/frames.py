"""Pictures as clients send them: checked before anything decodes them."""

from __future__ import annotations

MAX_PICTURE_BYTES = 4 * 1024 * 1024
_MAGIC = {b"\xff\xd8\xff": "JPEG", b"\x89PNG\r\n\x1a\n": "PNG"}


class PictureError(Exception):
    """Not a picture that is taken. The message is one line."""


def check_picture(data: bytes) -> str:
    """The kind of picture that `data` is, JPEG or PNG, by its first bytes.

    Raises PictureError if it is neither, or larger than MAX_PICTURE_BYTES.
    """
    if len(data) > MAX_PICTURE_BYTES:
        raise PictureError(f"the picture has {len(data)} bytes; at most {MAX_PICTURE_BYTES} are taken")
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            return kind
    raise PictureError("the picture is neither a JPEG nor a PNG")
