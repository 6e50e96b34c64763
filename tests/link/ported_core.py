"""A real core whose models never come, as a child: FILE are its settings; with PORT it is told where to listen."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from parlor_tui.core.profiles import LITE, OnProgress, Parts
from parlor_tui.link.server import run_core
from parlor_tui.settings import load


def wait(progress: OnProgress, cancelled: threading.Event) -> Parts:
    progress("waiting for nothing", 0, 0)
    cancelled.wait()
    raise OSError("cancelled")


if __name__ == "__main__":
    run_core(load(Path(sys.argv[1])), int(sys.argv[2]) if sys.argv[2:] else None, None, simulated=(LITE, wait))
