"""The jitter buffer against a plain model of itself, and its arithmetic of what is audible."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.devices.output_shape import FADE_SAMPLES, GAIN_SAMPLES, WAKE_SAMPLES, WAKE_STEP
from parlor_tui.pcm import SILENT_DBFS, level_dbfs

CAPACITY = 1000


def ramp(start: int, count: int) -> np.ndarray:
    """Samples that differ from their neighbours, so that order and place are seen, and that jump by LARGEST_JUMP."""
    up_and_down = np.abs((np.arange(start, start + count) * 7) % 1990 - 995)
    return (up_and_down / 1000 - 0.3).astype(np.float32)


LARGEST_JUMP = 0.007


class PlainOutput:
    """What the buffer does, one sample after the other and as plainly as it can be said."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, str]] = []
        self.owner_of_last = ""
        self.last = 0.0
        self.sounding = self.held = False
        self.fade = 1.0
        self.gain = self.gain_target = 1.0
        self.gain_left = 0
        self.glide = 0.0
        self.glide_left = 0

    def next(self) -> tuple[float, bool]:
        """The next sample of output, and whether it is one of those that were written."""
        real = bool(self.waiting) and not (self.held and self.fade < 1e-9)
        value, owner = self.waiting.pop(0) if real else (0.0, "")
        if real:
            self.fade = max(0.0, self.fade - 1 / FADE_SAMPLES) if self.held else min(1.0, self.fade + 1 / FADE_SAMPLES)
            if self.gain_left:
                self.gain += (self.gain_target - self.gain) / self.gain_left
                self.gain_left -= 1
            value *= self.fade * self.gain
        elif self.held:
            self.fade = 0.0
        if owner != self.owner_of_last:
            self.glide, self.glide_left = self.last - value, FADE_SAMPLES
        self.owner_of_last, self.sounding = owner, real
        if self.glide_left:
            self.glide_left -= 1
            value += self.glide * self.glide_left / FADE_SAMPLES
        self.last = value
        return max(-1.0, min(1.0, value)), real

    def set_gain(self, gain: float) -> None:
        self.gain_target = gain
        self.gain_left = GAIN_SAMPLES if self.sounding else 0
        if not self.sounding:
            self.gain = gain

    def hold(self) -> None:
        self.held = True
        if not self.sounding:
            self.fade = 0.0

    def flush(self) -> None:
        dying = [one for one in self.waiting if one[1].startswith("dying")]
        kept = dying or self.waiting[:FADE_SAMPLES]
        if not self.sounding or self.fade < 1e-9:
            kept = []
        if dying:
            self.waiting = [(value * self.fade, owner) for value, owner in kept]
        else:
            self.waiting = [
                (value * self.fade * (1 - (n + 1) / FADE_SAMPLES), f"dying {owner}")
                for n, (value, owner) in enumerate(kept)
            ]
            if self.sounding:
                self.owner_of_last = f"dying {self.owner_of_last}"
        self.held, self.fade = False, 1.0


