"""A disk that is full soon: a small file system in memory, where one may mount it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a disk of 1 MB on `folder`; whether that may be done."""
    folder.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if mount is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", str(folder)], check=True)
