"""What the bench found: plain data, and that as JSON.

Times are ms. Those of a turn count from the user's last audible sample (`-40 dBFS`), so that what came before it is
negative. A figure is a `Measure`: either the `Spread` of many values, or one `value`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Unit = Literal["ms", "%", "per min", "count", "s", "dB"]
Statistic = Literal["p50", "p90", "max", "value"]
Source = Literal["sound", "events", "both"]
"""What a figure is read off: the recordings of both sides, or what the program under test says of itself."""

TURN_MARKS = (
    "speech_started",
    "judged",
    "speech_stopped",
    "committed",
    "caption",
    "sound_taken",
    "picture_taken",
    "first_token",
    "first_unit",
    "first_audio",
    "audio_started",
    "audible",
)
"""Moments of a turn, as the events tell them, in the order in which they usually come.

`judged`: how long to wait was decided, at the last pause. `audio_started` is what the assistant believes, `audible` is
read off the recording. With a reply that was begun early `first_token` to `first_audio` may come before `committed`.
"""


@dataclass(frozen=True, slots=True)
class Spread:
    """How `n` values lie. With none of them the others are NaN in Python and null in JSON."""

    n: int
    p50: float
    p90: float
    max: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of `values`, percentiles interpolated between neighbours."""
        ordered = sorted(values)
        if not ordered:
            return cls(0, math.nan, math.nan, math.nan)
        return cls(len(ordered), _percentile(ordered, 0.5), _percentile(ordered, 0.9), ordered[-1])


@dataclass(frozen=True, slots=True)
class Target:
    """What a figure should be: `statistic` of it at most (or, with `at_least`, at least) `limit`."""

    limit: float
    statistic: Statistic = "p50"
    at_least: bool = False

    def words(self, unit: Unit) -> str:
        """Such as `p50 <= 900 ms`."""
        which = "" if self.statistic == "value" else f"{self.statistic} "
        return f"{which}{'>=' if self.at_least else '<='} {self.limit:g}{'' if unit == 'count' else ' ' + unit}"


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure. `scenario` is where it comes from, `key` its name in JSON, `label` in words.

    Exactly one of `spread` and `value` is set. `of` is how many trials a `value` was counted over (0: not counted so).
    `note`: what must be known to read it, such as that there was too little of it; empty for nothing.
    """

    key: str
    label: str
    scenario: str
    unit: Unit
    spread: Spread | None = None
    value: float | None = None
    of: int = 0
    target: Target | None = None
    source: Source = "sound"
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target, or with nothing measured."""
        if self.target is None:
            return None
        found = self.value if self.spread is None else getattr(self.spread, self.target.statistic)
        if found is None or math.isnan(found):
            return None
        return bool(found >= self.target.limit if self.target.at_least else found <= self.target.limit)


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing tried in a scenario. `outcome` is a word or two ("found", "cut", "went on", ...).

    `good` says whether that is as it should be; None where the times in `values_ms` alone count.
    """

    scenario: str
    utterance: str
    said: str
    voice: str
    outcome: str
    good: bool | None = None
    values_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn from the user's speech to the reply's end, for the waterfall.

    `stages_ms`: what the latency observer made of it (`observe.stages.STAGES` and `voice_to_voice`).
    `marks_ms`: moments from `TURN_MARKS`, relative to the user's last audible sample; absent ones did not happen.
    `voice_to_voice_ms`: from the recordings; None without an audible reply.
    `said` is the utterance's text, `caption` what was understood of it.
    """

    scenario: str
    number: int
    utterance: str
    said: str
    voice: str
    speech_ms: float
    caption: str
    reply: str
    status: str
    voice_to_voice_ms: float | None
    stages_ms: Mapping[str, float] = field(default_factory=dict)
    marks_ms: Mapping[str, float] = field(default_factory=dict)
    eager: str = ""
    """`hit`: the reply had been begun before the turn was over. Else empty."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What was measured, on what, and how. `simulated` names the cost table of simulated models; empty: real ones."""

    version: str
    profile: str
    model: str
    hearing: str
    camera: bool
    devices: Literal["room", "rig"]
    simulated: str
    seed: int
    machine: str
    cores: int
    load_before: float | None
    """The system's load average over a minute when the bench began; None where there is none to be had."""
    began_utc: str
    took_s: float
    scenarios: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything. `stopped`: Ctrl-C, and what follows was measured until then. `notes`: one line each, to be read."""

    setup: Setup
    measures: tuple[Measure, ...]
    turns: tuple[Turn, ...]
    trials: tuple[Trial, ...]
    notes: tuple[str, ...] = ()
    stopped: bool = False


def as_json(report: Report) -> str:
    """`report` as one JSON document: the dataclasses' own names, `target` in words beside it, and `met`."""
    told = asdict(report)
    for measure, plain in zip(report.measures, told["measures"], strict=True):
        plain["met"] = measure.met
        plain["target_words"] = measure.target.words(measure.unit) if measure.target else None
    return json.dumps(_finite(told), indent=2, ensure_ascii=False)


def _percentile(ordered: Sequence[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def _finite(value: Any) -> Any:
    """`value` with null for what JSON has no number for, and floats rounded to 0.1."""
    if isinstance(value, float):
        return round(value, 1) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
