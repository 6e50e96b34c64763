"""Devices that fall silent, or run at another rate than before, told from threads that are merely late."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices.microphone import LONGEST_ZEROS_S, ZEROS_S, SilenceWatch
from parlor_tui.devices.pacing import RateWatch, StallWatch

jitters = st.lists(st.floats(-0.005, 0.005), min_size=5, max_size=50)
RATE_HZ = 16_000


def noticed_after_s(watch: RateWatch, rate_hz: float, block_s: float, jitter_s: list[float], start_s: float) -> float:
    """How long a device that gives `rate_hz` in blocks of `block_s` runs before that is another rate; 10 s at most."""
    for number in range(1, int(10 / block_s)):
        at_s = start_s + number * block_s
        if watch.changed(round(block_s * rate_hz), at_s + jitter_s[number % len(jitter_s)]):
            return at_s - start_s
    return 10.0


@given(st.floats(0.005, 0.03), jitters, st.floats(-0.01, 0.01))
def test_a_rate_that_stays_is_no_change_although_the_times_jitter(
    block_s: float, jitter_s: list[float], off: float
) -> None:
    assert noticed_after_s(RateWatch(RATE_HZ), RATE_HZ * (1 + off), block_s, jitter_s, 5.0) == 10.0


@given(
    st.sampled_from([(48000, 44100), (44100, 48000), (16000, 8000), (48000, 96000), (48000, 16000)]),
    st.floats(0.005, 0.03),
    jitters,
)
def test_another_rate_is_noticed_within_two_seconds(
    rates_hz: tuple[int, int], block_s: float, jitter_s: list[float]
) -> None:
    before_hz, after_hz = rates_hz
    watch = RateWatch(before_hz)
    assert noticed_after_s(watch, before_hz, block_s, jitter_s, 5.0) == 10.0
    assert noticed_after_s(watch, after_hz, block_s, jitter_s, 15.0) <= 2.0


def test_what_never_ran_at_its_rate_is_taken_as_it_is() -> None:
    assert noticed_after_s(RateWatch(RATE_HZ), RATE_HZ * 0.9, 0.02, [0.0], 5.0) == 10.0


@given(st.integers(0, 2**32 - 1))
def test_sound_that_is_lost_now_and_then_is_no_other_rate(seed: int) -> None:
    watch, random = RateWatch(RATE_HZ), np.random.default_rng(seed)
    for number in range(1, 500):
        begins_s = number // 25 * 0.5
        lost = random.random() < (0.0 if begins_s % 1.0 else 0.3)  # a busy half second, and one that is not
        assert not watch.changed(0 if lost else 320, 5.0 + number * 0.02)


def test_a_process_that_stood_still_saw_no_other_rate_and_no_silence() -> None:
    rate, stall = RateWatch(RATE_HZ), StallWatch(3.0, 1.0, 0.0)
    at_s = 0.0
    for _ in range(5):
        for _ in range(150):
            at_s += 0.02
            assert not rate.changed(320, at_s)
            assert not stall.stalled(True, at_s)
        at_s += 30.0
        assert not stall.stalled(False, at_s)


def test_a_sink_that_wakes_up_has_longer_and_then_as_long_as_any() -> None:
    watch = StallWatch(3.0, 1.0, 0.0, signs=8)
    assert not watch.stalled(True, 0.05)
    assert not any(watch.stalled(False, number * 0.05) for number in range(2, 50))
    assert not any(watch.stalled(True, number * 0.05) for number in range(50, 70))
    late = [watch.stalled(False, number * 0.05) for number in range(70, 100)]
    assert late.index(True) * 0.05 == pytest.approx(1.0, abs=0.06)


def test_a_microphone_that_cuts_off_what_is_quiet_is_told_of_less_and_less() -> None:
    watch, told_after_s = SilenceWatch(), []
    for _ in range(8):
        silent_s = 0.0
        while watch.feed(np.zeros(160, np.float32), 0.01) is None:
            silent_s += 0.01
        told_after_s.append(silent_s)
        assert watch.feed(np.ones(160, np.float32), 0.01) == "", "it was not so"
    assert told_after_s[:3] == pytest.approx([ZEROS_S, 2 * ZEROS_S, 4 * ZEROS_S], abs=0.05)
    assert told_after_s[-1] == pytest.approx(LONGEST_ZEROS_S, abs=0.05)
