"""Paths that people give in place of a device."""

from __future__ import annotations

import os
from pathlib import Path

from parlor_tui.devices.base import DeviceError

SOUND_SUFFIXES = frozenset(
    {".wav", ".wave", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".aif", ".aiff", ".au", ".w64", ".caf"}
)
PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".pgm", ".ppm"})
VIDEO_SUFFIXES = frozenset({".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v", ".mpg", ".mpeg", ".ts"})
ROOTS = ("/", "./", "../", "~/", ".\\", "..\\", "~\\")


def means_file(choice: str, suffixes: frozenset[str]) -> bool:
    """Whether `choice` names a file, there or not, and not a device."""
    path = Path(choice)
    try:
        there = bool(choice) and path.exists()
    except (OSError, ValueError):
        there = False
    return there or path.suffix.lower() in suffixes or choice.startswith(ROOTS) or path.is_absolute()


def regular_file(path: Path, what: str) -> Path:
    """`path` with the home folder put in; DeviceError unless it is a regular file that may be read."""
    try:
        file = path.expanduser()
        if file.is_dir():
            raise DeviceError(f"{path}: is a folder: give {what}")
        if not file.exists():
            raise DeviceError(f"{path}: there is no such file: give {what}", missing=True)
        if not file.is_file():
            raise DeviceError(f"{path}: is no regular file: give {what}")
        if not os.access(file, os.R_OK):
            raise DeviceError(f"{path}: may not be read: change its permissions", missing=True)
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DeviceError(f"{path}: cannot be read: {reason}: give {what}", missing=True) from None
    return file
