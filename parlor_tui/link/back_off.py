"""How long to wait before a core that ended is started again, and when no more. Pure."""

from __future__ import annotations

WAITS_S = (0.2, 1.0, 2.0, 4.0, 8.0)
FORGIVEN_AFTER_S = 60.0
"""A core that was of use for this long is no longer a core that will not stay up."""


class BackOff:
    """Counts the cores that ended one after the other without having been of use."""

    def __init__(self) -> None:
        self._ended = 0

    def ended(self, useful_s: float) -> float | None:
        """One ended that had been ready for `useful_s`: the wait before the next, in seconds; None: try no more."""
        if useful_s >= FORGIVEN_AFTER_S:
            self._ended = 0
        self._ended += 1
        return WAITS_S[self._ended - 1] if self._ended <= len(WAITS_S) else None

    def forgive(self) -> None:
        """The user wants it tried again."""
        self._ended = 0
