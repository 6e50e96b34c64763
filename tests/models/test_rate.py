"""The speed that is shown is near the true one, whatever the rhythm in which bytes come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.models.base import in_time
from parlor_tui.models.rate import Rate


@given(
    st.floats(1e3, 1e9),
    st.lists(st.floats(0.01, 3.0), min_size=2, max_size=60),
    st.integers(0, 10**9),
)
def test_a_steady_speed_is_found_whatever_the_rhythm_and_what_was_there_before(
    speed: float, steps_s: list[float], kept_bytes: int
) -> None:
    rate, at_s, done = Rate(), 100.0, float(kept_bytes)
    rate.add(round(done), at_s)
    for step_s in steps_s:
        at_s += step_s
        done += speed * step_s
        rate.add(round(done), at_s)
    if sum(steps_s) < 0.999:
        assert rate.bytes_per_s == 0
        assert rate.left_s(round(done) + 1000) is None
    elif sum(steps_s) > 1.001:
        slack = 2 / min(steps_s)  # each count is rounded to a whole byte
        assert rate.bytes_per_s == pytest.approx(speed, rel=1e-3, abs=slack)
        left_s = rate.left_s(round(done) + round(10 * speed))
        assert left_s == pytest.approx(10, rel=0.01 + 2 * slack / speed, abs=0.1)


@given(st.lists(st.tuples(st.integers(0, 10**10), st.floats(0, 1e6)), max_size=30), st.integers(0, 10**10))
def test_no_sequence_makes_it_negative_or_fail(seen: list[tuple[int, float]], total_bytes: int) -> None:
    rate = Rate()
    for done_bytes, at_s in seen:
        rate.add(done_bytes, at_s)
        left_s = rate.left_s(total_bytes)
        assert rate.bytes_per_s >= 0
        assert left_s is None or left_s >= 0


def test_a_stall_brings_it_down_and_the_time_left_up() -> None:
    rate = Rate()
    for second in range(11):
        rate.add(second * 1_000_000, float(second))
    flowing_s = rate.left_s(20_000_000)
    assert flowing_s == pytest.approx(10, rel=0.01)
    for second in range(11, 21):
        rate.add(10_000_000, float(second))
    assert rate.bytes_per_s < 200_000
    stalled_s = rate.left_s(20_000_000)
    assert stalled_s is not None
    assert stalled_s > 5 * flowing_s


def test_starting_anew_forgets_the_speed() -> None:
    rate = Rate()
    rate.add(0, 0.0)
    rate.add(10_000_000, 2.0)
    assert rate.bytes_per_s > 0
    rate.add(0, 3.0)
    assert rate.bytes_per_s == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (3_540, "59 min"), (5_399, "1 h 30 min"), (7_200, "2 h 0 min")],
)
def test_time_in_words(seconds: float, words: str) -> None:
    assert in_time(seconds) == words
