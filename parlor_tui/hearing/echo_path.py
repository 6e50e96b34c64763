"""Whether anything of the speaker's sound gets into the microphone at all: with headphones it does not. Pure."""

from __future__ import annotations

from collections import deque

LOUD_POWER = 1e-4
"""-40 dBFS: the speaker plays something that could be heard in the microphone."""
LONGEST_WAY_S = 0.5
"""An echo is there by then."""
SURE_S = 0.4
"""So much loud sound of the speaker without a trace in the microphone says that there is no way for it."""
_RISE = 4.0
"""6 dB: what is no louder than that over the silence of the room is that silence."""
_LEAST_POWER = 1e-11
_REST_S = 0.6
_CREEP = 1.02
ECHO_ALIKE = 0.6
"""Microphone and speaker are so much alike only if the one hears the other: echoes 0.64-0.94, nine voices over a reply
0.56 at most."""


class EchoPath:
    """Follows the powers (mean squares) of microphone and speaker, block by block."""

    def __init__(self) -> None:
        self.absent = False
        self._floor: float | None = None
        """The silence of the room; None as long as there was none."""
        self._still_s = 0.0
        self._played: deque[tuple[float, bool]] = deque()
        """What was played in the last LONGEST_WAY_S of the microphone's silence: lengths, and whether it was loud."""
        self._played_s = 0.0
        self._traceless_s = 0.0

    def block(self, near_power: float, far_power: float, alike: float, length_s: float) -> None:
        """Take one block of `length_s`. `alike` (0..1) is how much the last of both sounds is the same."""
        loud = far_power >= LOUD_POWER
        self._still_s = 0.0 if loud else self._still_s + length_s
        if self._still_s > _REST_S:
            before = near_power if self._floor is None else self._floor
            self._floor = max(_LEAST_POWER, min(near_power, before * _CREEP))
        if self._floor is None or near_power > self._floor * _RISE:
            self._played.clear()
            self._played_s = self._traceless_s = 0.0
            if loud and alike > ECHO_ALIKE:
                self.absent = False
            return
        self._played.append((length_s, loud))
        self._played_s += length_s
        while self._played_s > LONGEST_WAY_S:
            long_ago_s, was_loud = self._played.popleft()
            self._played_s -= long_ago_s
            self._traceless_s += long_ago_s * was_loud
        self.absent = self.absent or self._traceless_s >= SURE_S
