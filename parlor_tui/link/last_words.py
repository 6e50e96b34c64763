"""What a core that stands still, or hangs in a native call, was doing: it writes that into its log before it is ended.

Not on Windows, which has no signal to ask for it with.
"""

from __future__ import annotations

import contextlib
import faulthandler
import signal
import subprocess

WITHIN_S = 2.0
"""Going on and writing a few kB takes some ms, more on a busy machine; one that waits for a disk takes no signal."""
_ASK = getattr(signal, "SIGUSR1", None)
_CONTINUE = getattr(signal, "SIGCONT", None)


def give_when_asked() -> None:
    """In the core: once it is asked to, print to stderr where every thread is, and end.

    That is done in C by whichever thread takes the signal: it needs neither the event loop nor Python's lock. Unlike
    with SIGABRT, the system keeps no copy of the memory, in which there is what was said.
    """
    if _ASK is not None:
        faulthandler.register(_ASK, all_threads=True, chain=True)


def ask(process: subprocess.Popen[bytes]) -> None:
    """Have `process` give them, and wait for its end for `WITHIN_S` at most. One that knows nothing of it just ends."""
    if _ASK is None or _CONTINUE is None:
        return
    process.send_signal(_ASK)
    process.send_signal(_CONTINUE)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(WITHIN_S)
