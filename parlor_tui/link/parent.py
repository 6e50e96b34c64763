"""A core that was started by a terminal ends with it, however that ends, and whatever the core is at."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable

_IN_ORDER_S = 3.0
"""A core whose terminal is gone has this long to end in order."""
_PR_SET_PDEATHSIG = 1


def follow_parent(gone: Callable[[], None]) -> None:
    """Call `gone`, on a thread of its own, once stdin ends: when the parent closes it or dies. Soon after, exit.

    Where the system can be asked to (Linux), it kills this process together with a parent that dies: one that hangs in
    a native call, or stands still, does not see the end of stdin.
    """
    parent = os.getppid()
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died a moment ago
            os._exit(1)
    threading.Thread(target=_wait, args=(gone,), name="parent", daemon=True).start()


def _wait(gone: Callable[[], None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while os.read(0, 4096):
            pass
    gone()
    threading.Event().wait(_IN_ORDER_S)
    os._exit(1)
