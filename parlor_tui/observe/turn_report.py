"""What only the terminal knows of a turn that is over, and tells the core, which keeps the figures of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from parlor_tui.events import TurnStatus

InterruptedBy = Literal["", "voice", "key", "turn"]
TERMINAL_QUEUES = ("microphone", "inbox", "playback")
"""What can overflow in the terminal: pieces of sound, its blocks and the core's messages, a reply's speech."""


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One turn. Stage names are those of `observe.stages`; a stage that did not happen is absent.

    `interrupted_by` is what stopped the reply, "" if nothing did. `false_interruptions`: how often the reply fell
    silent for a voice that was none, and went on. `overflows` counts by the names of `TERMINAL_QUEUES` what found no
    room since the last report.
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
    overflows: Mapping[str, int] = field(default_factory=dict)
    buffered_ms: float | None = None
    """How much speech waited in the jitter buffer, on average while the reply was heard; None if it was not."""
    core_lost: bool = False
    """The turn has no answer because the core it was put to died, or the link to it was lost."""
