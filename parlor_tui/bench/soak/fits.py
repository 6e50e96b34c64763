"""How values move with time, whatever a few of them do. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

MOST_POINTS = 400
"""For a slope every pair of points is looked at: of more, neighbours are taken together."""
_LEAST_POINTS = 8
Point = tuple[float, float]
"""A time in seconds, and a value."""


def slope_per_hour(points: Sequence[Point]) -> float | None:
    """The median of the slopes between all pairs (Theil-Sen), in units per hour; None of too few points."""
    thinned = _thinned(points)
    if len(thinned) < _LEAST_POINTS:
        return None
    at_s, values = np.array(thinned, np.float64).T
    first, second = np.triu_indices(len(at_s), 1)
    apart_s = at_s[second] - at_s[first]
    apart = apart_s > 0
    if not apart.any():
        return None
    return float(np.median((values[second] - values[first])[apart] / apart_s[apart]) * 3600)


@dataclass(frozen=True, slots=True)
class Drift:
    """How values went from the first third of them to the last: medians, and the slope in units per hour."""

    n: int
    first: float | None
    last: float | None
    per_hour: float | None

    @classmethod
    def of(cls, points: Sequence[Point]) -> Drift:
        """The drift of `points`, in the order of their times."""
        third = len(points) // 3
        if third == 0:
            return cls(len(points), None, None, None)
        values = [value for _, value in points]
        return cls(len(points), median(values[:third]), median(values[-third:]), slope_per_hour(points))


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    """At most `MOST_POINTS`, each the median of its neighbours."""
    size = -(-len(points) // MOST_POINTS)
    if size <= 1:
        return points
    parts = [points[start : start + size] for start in range(0, len(points), size)]
    return [(median(at_s for at_s, _ in part), median(value for _, value in part)) for part in parts]
