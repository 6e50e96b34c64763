"""The bounded way out: the process ends in time, whatever a native thread does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable

LEAVE_WITHIN_S = 1.8
STOP_WITHIN_S = 1.0
PARENT_EVERY_S = 1.0
INTERPRETER_GRACE_S = 0.3
"""For the interpreter's own end, after the main thread is through."""
LEAVING_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")


def told_already() -> None:
    """From now on no signal ends this process on its way out: a closed terminal sends two, a hasty key many more.

    To be called on the main thread, in the event loop that heeded them, once the way out is armed.
    """
    for name in LEAVING_SIGNALS:
        if hasattr(signal, name):
            with contextlib.suppress(NotImplementedError, RuntimeError):
                asyncio.get_running_loop().remove_signal_handler(getattr(signal, name))
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def watch_parent() -> None:
    """From now on the end of the process that started this one is told here as SIGTERM: nobody looks on any more.

    Where there is no such thing as a parent (Windows) the pipe to it breaks, which is noticed at the next drawing.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            threading.Event().wait(PARENT_EVERY_S)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


class WayOut:
    """Ends the process by force if leaving takes longer than it may.

    `arm` when leaving begins, `finished` when the caller's own part of it is done. From then on only the end of
    the interpreter is watched: a thread that never returns would hold it up for ever.
    """

    def __init__(self, restore: Callable[[], None]) -> None:
        self._restore = restore
        self._finished = threading.Event()
        self._armed = threading.Lock()
        self._code = 0

    def arm(self, limit_s: float = LEAVE_WITHIN_S) -> None:
        """From now on the process has `limit_s` to end. Only the first call counts."""
        if self._armed.acquire(blocking=False):
            threading.Thread(target=self._watch, args=(limit_s,), name="way-out", daemon=True).start()

    def finished(self, code: int) -> None:
        """Our own part is done; the process is expected to end with `code`."""
        self._code = code
        self._finished.set()

    def _watch(self, limit_s: float) -> None:
        if not self._finished.wait(limit_s):
            with contextlib.suppress(Exception):  # nothing may stand between here and the exit
                self._restore()
            os._exit(self._code)
        threading.main_thread().join()
        threading.Event().wait(INTERPRETER_GRACE_S)
        os._exit(self._code)
