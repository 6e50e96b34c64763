"""The jitter buffer against a plain model of itself, and its arithmetic of what is audible."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from parlor_tui.devices.base import SILENT_DBFS, SPEAKER_RATE_HZ
from parlor_tui.devices.jitter_buffer import FADE_SAMPLES, JitterBuffer, level_dbfs

CAPACITY = 1000


def ramp(start: int, count: int) -> np.ndarray:
    """Samples that all differ, so that order and place are seen."""
    return ((np.arange(start, start + count) % 997 + 1) / 1000).astype(np.float32)


class AgainstAList(RuleBasedStateMachine):
    """Whatever is written comes out once, in order, and the counts agree."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = JitterBuffer(CAPACITY)
        self.model: list[float] = []
        self.next_value = 0
        self.earlier = 0
        self.written = self.played = self.underruns = 0
        self.dry = False
        self.time_s = 100.0
        self.last_audible = 0
        self.in_fade = False

    @rule(count=st.integers(0, 1500))
    def write(self, count: int) -> None:
        samples = ramp(self.next_value, count)
        taken = self.buffer.write(samples)
        assert taken == min(count, CAPACITY - len(self.model))
        if taken and self.dry:
            self.underruns += 1
            self.dry = False
        self.model += samples[:taken].tolist()
        self.next_value += taken
        self.written += taken

    @rule(count=st.integers(1, 700))
    def read(self, count: int) -> None:
        out = np.full(count, 9.0, np.float32)
        taken = self.buffer.read_into(out, self.time_s)
        assert taken == min(count, len(self.model))
        np.testing.assert_array_equal(out[:taken], np.asarray(self.model[:taken], np.float32))
        assert not out[taken:].any()
        self.model = self.model[taken:]
        from_earlier = min(self.earlier, taken)
        self.earlier -= from_earlier
        self.played += taken - from_earlier
        self.dry = self.dry or (taken < count and self.played > 0)
        self.time_s += count / SPEAKER_RATE_HZ

    @rule()
    def flush(self) -> None:
        before = np.asarray(self.model, np.float32)
        self.buffer.flush()
        kept = min(len(before), FADE_SAMPLES)
        gain = np.linspace(1.0, 0.0, kept + 1, dtype=np.float32)[1:]
        self.model = (before[:kept] * gain).tolist()
        self.earlier = min(self.earlier, kept)

    @rule()
    def restart(self) -> None:
        self.buffer.restart()
        self.earlier = len(self.model)
        self.written = self.played = self.underruns = self.last_audible = 0
        self.dry = False

    @precondition(lambda self: self.played)
    @rule()
    def everything_is_heard_in_the_end(self) -> None:
        clock = self.buffer.clock(self.time_s + 1000.0)
        assert clock.played_samples == self.played
        assert clock.level_dbfs == SILENT_DBFS
        self.last_audible = self.played

    @invariant()
    def counts_agree(self) -> None:
        clock = self.buffer.clock(self.time_s)
        assert clock.written_samples == self.written
        assert clock.buffered_samples == len(self.model) <= CAPACITY
        assert clock.underruns == self.underruns
        assert self.last_audible <= clock.played_samples <= self.played <= self.written
        assert (clock.first_audible_at_s is not None) == (self.played > 0)
        self.last_audible = clock.played_samples


TestAgainstAList = AgainstAList.TestCase


def pull(buffer: JitterBuffer, count: int, audible_at_s: float) -> np.ndarray:
    out = np.empty(count, np.float32)
    buffer.read_into(out, audible_at_s)
    return out


def test_what_the_device_holds_back_is_not_heard_yet() -> None:
    buffer = JitterBuffer(24000)
    buffer.write(ramp(0, 4800))
    pull(buffer, 2400, audible_at_s=10.04)
    assert buffer.clock(10.0).played_samples == 0
    assert buffer.clock(10.0).first_audible_at_s == 10.04
    assert buffer.clock(10.04 + 0.05).played_samples == 1200
    pull(buffer, 2400, audible_at_s=10.14)
    assert buffer.clock(10.14).played_samples == 2400
    assert buffer.clock(11.0).played_samples == 4800


