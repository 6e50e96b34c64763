"""`parlor.turn.report` and `parlor.counts.report`: what is meant arrives, and nonsense is refused by name."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.counts import OF_TERMINAL
from parlor_tui.events import TurnStatus
from parlor_tui.link import client_events, wire
from parlor_tui.link.client_events import ReportCounts, ReportTurn
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE
from parlor_tui.observe.turn_report import InterruptedBy, TerminalCounts, TurnReport

COUNTS = st.integers(0, 1_000_000)
REPORTS = st.builds(
    TurnReport,
    turn=COUNTS,
    status=st.sampled_from(get_args(TurnStatus)),
    stages_ms=st.dictionaries(st.sampled_from((*STAGES, VOICE_TO_VOICE)), st.floats(0, 3_600_000)),
    interrupted_by=st.sampled_from(get_args(InterruptedBy)),
    false_interruptions=COUNTS,
    underruns=COUNTS,
    overruns=COUNTS,
    buffered_ms=st.none() | st.floats(0, 60_000),
)
COUNTED = st.builds(
    TerminalCounts,
    terminal=st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True),
    counts=st.dictionaries(st.sampled_from([str(what) for what in OF_TERMINAL]), st.integers(0, 2**53)),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = tuple(TurnReport.__dataclass_fields__)


def refused(message: dict[str, Any]) -> str | None:
    """The field that a report is refused for; None if it is taken."""
    try:
        client_events.decode(message)
    except wire.ProtocolError as error:
        return (error.param or "").partition(".")[0]
    return None


@given(REPORTS)
def test_a_report_is_read_as_it_was_meant(report: TurnReport) -> None:
    message = json.loads(json.dumps(client_events.encode(ReportTurn(report))))
    assert message["type"] == "parlor.turn.report"
    assert client_events.decode(message) == ReportTurn(report)


@given(REPORTS, st.sampled_from(FIELDS), JSON)
def test_whatever_a_field_holds_it_is_taken_or_refused_by_its_name(report: TurnReport, name: str, value: Any) -> None:
    assert refused(client_events.encode(ReportTurn(report)) | {name: value}) in (None, name)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"turn": -1}, "turn must be a whole number from 0 to"),
        ({"turn": True}, "turn must be a whole number"),
        ({"status": "splendid"}, "status must be one of 'completed', 'interrupted'"),
        ({"stages_ms": {"first_token": -0.1}}, "stages_ms.first_token must be a number from 0 to 3600000"),
        ({"stages_ms": {"first_token": float("nan")}}, "stages_ms.first_token must be a number"),
        ({"stages_ms": {"first_token": float("inf")}}, "stages_ms.first_token must be a number"),
        ({"stages_ms": {"first_token": "12"}}, "stages_ms.first_token must be a number"),
        ({"stages_ms": {"last_token": 5}}, "stages_ms can hold endpoint, hear, see, first_token"),
        ({"stages_ms": [1]}, "stages_ms must be an object"),
        ({"interrupted_by": "cat"}, "interrupted_by must be one of '', 'voice'"),
        ({"underruns": 10**7}, "underruns must be a whole number from 0 to 1000000"),
        ({"buffered_ms": 1e9}, "buffered_ms must be a number"),
    ],
)
def test_nonsense_is_refused_and_said_why(changed: dict[str, Any], told: str) -> None:
    message = {"type": "parlor.turn.report", "turn": 1, "status": "completed"}
    assert client_events.decode(message) == ReportTurn(TurnReport(1, "completed"))
    with pytest.raises(wire.ProtocolError) as caught:
        client_events.decode(message | changed)
    assert told in str(caught.value)
    assert caught.value.param is not None


@given(COUNTED)
def test_counts_are_read_as_they_were_meant(counted: TerminalCounts) -> None:
    message = json.loads(json.dumps(client_events.encode(ReportCounts(counted))))
    assert message["type"] == "parlor.counts.report"
    assert client_events.decode(message) == ReportCounts(counted)


@given(COUNTED, st.sampled_from(["terminal", "counts"]), JSON)
def test_whatever_counts_hold_they_are_taken_or_refused_by_name(counted: TerminalCounts, name: str, value: Any) -> None:
    assert refused(client_events.encode(ReportCounts(counted)) | {name: value}) in (None, name)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"terminal": ""}, "terminal must be 1 to 64 letters"),
        ({"terminal": "a" * 65}, "terminal must be 1 to 64 letters"),
        ({"counts": {"server_busy": 1}}, "counts can hold microphone_pieces_lost, inbox_blocks_lost"),
        ({"counts": {"cores_died": -1}}, "counts.cores_died must be a whole number"),
    ],
)
def test_counts_that_are_nonsense_are_refused(changed: dict[str, Any], told: str) -> None:
    message = {"type": "parlor.counts.report", "terminal": "a1", "counts": {"cores_died": 1}}
    assert client_events.decode(message) == ReportCounts(TerminalCounts("a1", {"cores_died": 1}))
    with pytest.raises(wire.ProtocolError) as caught:
        client_events.decode(message | changed)
    assert told in str(caught.value)
