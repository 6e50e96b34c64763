"""A thread for what goes to the disk, so that a slow, full or missing one holds nobody up."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable

from parlor_tui.events import now_s

_log = logging.getLogger(__name__)
_WAITING_JOBS = 256
RETRY_S = 60.0
"""After trouble, what is asked for is let go for so long."""


class DiskThread:
    """Does jobs in order; each may raise OSError. It begins with the first one.

    `on_trouble` is called with why something cannot be written, in one line, and not again before something could be;
    `on_again` is called then, with how many jobs were lost. Both mostly on this thread; a queue that overflows is told
    on that of who asked.
    """

    def __init__(
        self,
        name: str,
        on_trouble: Callable[[str], None],
        on_again: Callable[[int], None],
        *,
        clock_s: Callable[[], float] = now_s,
    ) -> None:
        self._name = name
        self._on_trouble = on_trouble
        self._on_again = on_again
        self._clock_s = clock_s
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue(_WAITING_JOBS)
        self._lock = threading.Lock()
        self._lost = 0
        self._told = False
        self._retry_at_s = 0.0
        self._thread: threading.Thread | None = None

    def put(self, job: Callable[[], None]) -> None:
        """Have `job` done; returns at once. One that finds no room is lost."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self._lose(f"the {self._name} is not kept: the disk does not keep up")

    def close(self, timeout_s: float) -> None:
        """Do what waits, for `timeout_s` at most, and end."""
        if self._thread is not None:
            until_s = now_s() + timeout_s
            with contextlib.suppress(queue.Full):
                self._jobs.put(None, timeout=timeout_s)
            self._thread.join(max(0.0, until_s - now_s()))

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._clock_s() < self._retry_at_s:
                self._lose("")
                continue
            try:
                job()
            except OSError as error:
                self._retry_at_s = self._clock_s() + RETRY_S
                place = f"{error.filename}: " if error.filename else ""
                self._lose(f"the {self._name} is not kept: {place}{error.strerror or error}")
            except Exception:  # noqa: BLE001 - the thread's edge: one job that fails must not end those after it
                _log.exception(self._name)
            else:
                self._worked()

    def _lose(self, why: str) -> None:
        with self._lock:
            self._lost += 1
            tell = bool(why) and not self._told
            self._told = self._told or tell
        if tell:
            self._on_trouble(why)

    def _worked(self) -> None:
        with self._lock:
            lost, self._lost, told, self._told = self._lost, 0, self._told, False
        if told:
            self._on_again(lost)
