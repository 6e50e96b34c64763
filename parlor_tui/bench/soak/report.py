"""What a soak found: plain data, whether that is well, and all of it as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from parlor_tui.bench.report import Spread
from parlor_tui.bench.soak.fits import Drift
from parlor_tui.bench.soak.kinds import KINDS
from parlor_tui.bench.soak.ledger import Loss
from parlor_tui.bench.soak.sampling import Memory
from parlor_tui.bench.soak.trials import LATE_S, Trial


@dataclass(frozen=True, slots=True)
class Setup:
    """What was done on what. `left_out`: faults that cannot be made here, and why."""

    version: str
    profile: str
    model: str
    devices: str
    seed: int
    minutes: float
    took_s: float
    machine: str
    cores: int
    load_before: float | None
    load_after: float | None
    left_out: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Happened:
    """One fault: when, since the talk began, and how it was got over, in seconds; None: it was not, or needs not be."""

    fault: str
    moment: str
    at_s: float
    noticed_s: float | None
    back_s: float | None
    told: str
    wrong: tuple[str, ...]

    @classmethod
    def of(cls, trial: Trial, began_s: float) -> Happened:
        """What became of `trial` in a talk that began at `began_s`."""
        return cls(
            trial.kind.name,
            trial.moment,
            trial.at_s - began_s,
            trial.noticed_s,
            trial.back_s,
            trial.text,
            tuple(trial.faults),
        )

    @property
    def in_words(self) -> str:
        """One line."""
        noticed = "" if self.noticed_s is None else f", told after {self.noticed_s:.1f} s"
        back = "" if self.back_s is None else f", over after {self.back_s:.1f} s"
        wrong = f": {' and '.join(self.wrong)}" if self.wrong else ""
        when = {"idle": "in silence", "spoken": "while the user spoke", "thinks": "while it thought"}
        return f"{KINDS[self.fault].words}, {when.get(self.moment, 'while it spoke')}{noticed}{back}{wrong}"


@dataclass(frozen=True, slots=True)
class Faults:
    """All times that one fault happened. `late`: noticed after more than 2 s."""

    fault: str
    words: str
    times: int
    noticed_s: Spread
    back_s: Spread
    late: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything. `said` counts by outcome. `restarts`: cores that a fault ended; `unexpected`: why others ended.

    `reopened` counts by device, `unasked` tells why, where that device had no fault. `forgotten`: turns that a new
    core was not told; `not_kept`: those that are missing in the kept conversation; `left_running`: processes.
    `errors`: what the user was told did not work.
    """

    setup: Setup
    said: Mapping[str, int]
    unsaid: int
    losses: tuple[Loss, ...]
    happened: tuple[Happened, ...]
    faults: tuple[Faults, ...]
    restarts: int
    links: int
    unexpected: tuple[str, ...]
    reopened: Mapping[str, int]
    unasked: tuple[str, ...]
    restored: int
    forgotten: tuple[str, ...]
    not_kept: tuple[str, ...]
    memory: Memory
    latency_ms: Drift
    answers_ms: tuple[tuple[float, float], ...]
    """Of each undisturbed turn: when, in s since the talk began, and its voice to voice."""
    left_running: tuple[str, ...]
    errors: tuple[str, ...]
    ended: str = ""
    """What ended it before its time; Ctrl-C is `stopped`."""
    stopped: bool = False

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not well, a line each; none if it is."""
        return (
            *([self.ended] if self.ended else []),
            *(f"lost: {loss.said!r} ({_during(loss)}{loss.why})" for loss in self.losses),
            *(f"{one.in_words}" for one in self.happened if one.wrong),
            *(f"an unexpected restart: {why}" for why in self.unexpected),
            *(f"forgotten by a new core: {said!r}" for said in self.forgotten),
            *(f"not in the kept conversation: {said!r}" for said in self.not_kept),
            *(f"left running: {what}" for what in self.left_running),
        )


def by_fault(happened: Sequence[Happened]) -> tuple[Faults, ...]:
    """Those of each kind together, in the order of the kinds."""
    found = []
    for kind in KINDS.values():
        of_kind = [one for one in happened if one.fault == kind.name]
        if not of_kind:
            continue
        noticed = [one.noticed_s for one in of_kind if one.noticed_s is not None]
        back = [one.back_s for one in of_kind if one.back_s is not None]
        late, wrong = sum(seconds > LATE_S for seconds in noticed), sum(bool(one.wrong) for one in of_kind)
        found.append(Faults(kind.name, kind.words, len(of_kind), Spread.of(noticed), Spread.of(back), late, wrong))
    return tuple(found)


def as_json(report: Report) -> str:
    """`report` as one JSON document: the dataclasses' own names, and `reasons`. Seconds and MB have two digits."""
    return json.dumps(_finite({**asdict(report), "reasons": report.reasons}), indent=2, ensure_ascii=False)


def _during(loss: Loss) -> str:
    return f"{loss.fault}; " if loss.fault else ""


def _finite(value: Any) -> Any:
    """`value` with null for what JSON has no number for."""
    if isinstance(value, float):
        return round(value, 2) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
