"""What the lines of a journal come to: counts, and how long the stages took. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any

from parlor_tui.observe.history import quantile
from parlor_tui.observe.journal import Entry
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE

_ASKED = ("completed", "interrupted", "failed")


@dataclass(frozen=True, slots=True)
class Took:
    """How long something took, in ms, and how often it happened."""

    turns: int
    p50: float
    p95: float


@dataclass(slots=True)
class JournalFigures:
    """Counts of what happened from `first` to `last`.

    `status`, `source` and `interrupted_by` count turns; `notices` count by severity; `lost`, by the names in `counts`,
    what found no room or came to nothing in the terminal. `error_rate` is the share (0..1) of turns that should have
    been answered and were not, None before the first. `restarts` are cores that took the place of one that had died.
    """

    first: datetime | None = None
    last: datetime | None = None
    turns: int = 0
    status: Counter[str] = field(default_factory=Counter)
    source: Counter[str] = field(default_factory=Counter)
    interrupted_by: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    eager: int = 0
    error_rate: float | None = None
    deaths: int = 0
    restarts: int = 0
    notices: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    stages_ms: dict[str, Took] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        told = {item.name: getattr(self, item.name) for item in fields(self)}
        times = {name: at and at.isoformat() for name, at in (("first", self.first), ("last", self.last))}
        return told | times | {"stages_ms": {name: asdict(took) for name, took in self.stages_ms.items()}}


def summary(entries: Iterable[Entry]) -> JournalFigures:
    """The figures of `entries`. Joined turns count in no stage: their stages say nothing of a reply."""
    figures = JournalFigures()
    values: dict[str, list[float]] = {}
    for entry in entries:
        figures.first = min(figures.first or entry.at, entry.at)
        figures.last = max(figures.last or entry.at, entry.at)
        figures.lost.update({what: int(times) for what in entry.group("lost") if (times := _times(entry, what)) > 0})
        match entry.kind:
            case "turn":
                _count(figures, entry)
                if entry.text("status") != "joined":
                    for stage, ms in entry.stages_ms.items():
                        values.setdefault(stage, []).append(ms)
            case "core":
                figures.deaths += entry.text("what") in ("died", "gave_up")
                figures.restarts += entry.text("what") == "ready" and bool(entry.number("restarts"))
            case "notice":
                figures.notices[entry.text("severity") or "info"] += not entry.fields.get("over")
    asked = sum(figures.status[status] for status in _ASKED)
    figures.error_rate = figures.status["failed"] / asked if asked else None
    figures.stages_ms = {
        stage: Took(len(values[stage]), quantile(values[stage], 0.5), quantile(values[stage], 0.95))
        for stage in (*STAGES, VOICE_TO_VOICE)
        if stage in values
    }
    return figures


def _times(entry: Entry, what: str) -> float:
    return Entry(entry.at, entry.kind, entry.group("lost")).number(what) or 0.0


def _count(figures: JournalFigures, entry: Entry) -> None:
    figures.turns += 1
    figures.status[entry.text("status") or "unknown"] += 1
    figures.source[entry.text("source") or "unknown"] += 1
    if by := entry.text("interrupted_by"):
        figures.interrupted_by[by] += 1
    figures.tokens += int(entry.number("tokens") or 0)
    figures.eager += entry.fields.get("eager") is True
