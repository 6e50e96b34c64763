"""Tiny Gemma 4 models with random weights, which the real LiteRT-LM loads: they answer in words without sense."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from pathlib import Path
from typing import Literal

Kind = Literal["full", "text"]
PACKED = {
    "full": Path(__file__).with_name("gemma4-tiny.litertlm.gz"),
    "text": Path(__file__).with_name("gemma4-tiny-text.litertlm.gz"),
}


def tiny_gemma(folder: Path, kind: Kind = "full") -> Path:
    """The .litertlm in `folder`, unpacked there if it is not there yet; the folder is made if need be.

    `full` hears and sees, `text` only reads. Several processes may ask at once: each finds the whole file or makes it.
    """
    packed = PACKED[kind]
    model = folder / packed.stem
    size_bytes = unpacked_bytes(packed)
    if is_whole(model, size_bytes):
        return model
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{model.name}.")
    part = Path(name)
    try:
        with gzip.open(packed) as source, os.fdopen(handle, "wb") as target:
            shutil.copyfileobj(source, target)
        try:
            part.replace(model)
        except PermissionError:  # Windows, when another process made the model meanwhile and has it open
            if not is_whole(model, size_bytes):
                raise
    finally:
        part.unlink(missing_ok=True)
    return model


def unpacked_bytes(packed: Path) -> int:
    """The size that a .gz file of less than 4 GiB states in its last four bytes."""
    with packed.open("rb") as file:
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(4), "little")


def is_whole(file: Path, size_bytes: int) -> bool:
    """Whether `file` is there with just this size."""
    return file.is_file() and file.stat().st_size == size_bytes
