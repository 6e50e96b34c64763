"""Sound files; the only module that imports soundfile."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ, DeviceError
from parlor_tui.devices.files import regular_file
from parlor_tui.devices.resample import resample_pieces

LOWEST_RATE_HZ = 4000
HIGHEST_RATE_HZ = 768000
MOST_CHANNELS = 64
MOST_VALUES = 400_000_000
"""Samples of all channels together: half an hour of stereo at 96 kHz. A few megabytes of silence can hold far more."""
_TOO_MUCH = f"at most {MOST_VALUES // 1_000_000} million are taken: convert it to 16000 Hz mono"
_VALUES_AT_ONCE = 1 << 18
_MOST_CHUNKS = 4096
UNKNOWN_LENGTH = 0x7FFFF000
"""A WAV chunk that claims at least this much was written to a pipe: its real length is that of the file."""
HEADER_BYTES = 44
LARGEST_DATA_BYTES = 0xFFFFFFFF - HEADER_BYTES


def read_sound(path: Path, max_seconds: float) -> NDArray[np.float32]:
    """The whole file as mono float32 at 16 kHz, in -1..1.

    Raises DeviceError for whatever is not a complete, finite sound of at most `max_seconds`.
    """
    name = str(path)
    file = regular_file(path, "a sound file")
    if file.stat().st_size == 0:
        raise DeviceError(f"{name}: the file is empty: record it again")
    try:
        import soundfile
    except (ImportError, OSError) as error:
        raise DeviceError(f"{name}: libsndfile is missing ({error}): pip install soundfile", missing=True) from None
    try:
        with file.open("rb") as opened:
            _check_whole_wav(opened, name)
            with soundfile.SoundFile(opened) as sound:
                _check_size(sound, name, max_seconds)
                mono = _read_mono(sound, name, max_seconds)
                pieces = [np.clip(p, -1.0, 1.0) for p in resample_pieces(mono, int(sound.samplerate), MIC_RATE_HZ)]
    except soundfile.LibsndfileError as error:
        reason = str(error.error_string).rstrip(".")
        raise DeviceError(f"{name}: no sound that can be read ({reason}): give a WAV, FLAC, OGG or MP3 file") from None
    except OSError as error:
        raise DeviceError(f"{name}: cannot be read: {error.strerror or error}") from None
    return np.concatenate(pieces)


def _check_size(sound: Any, name: str, max_seconds: float) -> None:
    """What the header claims. Raises DeviceError, before anything is decoded."""
    rate_hz, channels, claimed = int(sound.samplerate), int(sound.channels), int(sound.frames)
    if not LOWEST_RATE_HZ <= rate_hz <= HIGHEST_RATE_HZ:
        raise DeviceError(f"{name}: a sample rate of {rate_hz} Hz: convert it to 16000 Hz")
    if not 1 <= channels <= MOST_CHANNELS:
        raise DeviceError(f"{name}: {channels} channels: at most {MOST_CHANNELS} are taken: convert it to mono")
    if not _is_known(claimed):
        return
    if claimed > int(max_seconds * rate_hz):
        raise DeviceError(f"{name}: {claimed / rate_hz:.1f} s long; at most {max_seconds:g} s are taken: cut it")
    if claimed * channels > MOST_VALUES:
        raise DeviceError(f"{name}: {claimed * channels} samples: {_TOO_MUCH}")


def _is_known(claimed: int) -> bool:
    return 0 <= claimed < UNKNOWN_LENGTH * 16


def _read_mono(sound: Any, name: str, max_seconds: float) -> Iterator[NDArray[np.float32]]:
    """The sound in pieces, mono at its own rate, in -1..1. Raises DeviceError where it is not as its header says."""
    rate_hz, channels, claimed = int(sound.samplerate), int(sound.channels), int(sound.frames)
    limit = int(max_seconds * rate_hz)
    known = _is_known(claimed)
    total = 0
    for piece in sound.blocks(blocksize=_VALUES_AT_ONCE // channels, dtype="float32", always_2d=True):
        total += len(piece)
        if total > limit:
            raise DeviceError(f"{name}: longer than {max_seconds:g} s, the most that is taken: cut it")
        if total * channels > MOST_VALUES:
            raise DeviceError(f"{name}: {_TOO_MUCH}")
        if not np.isfinite(piece).all():
            raise DeviceError(
                f"{name}: holds values that are no numbers (NaN or infinity): export it again as 16-bit WAV"
            )
        yield np.clip(piece.mean(axis=1, dtype=np.float32), -1.0, 1.0)
    if not total:
        raise DeviceError(f"{name}: holds no sound (0 samples): record it again")
    if known and total < claimed - rate_hz // 20:
        raise DeviceError(
            f"{name}: cut short: {total / rate_hz:.1f} s of {claimed / rate_hz:.1f} s are there: copy it again"
        )


def _check_whole_wav(opened: BinaryIO, name: str) -> None:
    """Libsndfile plays a WAV file that was cut short as if it were whole."""
    size = opened.seek(0, 2)
    opened.seek(0)
    head = opened.read(12)
    if head[:4] == b"RIFF" and head[8:] == b"WAVE":
        for _ in range(_MOST_CHUNKS):
            if len(chunk := opened.read(8)) < 8:
                break
            tag, length = struct.unpack("<4sI", chunk)
            there = size - opened.tell()
            if tag == b"data" and there < length < UNKNOWN_LENGTH:
                raise DeviceError(
                    f"{name}: cut short: {there} of {length} bytes of sound are there: copy or record it again"
                )
            if tag == b"data":
                break
            opened.seek(length + length % 2, 1)
    opened.seek(0)


class WavRecording:
    """A 16-bit mono WAV file at 24 kHz, valid while it grows: the header counts what was there at the last `seal`."""

    def __init__(self, path: Path) -> None:
        """Raises DeviceError where nothing can be written."""
        self.name = str(path)
        if path.suffix.lower() not in (".wav", ".wave"):
            raise DeviceError(f"{self.name}: a speaker records WAV: give a name that ends in .wav")
        try:
            self._file = path.expanduser().open("wb", buffering=0)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise DeviceError(f"{self.name}: cannot be written: {reason}: choose another place", missing=True) from None
        self._data_bytes = 0
        try:
            self._file.write(self._header())
        except OSError as error:
            self._file.close()
            raise DeviceError(f"{self.name}: cannot be written: {error.strerror}: choose another place") from None

    def add(self, samples: NDArray[np.float32]) -> None:
        """Append `samples` (-1..1). Raises DeviceError: the disk or the format (24 hours) is full."""
        pcm16 = np.round(samples * 32767.0).astype("<i2").tobytes()
        if self._data_bytes + len(pcm16) > LARGEST_DATA_BYTES:
            raise DeviceError(f"{self.name}: a WAV file holds no more than 4 GB")
        self._write(pcm16)
        self._data_bytes += len(pcm16)

    def seal(self) -> None:
        """Count what was added so far in the header. Raises DeviceError."""
        try:
            self._file.seek(0)
            self._file.write(self._header())
            self._file.seek(0, 2)
        except OSError as error:
            raise DeviceError(f"{self.name}: cannot be written: {error.strerror}") from None

    def close(self) -> None:
        """Seal and close it. Raises DeviceError if it cannot be sealed."""
        if self._file.closed:
            return
        try:
            self.seal()
        finally:
            self._file.close()

    def _write(self, content: bytes) -> None:
        try:
            done = self._file.write(content)
            while done < len(content):  # a full disk takes a part first and fails with the next
                done += self._file.write(content[done:])
        except OSError as error:
            raise DeviceError(f"{self.name}: cannot be written: {error.strerror}") from None

    def _header(self) -> bytes:
        return struct.pack(
            "<4sI4s4sIHHIIHH4sI",
            b"RIFF", self._data_bytes + HEADER_BYTES - 8, b"WAVE",
            b"fmt ", 16, 1, 1, SPEAKER_RATE_HZ, SPEAKER_RATE_HZ * 2, 2, 16,
            b"data", self._data_bytes,
        )  # fmt: skip
