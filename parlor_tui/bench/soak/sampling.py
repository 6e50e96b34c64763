"""The memory, threads and open files of terminal and core while a soak goes on; and what becomes of the figures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from parlor_tui.bench.soak.fits import Point, slope_per_hour
from parlor_tui.events import now_s
from parlor_tui.usage import psutil

MOST_SAMPLES = 3000
_EVERY_S = 2.0
WARM_S = 30.0
"""What a process takes in its first half minute says nothing of whether it grows."""
SETTLED_S = 15.0
"""At this age successive cores are compared."""
_MB = 1e6


@dataclass(frozen=True, slots=True)
class Sample:
    """One look. The core's are None while there is none."""

    at_s: float
    terminal_mb: float
    threads: int
    files: int
    core_pid: int | None = None
    core_mb: float | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """How a process went on, from `first_mb` to `last_mb` over `seconds`; MB are 10^6 bytes resident."""

    first_mb: float | None
    last_mb: float | None
    seconds: float
    mb_per_hour: float | None

    @classmethod
    def of(cls, points: Sequence[Point]) -> Growth:
        """The growth of (time in s, MB), warm already."""
        if not points:
            return cls(None, None, 0.0, None)
        return cls(points[0][1], points[-1][1], points[-1][0] - points[0][0], slope_per_hour(points))


@dataclass(frozen=True, slots=True)
class Memory:
    """`cores_mb` is what each core had resident at the same age; `core` is of the one that lived longest."""

    terminal: Growth
    core: Growth
    cores_mb: tuple[float, ...]
    threads: tuple[int, int]
    files: tuple[int, int]

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> Memory:
        """What `samples` tell, in the order of their times. Pure."""
        began_s = samples[0].at_s if samples else 0.0
        warm = [sample for sample in samples if sample.at_s - began_s >= WARM_S]
        lives: dict[int, list[Point]] = {}
        for sample in samples:
            if sample.core_pid is not None and sample.core_mb is not None:
                lives.setdefault(sample.core_pid, []).append((sample.at_s, sample.core_mb))
        settled = [
            next(mb for at_s, mb in life if at_s - life[0][0] >= SETTLED_S)
            for life in lives.values()
            if life[-1][0] - life[0][0] >= SETTLED_S
        ]
        longest = max(lives.values(), key=lambda life: life[-1][0] - life[0][0], default=[])
        at_ends = warm or samples
        return cls(
            terminal=Growth.of([(sample.at_s, sample.terminal_mb) for sample in warm]),
            core=Growth.of([point for point in longest if point[0] - longest[0][0] >= WARM_S]),
            cores_mb=tuple(settled),
            threads=(at_ends[0].threads, at_ends[-1].threads) if at_ends else (0, 0),
            files=(at_ends[0].files, at_ends[-1].files) if at_ends else (0, 0),
        )


class Sampler:
    """Looks at this process and at the core now and then, on a thread of its own, from `start` to `stop`."""

    def __init__(self, core_pid: Callable[[], int | None], whole_s: float) -> None:
        self._core_pid = core_pid
        self._every_s = max(_EVERY_S, whole_s / MOST_SAMPLES)
        self._stop = threading.Event()
        self._own: Any = psutil().Process()
        self._thread = threading.Thread(target=self._run, name="memory samples", daemon=True)
        self.samples: list[Sample] = []

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        while True:
            sample = self._look()
            if sample is not None:
                self.samples.append(sample)
            if self._stop.wait(self._every_s):
                return

    def _look(self) -> Sample | None:
        pid, core_mb = self._core_pid(), None
        try:
            if pid is not None:
                core_mb = float(psutil().Process(pid).memory_info().rss) / _MB
        except psutil().Error:
            pid = None
        try:
            files = self._own.num_fds() if hasattr(self._own, "num_fds") else self._own.num_handles()
            return Sample(now_s(), self._own.memory_info().rss / _MB, self._own.num_threads(), int(files), pid, core_mb)
        except psutil().Error:
            return None
