"""What is said and what happens, from a seed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np

Act = Literal["ask", "pause", "type", "over", "key"]
"""Asked aloud; the same with a pause inside; typed; asked aloud over a reply; asked aloud and stopped by the key."""
Moment = Literal["idle", "spoken", "thinks", "speaks"]
"""When a fault happens: before the turn, while the user speaks, while it thinks, while it speaks."""

ACTS: tuple[Act, ...] = ("ask", "ask", "ask", "type", "over", "pause", "ask", "type", "key")
_DISTURBED: tuple[Act, ...] = ("ask", "ask", "type")
MOMENTS: tuple[Moment, ...] = ("idle", "spoken", "thinks", "speaks")
CALM_FIRST = 2
"""So many steps before the first fault: of what follows, it must be known how it is without."""
LONGEST_GAP_S = 2.0
Item = TypeVar("Item")


class Bag(Generic[Item]):
    """Gives all of `items` in random order, then all of them again: none much more often than another."""

    def __init__(self, items: Sequence[Item], random: np.random.Generator) -> None:
        self._items = tuple(items)
        self._random = random
        self._left: list[Item] = []

    def take(self, fits: Callable[[Item], bool] = lambda _: True) -> Item | None:
        """The next one that `fits`; None if none of those left does. Others stay for the next time."""
        if not self._left:
            self._left = [self._items[place] for place in self._random.permutation(len(self._items))]
        place = next((place for place, item in enumerate(self._left) if fits(item)), None)
        return None if place is None else self._left.pop(place)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the user does, `gap_s` after the one before. `line` counts through what there is to say.

    `disturbed`: a fault is to happen in it, at `moment`; `share` (0..1): how far into that.
    """

    act: Act
    line: int
    gap_s: float
    disturbed: bool
    moment: Moment
    share: float


class Plan:
    """The steps of one talk, one after the other, and the faults (of the names `faults`) in it."""

    def __init__(self, seed: int, faults: Sequence[str]) -> None:
        self._random = np.random.default_rng(seed)
        self._acts = Bag(ACTS, self._random)
        self._disturbed = Bag(_DISTURBED, self._random)
        self._moments = Bag(MOMENTS, self._random)
        self._faults = Bag(faults, self._random) if faults else None
        self._steps = 0

    def step(self) -> Step:
        """The next one."""
        number, self._steps = self._steps, self._steps + 1
        disturbed = self._faults is not None and number >= CALM_FIRST and (number - CALM_FIRST) % 2 == 0
        act = (self._disturbed if disturbed else self._acts).take() or "ask"
        moment = self._moments.take() if disturbed else None
        if act == "type" and moment == "spoken":
            moment = "thinks"
        gap_s, share = self._random.uniform(0.2, LONGEST_GAP_S), self._random.uniform(0.1, 0.9)
        return Step(act, number, float(gap_s), disturbed, moment or "idle", float(share))

    def fault(self, fits: Callable[[str], bool]) -> str | None:
        """The next fault of those that fit now; None if none does, and this step is not disturbed after all."""
        return None if self._faults is None else self._faults.take(fits)
