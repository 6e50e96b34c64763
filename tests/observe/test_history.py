"""Figures of a talk's turns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.events import EagerCount, Event, TurnCommitted, TurnDone, TurnStatus
from parlor_tui.observe.history import History, PastTurn, quantile


def turn(
    number: int,
    status: TurnStatus = "completed",
    asked_s: float | None = None,
    tokens: int = 0,
    writing_ms: float = 0.0,
    **stages_ms: float,
) -> list[Event]:
    at_s = 60.0 * number if asked_s is None else asked_s
    return [
        TurnCommitted(at_s=at_s, turn=number, last_speech_at_s=at_s - 0.2),
        TurnDone(
            at_s=at_s + 5,
            turn=number,
            status=status,
            heard=f"question {number}",
            reply="answer",
            stages_ms=stages_ms,
            output_tokens=tokens,
            writing_ms=writing_ms,
        ),
    ]


def history(*turns: list[Event], kept: int = 500) -> History:
    made = History(kept)
    for events in turns:
        for event in events:
            made.apply(event)
    return made


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60), st.floats(0, 1))
def test_quantiles_are_numpys(values: list[float], share: float) -> None:
    assert quantile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-9)


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60), st.floats(0, 1), st.floats(0, 1))
def test_quantiles_grow_with_the_share_and_stay_within(values: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert min(values) <= quantile(values, low) <= quantile(values, high) + 1e-9 <= max(values) + 1e-9


@pytest.mark.parametrize(("values", "share"), [([], 0.5), ([1.0], 1.1), ([1.0], -0.1), ([1.0], float("nan"))])
def test_there_is_no_quantile_of_nothing_nor_outside(values: list[float], share: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        quantile(values, share)


def test_a_stage_has_its_last_value_its_quantiles_and_the_newest() -> None:
    made = history(*(turn(n, endpoint=100.0 + n, voice_to_voice=500.0 + n) for n in range(101)))
    figures = made.figures("endpoint", 3)
    assert figures is not None
    assert (figures.last, figures.p50, figures.p95, figures.p99) == (200.0, 150.0, 195.0, 199.0)
    assert figures.recent == (198.0, 199.0, 200.0)
    assert made.figures("see") is None


def test_a_stage_that_the_last_turn_did_not_have_has_no_last_value() -> None:
    made = history(turn(0, see=80.0), turn(1, endpoint=200.0))
    figures = made.figures("see")
    assert figures is not None
    assert figures.last is None
    assert figures.p50 == 80.0


def test_joined_turns_count_in_no_stage_and_are_not_the_last() -> None:
    made = history(turn(0, endpoint=200.0, voice_to_voice=700.0), turn(1, "joined", endpoint=9000.0))
    figures = made.figures("endpoint")
    assert figures is not None
    assert (figures.last, figures.p99) == (200.0, 200.0)
    assert made.last is not None
    assert made.last.turn == 0


def test_only_the_newest_turns_count() -> None:
    made = history(*(turn(n, endpoint=float(n)) for n in range(700)))
    assert len(made.turns) == 500
    figures = made.figures("endpoint")
    assert figures is not None
    assert min(figures.recent) == 200.0


def test_errors_are_counted_among_turns_that_wanted_an_answer() -> None:
    assert history().error_rate() is None
    assert history(turn(0, "no_words"), turn(1, "joined")).error_rate() is None
    made = history(turn(0), turn(1, "failed"), turn(2, "interrupted"), turn(3, "joined"), turn(4, "no_words"), turn(5))
    assert made.error_rate() == 0.25
    assert made.counts() == {"completed": 2, "failed": 1, "interrupted": 1, "joined": 1, "no_words": 1}


def test_turns_a_minute_are_those_that_were_answered() -> None:
    assert history(turn(0)).turns_per_minute() is None
    assert history(turn(0, asked_s=3.0), turn(1, asked_s=3.0)).turns_per_minute() is None
    made = history(turn(0, asked_s=0.0), turn(1, "failed", asked_s=10.0), *(turn(n, asked_s=30.0 * n) for n in (1, 2)))
    assert made.turns_per_minute() == 2.0


@pytest.mark.parametrize(
    ("tokens", "writing_ms", "per_s"), [(11, 100.0, 100.0), (1, 0.0, None), (1, 50.0, None), (9, 0.0, None)]
)
def test_tokens_a_second_lie_between_the_first_and_the_last(
    tokens: int, writing_ms: float, per_s: float | None
) -> None:
    made = history(turn(0, tokens=tokens, writing_ms=writing_ms, endpoint=1.0))
    figures = made.tokens_per_s()
    assert (figures.last if figures else None) == per_s


def test_a_turn_is_dated_when_the_user_was_done() -> None:
    (past,) = history(turn(3, asked_s=40.0)).turns
    assert (past.turn, past.at_s, past.said, past.reply) == (3, 40.0, "question 3", "answer")


def test_what_changes_figures_is_told() -> None:
    made = History()
    committed, done = turn(0)
    assert not made.apply(committed)
    assert made.apply(done)
    count = EagerCount(at_s=0.0, hits=1, dropped=0, saved_ms=1.0, wasted_ms=0.0)
    assert made.apply(count)
    assert made.eager is count


@settings(deadline=None)  # a busy machine may stop for longer than a line takes
@given(
    st.lists(
        st.tuples(
            st.integers(0, 30),
            st.sampled_from(["completed", "interrupted", "joined", "no_words", "failed"]),
            st.dictionaries(st.sampled_from(["endpoint", "first_token", "voice_to_voice"]), st.floats(0, 1e5)),
            st.floats(0, 1e4),
        ),
        max_size=30,
    ),
    st.integers(1, 10),
)
def test_any_turns_leave_sane_figures(turns: list[tuple[int, TurnStatus, dict[str, float], float]], kept: int) -> None:
    made = history(*(turn(n, status, at_s, 5, 10.0, **stages) for n, status, stages, at_s in turns), kept=kept)
    assert len(made.turns) == min(len(turns), kept)
    assert sum(made.counts().values()) == len(made.turns)
    assert 0 <= (made.error_rate() or 0) <= 1
    assert (made.turns_per_minute() or 1) > 0
    for stage in ("endpoint", "first_token", "voice_to_voice"):
        figures = made.figures(stage, 4)
        if figures is not None:
            assert min(figures.recent) <= figures.p99 + 1e-6
            assert figures.p50 <= figures.p95 <= figures.p99
    assert all(isinstance(past, PastTurn) for past in made.turns)
