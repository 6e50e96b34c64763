"""Text in pictures; the only module that imports rapidocr, which the extra `reading` installs."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_LINES, _MOST_CHARACTERS = 12, 120
_SURE = 0.7
"""A line that is read with less certainty is left out: a wrong word is worse than none."""


class ReadingError(Exception):
    """Text cannot be read. The message is one line; `missing` tells an extra that can be got from a fault."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


def read_lines(frame_rgb: NDArray[np.uint8]) -> list[str]:
    """The lines of text in `frame_rgb` (height, width, 3), from top to bottom; 1 to 2 s on two cores.

    Raises ReadingError if rapidocr is not installed, or fails.
    """
    reader = _reader()
    try:
        found = reader(np.ascontiguousarray(frame_rgb[:, :, ::-1]), use_cls=False)
    except Exception as error:
        raise ReadingError(f"text in the picture cannot be read: {' '.join(str(error).split())[:200]}") from error
    if found.txts is None:
        return []
    lines = [
        (float(np.min(box, axis=0)[1]), " ".join(str(text).split())[:_MOST_CHARACTERS].replace('"', "'"))
        for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        if score >= _SURE
    ]
    return [text for _, text in sorted(lines, key=lambda line: line[0]) if text][:_MOST_LINES]


@cache
def _reader() -> Any:
    # ONNX Runtime, on which it runs, collects events about this machine for its makers. Nothing leaves this machine.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        from rapidocr import RapidOCR
    except (ImportError, OSError) as error:
        raise ReadingError(
            f"reading text in pictures needs an extra ({error}): pip install 'parlor-tui[reading]'", missing=True
        ) from None
    return RapidOCR(params={"Global.log_level": "critical"})
