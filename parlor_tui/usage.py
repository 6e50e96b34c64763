"""What memory and processor time are in use: of this machine, of processes. Through psutil; MB are 10^6 bytes."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import Any

_BYTES_PER_MB = 1e6


def memory_bytes() -> tuple[int, int]:
    """The machine's memory: its size, and what is taken; what the system can take back at once is not."""
    memory = psutil().virtual_memory()
    return int(memory.total), int(memory.total - memory.available)


def peak_bytes() -> int:
    """The most memory that this process had resident so far. On Windows only: psutil does not know it elsewhere."""
    if sys.platform != "win32":
        raise NotImplementedError("psutil knows the peak on Windows only")
    return int(psutil().Process().memory_info().peak_wset)


class ProcessorUse:
    """How busy all processors are together. To be asked from one thread."""

    def __init__(self) -> None:
        self._began = False

    def percent(self) -> float | None:
        """Of their time since the last call; None the first time."""
        percent = float(psutil().cpu_percent(None))
        began, self._began = self._began, True
        return percent if began else None


class OwnUse:
    """What this process takes, and those that it started."""

    def __init__(self) -> None:
        self._own: Any = psutil().Process()
        self._children: list[Any] = []
        self._cpu_began = False

    def resident_mb(self) -> float | None:
        """The memory that this process has resident."""
        return _resident_mb(self._own)

    def cpu_percent(self) -> float | None:
        """Of one core, since the last call; None the first time."""
        try:
            percent = float(self._own.cpu_percent(None))
        except psutil().Error:
            return None
        began, self._cpu_began = self._cpu_began, True
        return percent if began else None

    def find_children(self) -> None:
        """Look for the processes it started, and theirs: costs a look at every process of the machine."""
        try:
            self._children = self._own.children(recursive=True)
        except psutil().Error:
            self._children = []

    def children_mb(self) -> float:
        """The memory that those found last have resident; one that is gone has none."""
        return sum((_resident_mb(child) or 0.0 for child in self._children), 0.0)


def _resident_mb(process: Any) -> float | None:
    try:
        return float(process.memory_info().rss) / _BYTES_PER_MB
    except psutil().Error:  # it is gone, or we may not look
        return None


@dataclass(frozen=True, slots=True)
class Signs:
    """What a process shows of itself from outside. `stopped`: it was told to stand still (SIGSTOP).

    `work` grows while the process, or one that it started, computes or reads; its unit means nothing. `waits`: for a
    processor or a disk, as far as the system tells. `tells_waits`: it tells; where it does not, no work is no proof.
    """

    stopped: bool
    work: float
    waits: bool = False
    tells_waits: bool = True


class ProcessSigns:
    """Looks at the process `pid`, whoever started it. To be asked from one thread."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._process: Any = None

    def read(self, *, children: bool = False) -> Signs | None:
        """How it is now; `children` count as well, which costs a look at every process. None: it is gone, or hidden."""
        try:
            self._process = self._process or psutil().Process(self._pid)
            status = self._process.status()
            work = _work(self._process)
            if children:
                work += sum(_work(child) for child in self._process.children(recursive=True))
        except psutil().Error:
            return None
        # macOS calls a process running that only sleeps; on Windows a venv's Python is the child of what was started.
        tells = sys.platform == "linux"
        waits = tells and status in (psutil().STATUS_RUNNING, psutil().STATUS_DISK_SLEEP)
        return Signs(status == psutil().STATUS_STOPPED, work, waits, tells_waits=tells)


_READ_BYTES_PER_S = 1e6
"""Reading so much counts like a second of computing: both are work, and neither is ever done by one that hangs."""


def _work(process: Any) -> float:
    try:
        work = float(sum(process.cpu_times()[:2]))
    except psutil().Error:
        return 0.0
    # macOS has none; psutil raises the others where the system's own account of it is odd.
    with contextlib.suppress(psutil().Error, AttributeError, RuntimeError, ValueError):
        work += float(process.io_counters().read_bytes) / _READ_BYTES_PER_S
    return work


def psutil() -> Any:
    """The library."""
    import psutil as library

    return library