class AgainstPlainOutput(RuleBasedStateMachine):
    """Whatever is written comes out once, in order and without a click, and the counts agree."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = JitterBuffer(CAPACITY)
        self.model = PlainOutput()
        self.next_value = 0
        self.reply = 0
        self.written = self.played = self.underruns = 0
        self.dry = False
        self.time_s = 100.0
        self.last_audible = 0
        self.last_out = 0.0

    @rule(count=st.integers(0, 1500))
    def write(self, count: int) -> None:
        samples = ramp(self.next_value, count)
        taken = self.buffer.write(samples)
        assert taken == min(count, CAPACITY - len(self.model.waiting))
        if taken and self.dry:
            self.underruns += 1
            self.dry = False
        self.model.waiting += [(value, str(self.reply)) for value in samples[:taken].tolist()]
        self.next_value += taken
        self.written += taken

    @rule(count=st.integers(1, 700))
    def read(self, count: int) -> None:
        out = np.full(count, 9.0, np.float32)
        owners = [owner.split()[-1] for _, owner in self.model.waiting]
        taken = self.buffer.read_into(out, self.time_s)
        expected = [self.model.next() for _ in range(count)]
        assert taken == sum(real for _, real in expected)
        np.testing.assert_allclose(out, [value for value, _ in expected], atol=2e-5)
        self.played += owners[:taken].count(str(self.reply))
        self.dry = self.dry or (taken < count and self.played > 0 and not self.model.held)
        self.time_s += count / SPEAKER_RATE_HZ
        jumps = np.abs(np.diff(out, prepend=self.last_out))
        assert jumps.max() < LARGEST_JUMP + 1 / FADE_SAMPLES + 1 / GAIN_SAMPLES + 2 / FADE_SAMPLES
        self.last_out = out[-1]

    @rule()
    def flush(self) -> None:
        self.buffer.flush()
        self.model.flush()

    @rule()
    def hold(self) -> None:
        self.buffer.hold()
        self.model.hold()

    @rule()
    def go_on(self) -> None:
        self.buffer.go_on()
        self.model.held = False

    @rule(gain=st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    def set_gain(self, gain: float) -> None:
        self.buffer.set_gain(gain)
        self.model.set_gain(gain)

    @rule()
    def restart(self) -> None:
        self.buffer.restart()
        self.model.held = False
        self.model.set_gain(1.0)
        self.reply += 1
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
        assert clock.buffered_samples == len(self.model.waiting) <= CAPACITY
        assert clock.underruns == self.underruns
        assert self.last_audible <= clock.played_samples <= self.played <= self.written
        assert (clock.first_audible_at_s is not None) == (self.played > 0)
        self.last_audible = clock.played_samples


TestAgainstPlainOutput = AgainstPlainOutput.TestCase
TestAgainstPlainOutput.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)


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
    pull(buffer, 480, 4.98)
    buffer.flush()
    buffer.restart()
    buffer.write(ramp(0, 480))
    pull(buffer, 480, 5.0)
    clock = buffer.clock(5.02)
    assert clock.first_audible_at_s == pytest.approx(5.0 + FADE_SAMPLES / SPEAKER_RATE_HZ)
    assert clock.played_samples == 480 - FADE_SAMPLES


@given(st.integers(1, 3000), st.integers(1, 400), st.integers(1, 3))
def test_a_flush_falls_silent_without_a_step(waiting: int, read_first: int, flushes: int) -> None:
    buffer = JitterBuffer(4000)
    buffer.write(np.full(waiting, 0.8, np.float32))
    heard = [pull(buffer, read_first, 0.0)]
    for _ in range(flushes):
        buffer.flush()
    heard.append(pull(buffer, 2 * FADE_SAMPLES + 10, 1.0))
    sound = np.concatenate(heard)
    fading = min(FADE_SAMPLES, max(0, waiting - read_first))
    assert not sound[read_first + fading + FADE_SAMPLES :].any()
    assert np.abs(sound[read_first + FADE_SAMPLES :]).max() <= 0.8 * (1 - fading / FADE_SAMPLES) + 1e-4
    assert np.abs(np.diff(sound, prepend=0.0)).max() < 2 * 0.8 / FADE_SAMPLES + 1e-4


def test_what_was_never_heard_is_flushed_without_a_sound() -> None:
    buffer = JitterBuffer(4000)
    buffer.write(np.full(3000, 0.8, np.float32))
    buffer.flush()
    assert not pull(buffer, 1000, 0.0).any()
    assert buffer.clock(1.0).played_samples == 0


def test_a_hold_keeps_what_waits_and_the_clock_stands_still() -> None:
    buffer = JitterBuffer(24000)
    source = ramp(0, 12000)
    buffer.write(source[:9000])
    pull(buffer, 4800, 10.0)
    buffer.hold()
    buffer.hold()
    faded = pull(buffer, 2400, 10.2)
    assert np.abs(faded[:FADE_SAMPLES]).max() > 0.1
    assert np.abs(faded[FADE_SAMPLES:]).max() < 0.01
    assert not faded[2 * FADE_SAMPLES :].any()
    assert buffer.write(source[9000:]) == 3000
    assert not pull(buffer, 24000, 10.3).any()
    clock = buffer.clock(12.0)
    assert clock.played_samples == 4800 + FADE_SAMPLES
    assert clock.buffered_samples == 12000 - 4800 - FADE_SAMPLES
    assert clock.level_dbfs == SILENT_DBFS
    buffer.go_on()
    buffer.go_on()
    again = pull(buffer, 12000 - 4800 - FADE_SAMPLES, 12.0)
    assert np.abs(again[:24]).max() < 0.1
    np.testing.assert_array_equal(again[FADE_SAMPLES:], source[4800 + 2 * FADE_SAMPLES :])
    assert buffer.clock(20.0).played_samples == 12000
    assert buffer.clock(20.0).underruns == 0


def test_a_flush_ends_a_hold_and_so_does_a_restart() -> None:
    buffer = JitterBuffer(24000)
    for end in (buffer.flush, buffer.restart):
        buffer.write(ramp(0, 9000))
        pull(buffer, 480, 0.0)
        buffer.hold()
        pull(buffer, 480, 0.1)
        end()
        pull(buffer, 9000, 0.2)
        buffer.restart()
        buffer.write(ramp(500, 2000))
        heard = pull(buffer, 2000, 1.0)
        np.testing.assert_array_equal(heard[FADE_SAMPLES:], ramp(500, 2000)[FADE_SAMPLES:])


@given(st.lists(st.tuples(st.integers(1, 500), st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=8))
def test_a_gain_is_reached_within_15_ms_without_a_step(changes: list[tuple[int, float]]) -> None:
    buffer = JitterBuffer(10000)
    buffer.write(np.full(10000, 0.8, np.float32))
    sound = [pull(buffer, 300, 0.0)]
    for count, gain in changes:
        buffer.set_gain(gain)
        sound.append(pull(buffer, count, 0.0))
    sound.append(pull(buffer, GAIN_SAMPLES, 0.0))
    assert sound[-1][-1] == pytest.approx(0.8 * changes[-1][1], abs=1e-5)
    assert np.abs(np.diff(np.concatenate(sound)[300:])).max() <= 0.8 / GAIN_SAMPLES + 1e-4
    buffer.restart()
    pull(buffer, GAIN_SAMPLES, 0.0)
    assert pull(buffer, 1, 0.0)[0] == pytest.approx(0.8)


def test_noise_nobody_hears_wakes_the_sink_until_the_first_sample() -> None:
    buffer = JitterBuffer(24000)
    assert not pull(buffer, 100, 0.0).any()
    buffer.wake()
    noise = pull(buffer, 2400, 1.0)
    assert np.abs(noise).max() == pytest.approx(WAKE_STEP)
    assert np.mean(noise != 0) > 0.5
    assert buffer.clock(1.05).level_dbfs == SILENT_DBFS
    assert buffer.clock(1.05).first_audible_at_s is None
    assert not buffer.reference(1.0, 1000).any()
    buffer.write(ramp(0, 1000))
    np.testing.assert_array_equal(pull(buffer, 1000, 1.1)[FADE_SAMPLES:], ramp(0, 1000)[FADE_SAMPLES:])
    assert not pull(buffer, 2400, 1.2)[FADE_SAMPLES:].any()
    buffer.wake()
    assert pull(buffer, WAKE_SAMPLES, 2.0)[-100:].any()
    assert not pull(buffer, 1000, 5.0).any()


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
    buffer.write(np.full(480, 0.5, np.float32))
    buffer.write(np.full(240, 0.05, np.float32))
    pull(buffer, 240, 6.5)
    pull(buffer, 240, 7.0)
    pull(buffer, 240, 7.01)
    assert buffer.clock(6.9).level_dbfs == SILENT_DBFS
    assert buffer.clock(7.005).level_dbfs == pytest.approx(-6.02, abs=0.1)
    assert buffer.clock(7.015).level_dbfs == pytest.approx(-26.02, abs=0.1)
    assert buffer.clock(7.1).level_dbfs == SILENT_DBFS
