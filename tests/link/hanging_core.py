"""A real core whose models do not come, in the way that its argument says. Without it they fail to load, in words.

never   nothing more is heard of the loading, and nothing happens
frozen  a native call never comes back, and keeps everything else in the process from running
busy    the same, but it computes, and comes back after some seconds
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time

from parlor_tui.core.profiles import LITE, OnProgress, Parts
from parlor_tui.engines.base import EngineError
from parlor_tui.link.server import run_core
from parlor_tui.settings import Settings


def load(progress: OnProgress, cancelled: threading.Event) -> Parts:
    progress("loading the first part", 0, 0)
    time.sleep(0.5)
    match sys.argv[1:]:
        case ["never"]:
            threading.Event().wait()
        case ["frozen"]:
            ctypes.PyDLL(None).sleep(600)
        case ["busy"]:
            sum(range(300_000_000))
    raise EngineError("there is nothing to load")


if __name__ == "__main__":
    run_core(Settings(), 0, None, simulated=(LITE, load))
