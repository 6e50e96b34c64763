"""How a core ended, in words for a person."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

from parlor_tui.link.wire import NO_MEMORY_EXIT, WEDGED_EXIT

_COUNTERS = Path("/proc/vmstat")


def in_words(code: int, log: Path, *, out_of_memory: bool = False) -> str:
    """The end of a core with this exit code, in one line. `out_of_memory`: the system was short of it meanwhile."""
    if code == WEDGED_EXIT:
        return "the model hung and was given up on"
    if code == NO_MEMORY_EXIT:
        return "the core was given no more memory"
    if code > 0xFFFF:  # Windows gives the number of the exception, which has its highest bit set
        return f"the core crashed ({code & 0xFFFFFFFF:#x})"
    if code > 0:
        return f"the core ended with code {code}; see {log}"
    if code == 0:
        return "the core ended"
    name = f"signal {-code}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
    if name == "SIGKILL":
        return f"the core was killed ({'the machine is' if out_of_memory else 'maybe'} out of memory)"
    if name in ("SIGTERM", "SIGINT", "SIGHUP"):
        return f"the core was told to end ({name})"
    return f"the core crashed ({name})"


def memory_kills(counters: Path = _COUNTERS) -> int:
    """How many processes this system ended for want of memory since it started; 0 where it does not tell."""
    with contextlib.suppress(OSError, ValueError):
        for line in counters.read_text("ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0
