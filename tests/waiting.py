"""Waits for what is to become true."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], bool], what: str, within_s: float = 20.0) -> float:
    """Wait until `true()`; the seconds that it took. `what` names it if it does not come true."""
    began_s = time.monotonic()
    while not true():
        assert time.monotonic() - began_s < within_s, f"not within {within_s:g} s: {what}"
        time.sleep(0.02)
    return time.monotonic() - began_s
