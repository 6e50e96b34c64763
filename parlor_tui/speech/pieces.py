"""Where a sentence of Kokoro's is cut in pieces, and how the pieces are joined again. Pure.

A frame is 25 ms (600 samples). A piece is made with some frames around it, since each frame depends on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FRAME_SAMPLES = 600
AROUND_FRAMES = 4
"""Made on either side of a piece: with so many its edge is as far from the whole as its middle, with 2 it is not."""
SHORTEST_FRAMES = 40
"""What is shorter is made at once."""

FRAME_MS = 25.0

_FIRST_FRAMES, _SHORT_FRAMES, _LONGEST_FRAMES = 24, 22, 48
_REST_FRAMES = 8
"""So much longer a last piece can be."""
_NEAR_FRAMES = 4
_FADE_FRAMES = 2
_LOST_FRAMES = 6
"""Of the first piece these are not heard at once: silence before it, and what is held back for the next."""
_SLOWER = 1.3
"""The machine can become so much slower between two pieces without a gap."""
_SLOW_MS = 17.0
"""A frame that takes so long leaves no time to make up for a short first piece."""


def cuts(loudness: NDArray[np.float32], first: int, last: int, frame_ms: float) -> list[int]:
    """The frames at which pieces of `first` to `last` begin and end: both of these, and quiet places between them.

    `loudness` is that of each frame, `frame_ms` how long one takes to make. The pieces are so long that each is made
    while those before it are heard: on a slow machine the first is longer, and at worst it is the whole.
    """
    count, late_ms = last - first, frame_ms * _SLOWER
    wanted = float(_FIRST_FRAMES)
    if late_ms > _SLOW_MS:
        wanted = max(wanted, late_ms * (count + 4 * AROUND_FRAMES) / (FRAME_MS + late_ms))
    if count < max(SHORTEST_FRAMES, wanted + _FIRST_FRAMES / 2):
        return [first, last]
    places, ahead_ms = [first], -_LOST_FRAMES * FRAME_MS
    while (rest := last - places[-1]) > wanted + _REST_FRAMES:
        half = max(rest / 2, _FIRST_FRAMES) if len(places) > 1 else wanted
        near = places[-1] + round(min(wanted, half))
        begin, end = near - _NEAR_FRAMES, min(near + _NEAR_FRAMES + 1, last - 2 * AROUND_FRAMES)
        places.append(begin + int(np.argmin(loudness[begin:end])))
        length = places[-1] - places[-2]
        ahead_ms += length * FRAME_MS
        if len(places) > 2:
            ahead_ms -= (length + 2 * AROUND_FRAMES) * late_ms
        wanted = min(max(ahead_ms / late_ms - 2 * AROUND_FRAMES - _NEAR_FRAMES, _SHORT_FRAMES), _LONGEST_FRAMES)
    return [*places, last]


def like_the_rest(loudness: NDArray[np.float32], others: Sequence[int], count: int) -> list[int]:
    """`count` frames of `others`, in their order, that are loud and soft as these are on the whole."""
    if len(others) <= count:
        return list(others)
    by_loudness = sorted(others, key=lambda frame: loudness[frame])
    return sorted(by_loudness[int(len(others) * (place + 0.5) / count)] for place in range(count))


def joined(
    held: NDArray[np.float32], made: NDArray[np.float32], before: int, behind: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What of a piece can be heard, and what is held back to be faded into the next.

    `made` has `before` frames that belong to the piece before, and `behind` that belong to the next; both are 0 at the
    ends of the whole, else AROUND_FRAMES. `held` is what was held back of the piece before.
    """
    fade = _FADE_FRAMES * FRAME_SAMPLES
    begin = before * FRAME_SAMPLES - fade if before else 0
    end = len(made) - behind * FRAME_SAMPLES
    if before:
        made = made.copy()
        rising = np.linspace(0, 1, 2 * fade, dtype=np.float32)
        made[begin : begin + 2 * fade] = held * (1 - rising) + made[begin : begin + 2 * fade] * rising
    if not behind:
        return made[begin:], made[:0]
    return made[begin : end - fade], made[end - fade : end + fade]
