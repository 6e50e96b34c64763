"""The one clock, and the words that both families of events use."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

now_s = time.monotonic
"""The one clock, in seconds: monotonic, so that a change of the wall clock never bends a duration."""


class State(StrEnum):
    """What the assistant is doing, as the screen names it."""

    LOADING = "loading"
    LISTENING = "listening"
    HEARING = "hearing"
    THINKING = "thinking"
    SPEAKING = "speaking"
    MUTED = "muted"
    ERROR = "error"


Severity = Literal["info", "warning", "error"]
TurnStatus = Literal["completed", "interrupted", "joined", "no_words", "failed"]
"""`joined`: the user went on before the reply was heard; the next turn answers both."""
Role = Literal["user", "assistant"]
DeviceKind = Literal["microphone", "speaker", "camera"]
ModelOutcome = Literal["got", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact of the terminal side, told to its listeners; `at_s` is when it happened, on `now_s`."""

    at_s: float
