"""Whether anything of the speaker's sound gets into the microphone, and which sound there is a voice. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

LOUD_POWER = 1e-4
"""-40 dBFS: the speaker plays something that could be heard in the microphone."""
LONGEST_WAY_S = 0.5
"""An echo is there by then."""
SURE_S = 0.4
"""So much loud sound of the speaker without a trace in the microphone says that there is no way for it."""
_RISE = 4.0
"""6 dB: what is no louder than that over the silence of the room is that silence."""
_CLEAR_RISE = 16.0
"""12 dB: who speaks into a microphone is louder than that."""
_FAR_ABOVE_FLOOR = 4e3
"""36 dB: where the room is louder than that, an echo of -30 dB leaves no trace, and none seen says nothing."""
_LEAST_POWER = 1e-11
_REST_S = 0.6
_CREEP = 1.02

VOICE_ALIKE = 0.15
ECHO_ALIKE = 0.28
"""Flat likeness of a quarter of a second of microphone and speaker. Voices over a reply: 0.08, 95 % below 0.12, 99 %
below 0.17. Echoes, from 10 to 30 dB quieter: of a near speaker 0.31 and more; across a room 0.21 to 0.5; of a small
speaker that distorts 0.24 to 0.57, across a room 0.13 to 0.34.
"""
SEEN_BLOCKS = 16
"""So many blocks that are an echo, and none between them that is not, say that there is a way for it. Two voices that
say the same word at once are alike for half as long."""
DOUBT_BLOCKS = 3
"""So many make it unknown again."""
LONG_ENOUGH_BLOCKS = 3
"""A sound of fewer blocks than that is too short to be told."""


MOSTLY_ECHO = 0.62
RESIDUE_ALIKE = 0.15
"""Where an echo comes with another delay than before, microphone and speaker are flatly alike by 0.72 and more, what
the canceller leaves of it and the speaker by 0.27 and more (95 % of the blocks). Where a user speaks over it: by 0.61
and less, and by 0.21 and less; 3 of 1,106 blocks are above both marks.
"""
LIKELY_ECHO = 0.42
LIKELY_RESIDUE_ALIKE = 0.1
"""The same for the second after it was seen to have changed. A quiet user is not heard then, a loud one is."""


def is_residue(left_alike: float, near_alike: Callable[[], float], *, likely: bool) -> bool:
    """Whether what the canceller leaves is echo, and no voice over it.

    Both are flat likenesses to the speaker: of what is left, and of the microphone. `likely`: the room is being learnt.
    """
    left, near = (LIKELY_RESIDUE_ALIKE, LIKELY_ECHO) if likely else (RESIDUE_ALIKE, MOSTLY_ECHO)
    return left_alike >= left and near_alike() >= (ECHO_ALIKE if left_alike >= ECHO_ALIKE else near)


class EchoPath:
    """Follows the powers (mean squares) of microphone and speaker, block by block."""

    def __init__(self) -> None:
        self.absent = False
        """There is no way for an echo: headphones."""
        self.seen = False
        """There is one: an echo was there."""
        self.sounds = False
        """Something sounded in the last block that was louder than the silence of the room."""
        self._alike_blocks = 0
        self._floor: float | None = None
        """The silence of the room; None as long as there was none."""
        self._still_s = _REST_S
        self._played: deque[tuple[float, bool]] = deque()
        """What was played in the last LONGEST_WAY_S of the microphone's silence: lengths, and whether it was loud."""
        self._played_s = 0.0
        self._traceless_s = 0.0

    @property
    def known(self) -> bool:
        """It is known whether there is a way."""
        return self.absent or self.seen

    def block(self, near_power: float, far_power: float, alike: float, length_s: float) -> None:
        """Take one block of `length_s`. `alike` (0..1) is how much the last of both sounds is the same."""
        loud = far_power >= LOUD_POWER
        self._still_s = 0.0 if loud else self._still_s + length_s
        if self._still_s > _REST_S:
            before = near_power if self._floor is None else self._floor
            self._floor = max(_LEAST_POWER, min(near_power, before * _CREEP))
        self.sounds = self._floor is None or near_power > self._floor * _CLEAR_RISE
        trace = self._floor is None or near_power > self._floor * _RISE
        if trace and alike >= ECHO_ALIKE:
            self._alike_blocks += 1
            self.absent = self.absent and self._alike_blocks < DOUBT_BLOCKS
            self.seen = self.seen or self._alike_blocks >= SEEN_BLOCKS
        elif self.sounds and alike < VOICE_ALIKE:
            self._alike_blocks = 0
        if trace:
            self._played.clear()
            self._played_s = self._traceless_s = 0.0
            return
        self._played.append((length_s, loud and (self._floor is None or far_power >= self._floor * _FAR_ABOVE_FLOOR)))
        self._played_s += length_s
        while self._played_s > LONGEST_WAY_S:
            long_ago_s, was_loud = self._played.popleft()
            self._played_s -= long_ago_s
            self._traceless_s += long_ago_s * was_loud
        if self._traceless_s >= SURE_S:
            self.absent, self.seen, self._alike_blocks = True, False, 0


class VoiceOrEcho:
    """Tells, as long as no way for an echo is known, whether a sound over a reply is a voice.

    `block` takes one block after the other; what it says is meant for the block AHEAD_BLOCKS before.
    """

    AHEAD_BLOCKS = 4
    """The beginning of a sound is told by what follows."""

    def __init__(self) -> None:
        self._sounded: deque[bool] = deque(maxlen=self.AHEAD_BLOCKS + 1)
        self._alike_before = 0.0
        self.voice = False

    def block(self, sounds: bool, alike: float) -> bool:
        """Whether it is a voice. `sounds`: there is a sound; `alike`: as in EchoPath."""
        self._sounded.append(sounds)
        usual, self._alike_before = (alike + self._alike_before) / 2, alike
        if sum(self._sounded) >= LONG_ENOUGH_BLOCKS:
            self.voice = usual < (ECHO_ALIKE if self.voice else VOICE_ALIKE)
        elif not any(self._sounded):
            self.voice = False
        return self.voice
