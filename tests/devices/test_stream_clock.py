"""The least difference of two clocks is the true one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices.stream_clock import StreamClock


@given(st.lists(st.floats(0, 0.2), min_size=2, max_size=60), st.floats(-1e6, 1e6))
def test_late_callbacks_do_not_move_it(late_s: list[float], ahead_s: float) -> None:
    clock = StreamClock()
    clock.ours(0.0, ahead_s, 100.0)
    for n, late in enumerate(late_s):
        at_s = 100.0 + n / 100
        ours = clock.ours(at_s + ahead_s - 100.0 + 0.04, at_s + ahead_s - 100.0, at_s + late)
        assert ours == pytest.approx(at_s + 0.04, abs=0.002)


def test_it_follows_a_clock_that_drifts_and_one_that_is_set() -> None:
    clock = StreamClock()
    for n in range(6000):
        at_s = 100.0 + n / 100
        stream_s = n / 100 * (1 - 200e-6)
        ours = clock.ours(stream_s, stream_s, at_s)
    assert ours == pytest.approx(at_s, abs=0.002)
    assert clock.ours(5000.0, 5000.0, 200.0) == 200.0