def test_what_is_audible_never_goes_back_when_the_device_corrects_its_delay() -> None:
    buffer = JitterBuffer(24000)
    buffer.write(ramp(0, 4800))
    pull(buffer, 2400, 10.0)
    assert buffer.clock(10.099).played_samples > 2300
    pull(buffer, 2400, 10.02)
    assert buffer.clock(10.099).played_samples > 2300


def test_a_torn_reply_is_counted_once_and_its_end_is_not() -> None:
    buffer = JitterBuffer(24000)
    buffer.write(ramp(0, 100))
    for n in range(5):
        pull(buffer, 80, n / 100)
    assert buffer.clock(1.0).underruns == 0
    buffer.write(ramp(0, 100))
    assert buffer.clock(1.0).underruns == 1
    for n in range(5):
        pull(buffer, 80, 1 + n / 100)
    buffer.restart()
    buffer.write(ramp(0, 100))
    assert buffer.clock(2.0).underruns == 0


def test_a_reply_that_follows_a_fade_is_counted_from_its_own_first_sample() -> None:
    buffer = JitterBuffer(24000)
    buffer.write(ramp(0, 9000))
    buffer.flush()
    buffer.restart()
    buffer.write(ramp(0, 480))
    pull(buffer, 480, 5.0)
    clock = buffer.clock(5.02)
    assert clock.first_audible_at_s == pytest.approx(5.0 + FADE_SAMPLES / SPEAKER_RATE_HZ)
    assert clock.played_samples == 480 - FADE_SAMPLES


@given(st.integers(1, 3000), st.integers(0, 400), st.integers(1, 3))
def test_a_flush_falls_silent_without_a_step(waiting: int, read_first: int, flushes: int) -> None:
    buffer = JitterBuffer(4000)
    buffer.write(np.full(waiting, 0.8, np.float32))
    heard = [pull(buffer, read_first, 0.0)] if read_first else []
    for _ in range(flushes):
        buffer.flush()
    heard.append(pull(buffer, FADE_SAMPLES + 10, 1.0))
    sound = np.concatenate(heard)[min(read_first, waiting) :]
    assert not sound[FADE_SAMPLES:].any()
    steps = np.abs(np.diff(sound))
    left = max(0, waiting - read_first)
    if left >= FADE_SAMPLES:
        assert steps.max() < 0.8 * flushes / FADE_SAMPLES + 1e-4


@given(st.lists(st.floats(width=32), min_size=1, max_size=50))
def test_nothing_but_sound_within_full_scale_gets_out(values: list[float]) -> None:
    buffer = JitterBuffer(100)
    buffer.write(np.asarray(values, np.float32))
    out = pull(buffer, 60, 0.0)
    assert np.isfinite(out).all()
    assert np.abs(out).max() <= 1.0


def test_levels() -> None:
    assert level_dbfs(np.zeros(100, np.float32)) == SILENT_DBFS
    assert level_dbfs(np.zeros(0, np.float32)) == SILENT_DBFS
    assert level_dbfs(np.ones(100, np.float32)) == pytest.approx(0.0)
    assert level_dbfs(np.full(100, 0.1, np.float32)) == pytest.approx(-20.0, abs=1e-4)
    assert math.isclose(level_dbfs(np.full(10, 1e-9, np.float32)), SILENT_DBFS)


def test_the_level_is_that_of_what_is_audible_now() -> None:
    buffer = JitterBuffer(24000)
    buffer.write(np.full(240, 0.5, np.float32))
    buffer.write(np.full(240, 0.05, np.float32))
    pull(buffer, 240, 7.0)
    pull(buffer, 240, 7.01)
    assert buffer.clock(6.9).level_dbfs == SILENT_DBFS
    assert buffer.clock(7.005).level_dbfs == pytest.approx(-6.02, abs=0.1)
    assert buffer.clock(7.015).level_dbfs == pytest.approx(-26.02, abs=0.1)
    assert buffer.clock(7.1).level_dbfs == SILENT_DBFS
