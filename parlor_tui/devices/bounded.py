"""Calls into a sound system that may never return."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def run_bounded(work: Callable[[], T], timeout_s: float, name: str) -> T:
    """Result of `work`, run on a thread called `name`; what it raises is raised here.

    Raises TimeoutError after `timeout_s`: the thread is then left to itself, and dies with the process at the latest.
    """
    outcome: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(maxsize=1)

    def run() -> None:
        try:
            outcome.put((work(), None))
        except BaseException as error:  # noqa: BLE001 - handed to the caller, whose call this is
            outcome.put((None, error))

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        value, error = outcome.get(timeout=max(0.0, timeout_s))
    except queue.Empty:
        raise TimeoutError(name) from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]  # None only where T allows it
