"""What the terminal tells for the core's figures, as JSON, and the check of what comes in.

`parlor.turn.report` is of a turn that is over, `parlor.counts.report` of what was lost since the terminal started.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

from parlor_tui.counts import OF_TERMINAL
from parlor_tui.events import TurnStatus
from parlor_tui.link.wire import Json, ProtocolError
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE
from parlor_tui.observe.turn_report import InterruptedBy, TerminalCounts, TurnReport

TYPE = "parlor.turn.report"
COUNTS_TYPE = "parlor.counts.report"
_LONGEST_MS = 3_600_000.0
_MOST = 1_000_000
_LAST_TURN = _MOST_EVER = 2**53
_TERMINAL = re.compile(r"[A-Za-z0-9_-]{1,64}")


def encode(report: TurnReport) -> Json:
    """The message that tells `report`."""
    return {"type": TYPE, **asdict(report)}


def decode(message: Json) -> TurnReport:
    """The report in `message`; ProtocolError, naming the parameter, for a value that no turn has."""
    buffered_ms = message.get("buffered_ms")
    return TurnReport(
        turn=_count(message.get("turn"), "turn", _LAST_TURN),
        status=_one_of(message.get("status"), "status", get_args(TurnStatus)),
        stages_ms={
            name: _ms(value, f"stages_ms.{name}")
            for name, value in _named(message, "stages_ms", (*STAGES, VOICE_TO_VOICE)).items()
        },
        interrupted_by=_one_of(message.get("interrupted_by", ""), "interrupted_by", get_args(InterruptedBy)),
        false_interruptions=_count(message.get("false_interruptions", 0), "false_interruptions"),
        underruns=_count(message.get("underruns", 0), "underruns"),
        overruns=_count(message.get("overruns", 0), "overruns"),
        buffered_ms=None if buffered_ms is None else _ms(buffered_ms, "buffered_ms"),
    )


def encode_counts(told: TerminalCounts) -> Json:
    """The message that tells `told`."""
    return {"type": COUNTS_TYPE, **asdict(told)}


def decode_counts(message: Json) -> TerminalCounts:
    """What `message` tells; ProtocolError as in `decode`."""
    terminal = message.get("terminal")
    if not isinstance(terminal, str) or not _TERMINAL.fullmatch(terminal):
        raise ProtocolError("terminal must be 1 to 64 letters, digits, - and _", param="terminal")
    counted = _named(message, "counts", OF_TERMINAL)
    return TerminalCounts(
        terminal, {name: _count(value, f"counts.{name}", _MOST_EVER) for name, value in counted.items()}
    )


def _named(message: Json, param: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    values = message.get(param, {})
    if not isinstance(values, dict):
        raise ProtocolError(f"{param} must be an object", param=param)
    if not values.keys() <= set(names):
        raise ProtocolError(f"{param} can hold {', '.join(names)}", param=param)
    return values


def _one_of(value: Any, param: str, known: tuple[str, ...]) -> Any:
    if not isinstance(value, str) or value not in known:
        raise ProtocolError(f"{param} must be one of {', '.join(repr(word) for word in known)}", param=param)
    return value


def _ms(value: Any, param: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST_MS:
        raise ProtocolError(f"{param} must be a number from 0 to {_LONGEST_MS:.0f}", param=param)
    return float(value)


def _count(value: Any, param: str, most: int = _MOST) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ProtocolError(f"{param} must be a whole number from 0 to {most}", param=param)
    return value
