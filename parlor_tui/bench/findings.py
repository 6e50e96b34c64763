"""What the scenarios found so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parlor_tui.bench.report import Trial, Turn
from parlor_tui.bench.utterances import Utterance
from parlor_tui.events import EagerCount


@dataclass(slots=True)
class Findings:
    """Grows while the bench runs; read when it is over, or was stopped."""

    turns: list[Turn] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    alone_s: float = 0.0
    """How long replies sounded under echo with nobody there."""
    alone_interruptions: int = 0
    alone_turns: int = 0
    alone_triggers: int = 0
    """How often it took its own voice for somebody's, most of which come to nothing."""
    eager: EagerCount | None = None
    """What became of replies that were begun early, in the whole talk."""
    notes: list[str] = field(default_factory=list)

    def add(
        self,
        scenario: str,
        utterance: Utterance,
        outcome: str,
        good: bool | None = None,
        values_ms: Mapping[str, float] | None = None,
    ) -> None:
        """Note one trial with `utterance`."""
        line = utterance.line
        self.trials.append(Trial(scenario, line.name, line.plain, line.voice, outcome, good, dict(values_ms or {})))

    def of(self, scenario: str) -> list[Trial]:
        """The trials of one scenario."""
        return [trial for trial in self.trials if trial.scenario == scenario]
