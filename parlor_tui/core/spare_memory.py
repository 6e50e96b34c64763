"""Notices that the system gives this process no more memory: nothing can be done then but end it, and start another.

Where memory is promised before it is there (Linux, mostly) the system kills such a process. Where it is refused (by a
limit on the process, on Windows, by a system that promises nothing) Python hangs for ever as it starts a thread.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable

SPARE_BYTES = 16 * 1024 * 1024
"""With less than that to be had no reply can be made."""
LOOK_EVERY_S = 0.5


def watch_spare_memory(on_none: Callable[[], None]) -> None:
    """Call `on_none`, on a thread of its own, once the system refuses memory. To be begun while there is some."""
    threading.Thread(target=_watch, args=(on_none,), name="spare memory", daemon=True).start()


def _watch(on_none: Callable[[], None]) -> None:
    pause = threading.Event()
    while has_spare_memory():
        pause.wait(LOOK_EVERY_S)
    on_none()


def has_spare_memory() -> bool:
    """Whether the system would give this process some more. It is asked, and nothing of it is touched."""
    try:
        mmap.mmap(-1, SPARE_BYTES).close()
    except (OSError, MemoryError):
        return False
    return True
