"""From a sound system's clock to ours. Pure."""

from __future__ import annotations

RELAXING_S_PER_S = 1e-3
"""More than any two clocks drift apart."""


class StreamClock:
    """Knows how far a stream's clock is from ours, however late the callbacks are that tell.

    A callback says what time it is by its stream when it is made, and runs at that moment or later: the least
    difference of the two clocks is the true one.
    """

    def __init__(self) -> None:
        self._offset_s: float | None = None
        self._told_at_s = 0.0

    def ours(self, moment_s: float, stream_now_s: float, at_s: float) -> float:
        """The stream's `moment_s` on our clock; its callback said that it is `stream_now_s` and ran at `at_s`."""
        offset_s = at_s - stream_now_s
        if self._offset_s is not None:
            relaxed_s = self._offset_s + (at_s - self._told_at_s) * RELAXING_S_PER_S
            # A stream whose clock was set anew is believed; no callback waits for so long.
            offset_s = offset_s if abs(offset_s - relaxed_s) > 1.0 else min(offset_s, relaxed_s)
        self._offset_s, self._told_at_s = offset_s, at_s
        return moment_s + offset_s
