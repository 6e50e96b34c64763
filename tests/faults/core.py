"""The core of these sittings: real, but for the heat of its machine, and for what SIGUSR1 makes of it.

On that signal it computes for longer than anybody waits, and lets nothing else run: as a native call does that hangs.
"""

from __future__ import annotations

import signal

from tests.assistant import heated_core

ENDLESS = 10**11


def compute(_number: int, _frame: object) -> None:
    sum(range(ENDLESS))


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, compute)
    heated_core.main()
