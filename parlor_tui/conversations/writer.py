"""Writes conversations on a thread of its own, so that a slow or full disk holds nobody up."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import queue
import threading
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.appending import after_torn, append
from parlor_tui.conversations.store import TALK
from parlor_tui.counts import Count, count

_log = logging.getLogger(__name__)
_WAITING_JOBS = 512
_WAITING_BYTES = 64 * 1024 * 1024
"""Two minutes of speech are 4 MB, and the longest reply is 29."""
ROOM_AGAIN_S = 1.0
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class _Append:
    """Lines for the end of a conversation; `first`: its folder is to be made."""

    folder: Path
    lines: bytes
    first: bool = False


@dataclass(frozen=True, slots=True)
class _Save:
    """A file beside them."""

    folder: Path
    name: str
    content: bytes


class Writer:
    """Appends lines and saves files, in order. What it writes is for the user alone (0600, folders 0700).

    `on_trouble` is called on the writer's thread, once, with why nothing can be written any more in one line; what is
    asked of it after that is let go, until `again`. What belongs to a conversation that was deleted is let go, too.
    Where the disk is full it waits for room, and so does what is asked of it meanwhile, as far as memory is to be spent
    on it: `on_full` is called with that in one line, and with "" once there is room.
    """

    def __init__(self, on_trouble: Callable[[str], None], on_full: Callable[[str], None] = lambda _: None) -> None:
        self._on_trouble = on_trouble
        self._on_full = on_full
        self._jobs: queue.Queue[_Append | _Save | None] = queue.Queue(_WAITING_JOBS)
        self._bytes_lock = threading.Lock()
        self._waiting_bytes = 0
        self._failed = threading.Event()
        self._closing = threading.Event()
        self._full = ""
        self._begun: set[Path] = set()
        self._whole: set[Path] = set()
        self._thread: threading.Thread | None = None

    def begin(self, folder: Path, lines: bytes) -> None:
        """Make the folder of a conversation, and write its first lines."""
        self._put(_Append(folder, lines, first=True), len(lines))

    def append(self, folder: Path, lines: bytes) -> None:
        """Write lines at the end of a conversation."""
        self._put(_Append(folder, lines), len(lines))

    def save(self, folder: Path, name: str, content: bytes) -> None:
        """Write a file into a conversation's folder, whole or not at all."""
        self._put(_Save(folder, name, content), len(content))

    def again(self) -> None:
        """Try anew after trouble."""
        self._failed.clear()

    def has_written(self, folder: Path) -> bool:
        """Whether any of that conversation was written: if its folder is not there, it was deleted."""
        return folder in self._begun

    def close(self, timeout_s: float) -> None:
        """Write what waits, for `timeout_s` at most, and end."""
        self._closing.set()
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._jobs.put(None, timeout=timeout_s / 2)
            self._thread.join(timeout_s / 2)

    def _put(self, job: _Append | _Save, size: int) -> None:
        if self._failed.is_set():
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="conversations", daemon=True)
            self._thread.start()
        with self._bytes_lock:
            full = self._waiting_bytes + size > _WAITING_BYTES and self._waiting_bytes > 0
            if not full:
                self._waiting_bytes += size
        try:
            if full:
                raise queue.Full
            self._jobs.put_nowait(job)
        except queue.Full:
            if not full:
                self._done(size)
            self._fail(self._full or f"{job.folder}: the disk does not keep up")

    def _done(self, size: int) -> None:
        with self._bytes_lock:
            self._waiting_bytes -= size

    def _fail(self, why: str) -> None:
        if not self._failed.is_set():
            self._failed.set()
            count(Count.KEEPING_STOPPED)
            self._on_trouble(why)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                if not self._failed.is_set():
                    self._write_once_there_is_room(job)
            except OSError as error:
                if not (self.has_written(job.folder) and not job.folder.is_dir()):  # it was not deleted meanwhile
                    self._fail(f"{error.filename or job.folder}: cannot be written: {error.strerror or error}")
            except Exception as error:  # noqa: BLE001 - the edge of the thread: that nothing is kept has to be told
                _log.exception("conversations")
                self._fail(f"{job.folder}: cannot be written ({type(error).__name__})")
            finally:
                self._done(len(job.lines if isinstance(job, _Append) else job.content))

    def _write_once_there_is_room(self, job: _Append | _Save) -> None:
        while not self._failed.is_set():
            try:
                self._write(job)
            except OSError as error:
                self._whole.discard(job.folder / TALK)  # a part of the lines may be there
                if error.errno not in _FULL:
                    raise
                if not self._full:
                    self._full = f"{error.filename or job.folder}: cannot be written: {error.strerror}"
                    self._on_full(self._full)
                if self._closing.wait(ROOM_AGAIN_S):
                    raise
            else:
                break
        if self._full:
            self._full = ""
            self._on_full("")

    def _write(self, job: _Append | _Save) -> None:
        if isinstance(job, _Append) and job.first and job.folder not in self._begun:
            job.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            job.folder.mkdir(mode=0o700)
        elif not job.folder.is_dir():
            return  # it was deleted
        self._begun.add(job.folder)
        if isinstance(job, _Append):
            file = job.folder / TALK
            lines = job.lines if file in self._whole else after_torn(file) + job.lines
            append(file, lines)
            self._whole.add(file)
        else:
            part = job.folder / f"{job.name}.part"
            part.unlink(missing_ok=True)
            append(part, job.content)
            part.replace(job.folder / job.name)


def wav(pcm16: bytes, rate_hz: int) -> bytes:
    """A WAV file of 16-bit little-endian mono PCM."""
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate_hz)
        sound.writeframes(pcm16)
    return content.getvalue()
