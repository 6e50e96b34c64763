"""A thread for what goes to the disk, so that a slow, full or missing one holds nobody up."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable

from parlor_tui.counts import Count, count
from parlor_tui.events import now_s

_log = logging.getLogger(__name__)
_WAITING_JOBS = 256
HELD_JOBS = 1024
"""So many are held back while the disk takes none: a turn's is about 1 kB, and a long talk has some hundred."""
RETRY_S = 2.0
"""What could not be done is tried again so often: that costs one attempt to open a file."""

Job = Callable[[], None]


class DiskThread:
    """Does jobs in order; each may raise OSError. It begins with the first one.

    A job of `put` that fails is held back, and those after it, until it can be done: `on_trouble` is called with why
    something cannot be written, in one line, and not again before something could be; `on_again` is called then, with
    how many jobs found no room meanwhile and were lost. Both mostly on this thread; a queue that overflows is told on
    that of who asked.
    """

    def __init__(
        self,
        name: str,
        on_trouble: Callable[[str], None],
        on_again: Callable[[int], None],
        *,
        retry_s: float = RETRY_S,
    ) -> None:
        self._name = name
        self._on_trouble = on_trouble
        self._on_again = on_again
        self._retry_s = retry_s
        self._jobs: queue.Queue[Job | None] = queue.Queue(_WAITING_JOBS)
        self._held: deque[Job] = deque()
        self._lock = threading.Lock()
        self._lost = 0
        self._told = False
        self._thread: threading.Thread | None = None

    def put(self, job: Job) -> None:
        """Have `job` done, however long that takes; returns at once. One that finds no room is lost."""
        if not self._queued(lambda: self._hold(job)):
            self._lose(f"the {self._name} is not kept: the disk does not keep up")

    def once(self, job: Job, on_failure: Callable[[str], None]) -> None:
        """Have `job` done in its turn, or `on_failure` called with why not; returns at once. It holds no other up."""

        def attempt() -> None:
            try:
                job()
            except OSError as error:
                on_failure(_why(error))
            except Exception as error:  # who waits for it must hear of it; logged by the thread
                on_failure(type(error).__name__)
                raise

        if not self._queued(attempt):
            on_failure("the disk does not keep up")

    def close(self, timeout_s: float) -> None:
        """Do what waits, for `timeout_s` at most, and end; what is held back is tried for the last time."""
        if self._thread is not None:
            until_s = now_s() + timeout_s
            with contextlib.suppress(queue.Full):
                self._jobs.put(None, timeout=timeout_s)
            self._thread.join(max(0.0, until_s - now_s()))

    def _queued(self, job: Job) -> bool:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            return False
        return True

    # --- on the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        due_s, ended = 0.0, False
        while not ended:
            with contextlib.suppress(queue.Empty):  # nothing new came, and what is held back is due
                job = self._jobs.get(timeout=max(0.0, due_s - now_s()) if self._held else None)
                if job is None:
                    ended = True
                else:
                    self._do(job)
            if self._held and (ended or now_s() >= due_s) and not self._write_held():
                due_s = now_s() + self._retry_s

    def _hold(self, job: Job) -> None:
        if len(self._held) < HELD_JOBS:
            self._held.append(job)
        else:
            self._lose("")

    def _write_held(self) -> bool:
        """Do what is held back, up to the first that cannot be done; whether there was none."""
        while self._held:
            try:
                self._do(self._held[0])
            except OSError as error:
                self._trouble(f"the {self._name} is not kept: {_why(error)}")
                return False
            self._held.popleft()
        self._worked()
        return True

    def _do(self, job: Job) -> None:
        try:
            job()
        except OSError:
            raise
        except Exception:  # noqa: BLE001 - the thread's edge: one job that fails must not end those after it
            _log.exception(self._name)

    def _lose(self, why: str) -> None:
        with self._lock:
            self._lost += 1
        count(Count.JOURNAL_LINES_LOST)
        self._trouble(why)

    def _trouble(self, why: str) -> None:
        with self._lock:
            tell = bool(why) and not self._told
            self._told = self._told or tell
        if tell:
            self._on_trouble(why)

    def _worked(self) -> None:
        with self._lock:
            if not self._told:
                return
            lost, self._lost, self._told = self._lost, 0, False
        self._on_again(lost)


def _why(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}"
