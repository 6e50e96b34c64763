"""What to read a simulated run beside: Parlor v1 on the same costs, and the best that this pipeline could do. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from parlor_tui.bench.costs.floor import floor
from parlor_tui.bench.costs.parlor_v1 import replay
from parlor_tui.settings import Hearing

QUESTIONS_S = (3.0, 9.0)


@dataclass(frozen=True, slots=True)
class Compared:
    """One case: stages (as in `observe.stages`) and their sum, in ms."""

    label: str
    stages_ms: Mapping[str, float]
    whole_ms: float


def compared(hearing: Literal["native", "captions"], *, camera: bool, settings: Hearing) -> tuple[Compared, ...]:
    """Parlor v1, then the best case, each for questions of `QUESTIONS_S`."""
    found: list[Compared] = []
    for question_s in QUESTIONS_S:
        stages_ms = {name: took_s * 1000 for name, took_s in replay(question_s, frame=camera).items()}
        whole_ms = stages_ms.pop("total")
        found.append(Compared(f"Parlor v1 on these costs, {question_s:g} s question", stages_ms, whole_ms))
    for question_s in QUESTIONS_S:
        best = floor(question_s, hearing, eager_ms=settings.eager_ms, finished_ms=settings.finished_ms)
        found.append(Compared(f"at best, {question_s:g} s question", best.stages_ms(), best.audible))
    return tuple(found)
