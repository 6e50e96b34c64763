"""The core of these sittings: real, but for the heat of its machine, and for what a test makes of it.

On SIGUSR2 it computes for longer than anybody waits, and lets nothing else run, as a native call does that hangs.
While there is a file `broken` beside that of the heat it ends at once; with one named `stuck` its models never come.
"""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlor_tui.core.profiles import OnProgress, Parts

ENDLESS = 10**11


def compute(_number: int, _frame: object) -> None:
    sum(range(ENDLESS))


def never(progress: OnProgress, cancelled: threading.Event) -> Parts:
    progress("loading answers (of a test)", 0, 0)
    cancelled.wait()
    raise RuntimeError("it was ended")


def main() -> None:
    heat = Path(sys.argv[1])
    if heat.with_name("broken").exists():
        sys.exit(3)
    if heat.with_name("stuck").exists():
        from parlor_tui.core.profiles import LITE
        from parlor_tui.link.server import run_core
        from parlor_tui.settings import load

        run_core(load(Path(sys.argv[2])), 0, None, simulated=(LITE, never))
    from tests.assistant import heated_core

    signal.signal(signal.SIGUSR2, compute)
    heated_core.main()


if __name__ == "__main__":
    main()
