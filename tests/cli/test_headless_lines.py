"""What `--headless` prints of the offer of a model, and of turn-taking."""

from __future__ import annotations

import json

import pytest

from parlor_tui.commands.headless import Lines, as_line
from parlor_tui.events import (
    EagerCount,
    EchoLevel,
    Event,
    ModelComing,
    ModelOffered,
    ModelOver,
    PauseJudged,
    ReplyYields,
    TurnDone,
)


def printed(event: Event) -> dict[str, object]:
    line = as_line(event, 1.0)
    assert line is not None
    read: dict[str, object] = json.loads(json.dumps(line))
    return read


def test_an_offer_is_printed_whole() -> None:
    offer = ModelOffered(
        at_s=1.5,
        name="gemma-4-e2b",
        model="Gemma 4 E2B",
        lines=("2.6 GB",),
        left_bytes=26,
        came_bytes=4,
        free_bytes=99,
        licences=("Apache-2.0",),
        fits=True,
        declined=True,
    )
    assert printed(offer) == {
        "t_ms": 500.0,
        "event": "model_offered",
        "name": "gemma-4-e2b",
        "model": "Gemma 4 E2B",
        "lines": ["2.6 GB"],
        "left_bytes": 26,
        "came_bytes": 4,
        "free_bytes": 99,
        "licences": ["Apache-2.0"],
        "fits": True,
        "declined": True,
    }


def test_its_download_and_its_end_are_printed_whole() -> None:
    coming = ModelComing(at_s=2.0, name="gemma-4-e2b", text="half", done_bytes=13, total_bytes=26, bytes_per_s=2.0)
    assert printed(coming) == {
        "t_ms": 1000.0,
        "event": "model_coming",
        "name": "gemma-4-e2b",
        "text": "half",
        "done_bytes": 13,
        "total_bytes": 26,
        "bytes_per_s": 2.0,
        "left_s": None,
    }
    over = ModelOver(at_s=2.0, name="gemma-4-e2b", outcome="failed", text="no network")
    assert printed(over) == {
        "t_ms": 1000.0,
        "event": "model_over",
        "name": "gemma-4-e2b",
        "outcome": "failed",
        "text": "no network",
    }


@pytest.mark.parametrize("finished", [None, 0.9123456])
def test_a_pause_is_told_with_what_it_waits_for(finished: float | None) -> None:
    assert printed(PauseJudged(at_s=1.2, turn=3, wait_ms=1800, why="unfinished", finished=finished)) == {
        "t_ms": 200.0,
        "event": "pause_judged",
        "turn": 3,
        "wait_ms": 1800,
        "why": "unfinished",
        "finished": None if finished is None else 0.912,
    }


def test_a_reply_that_makes_way_is_told() -> None:
    told = [printed(ReplyYields(at_s=1.0, turn=2, how=how)) for how in ("dipped", "held", "resumed")]  # type: ignore[arg-type]
    assert [line["how"] for line in told] == ["dipped", "held", "resumed"]
    assert {line["event"] for line in told} == {"reply_yields"}
    assert {line["turn"] for line in told} == {2}


def test_what_eagerness_brings_is_told() -> None:
    assert printed(EagerCount(at_s=1.0, hits=3, dropped=1, saved_ms=812.34, wasted_ms=99.99)) == {
        "t_ms": 0.0,
        "event": "eager_count",
        "hits": 3,
        "dropped": 1,
        "saved_ms": 812.3,
        "wasted_ms": 100.0,
    }
    done = TurnDone(
        at_s=1.0, turn=1, status="joined", heard="a", reply="b", stages_ms={}, output_tokens=0, eager_ms=352.04
    )
    assert printed(done)["eager_ms"] == 352.0
    assert printed(done)["status"] == "joined"


def test_the_echo_is_told_once_a_second_and_everything_else_always() -> None:
    lines = Lines(1.0)
    told = [
        line
        for tenth in range(25)
        for event in (
            EchoLevel(at_s=2.0 + tenth / 10, dbfs=-32.04, suppressed_db=31.0),
            ReplyYields(at_s=2.0 + tenth / 10, turn=1, how="dipped"),
        )
        if (line := lines.of(event)) is not None
    ]
    echo = [line for line in told if line["event"] == "echo_level"]
    assert [line["t_ms"] for line in echo] == [1000.0, 2000.0, 3000.0]
    assert echo[0] == {"t_ms": 1000.0, "event": "echo_level", "dbfs": -32.0, "suppressed_db": 31.0}
    assert len(told) - len(echo) == 25
