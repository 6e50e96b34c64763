"""What only the terminal knows, of a turn that is over and of what it lost; the core is told, and keeps all figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from parlor_tui.events import TurnStatus

InterruptedBy = Literal["", "voice", "key", "turn"]


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One turn. Stage names are those of `observe.stages`; a stage that did not happen is absent.

    `interrupted_by` is what stopped the reply, "" if nothing did. `false_interruptions`: how often the reply fell
    silent for a voice that was none, and went on.
    """

    turn: int
    status: TurnStatus
    stages_ms: Mapping[str, float] = field(default_factory=dict)
    interrupted_by: InterruptedBy = ""
    false_interruptions: int = 0
    underruns: int = 0
    """How often the reply was torn at the speaker."""
    overruns: int = 0
    """How often the microphone lost sound since the last report."""
    buffered_ms: float | None = None
    """How much speech waited in the jitter buffer, on average while the reply was heard; None if it was not."""


@dataclass(frozen=True, slots=True)
class TerminalCounts:
    """What the terminal of this id has counted since it started, by the names of `counts.OF_TERMINAL`.

    So a core that dies takes no count along, and one that is told again counts nothing twice.
    """

    terminal: str
    counts: Mapping[str, int]
