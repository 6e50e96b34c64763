"""A microphone that hears what a program says, in real time, and silence in between."""

from __future__ import annotations

import threading
from collections import deque

import numpy as np
from numpy.typing import NDArray

from parlor_tui.counts import Count, count
from parlor_tui.devices.base import BLOCK_SAMPLES, MIC_RATE_HZ, OnBlock, OnEnd, OnTrouble
from parlor_tui.devices.pacing import Pacer
from parlor_tui.devices.stand_ins import file_blocks

LONGEST_S = 60.0
"""Waiting at most; what is said beyond it is not heard."""


class ScriptedMicrophone:
    """Gives what `say` was given, block after block, at real speed."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._waiting: deque[NDArray[np.float32]] = deque()
        self._thread: threading.Thread | None = None

    def say(self, samples: NDArray[np.float32]) -> None:
        """Let `samples` (mono at 16 kHz, -1..1) be heard, behind what was said before. For any thread."""
        with self._lock:
            blocks = file_blocks(samples)
            room = max(0, int(LONGEST_S * MIC_RATE_HZ / BLOCK_SAMPLES) - len(self._waiting))
            self._waiting.extend(blocks[:room])
        if len(blocks) > room:
            count(Count.SCRIPT_BLOCKS_LOST, len(blocks) - room)

    def start(self, on_block: OnBlock, on_end: OnEnd, on_trouble: OnTrouble | None = None) -> None:  # noqa: ARG002
        """See `base.Microphone`."""
        self._thread = threading.Thread(target=self._give, args=(on_block, on_end), name="script", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """See `base.Microphone`."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def _give(self, on_block: OnBlock, on_end: OnEnd) -> None:
        pacer = Pacer(BLOCK_SAMPLES / MIC_RATE_HZ, self._stop.wait)
        silence = np.zeros(BLOCK_SAMPLES, np.float32)
        try:
            while (due_s := pacer.tick()) is not None:
                with self._lock:
                    block = self._waiting.popleft() if self._waiting else silence
                on_block(block, due_s)
        except Exception as error:  # noqa: BLE001 - edge of a thread: a fault of a listener must not end it unsaid
            on_end(f"{self.label} stopped: {type(error).__name__}: {error}")
