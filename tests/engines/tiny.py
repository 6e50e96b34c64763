"""The tiny Gemma of the tests as a file that the real engine loads."""

from __future__ import annotations

import gzip
from pathlib import Path

PACKED = Path(__file__).resolve().parents[1] / "tiny_gemma" / "gemma4-tiny.litertlm.gz"


def tiny_gemma(folder: Path) -> Path:
    """The model that hears and sees, unpacked into `folder`."""
    assert PACKED.exists(), f"{PACKED} is missing: python tests/tiny_gemma/make.py makes it"
    model = folder / "tiny.litertlm"
    model.write_bytes(gzip.decompress(PACKED.read_bytes()))
    return model
