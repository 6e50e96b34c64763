"""A speaker that misses its time: what it says was audible stays in step with what was, and no echo is speech."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.devices.played import PlayedSound
from parlor_tui.devices.resample import resample_whole
from parlor_tui.hearing.echo import EchoCanceller
from parlor_tui.hearing.vad import SAMPLE_RATE_HZ
from tests.hearing.echo_room import BLOCK_S, blocks, echo_of, hiss, probabilities, replies

PULL = SPEAKER_RATE_HZ // 50
PULL_S = PULL / SPEAKER_RATE_HZ
LATENCY_S = 0.04
BEGAN_S = 100.0
JITTER_S = 0.001
GIVEN_LATE_S = 0.1
"""A microphone's block is there this much after it was captured."""


class Sink:
    """A device that pulls every 20 ms, and now and then for a while does not: then nothing is audible.

    After a gap it fills its buffer first, with pulls that follow at once. `tells`: it says that it missed its time.
    """

    def __init__(self, gaps_s: dict[float, float], tells: bool) -> None:
        self.buffer = JitterBuffer(SPEAKER_RATE_HZ // 2)
        self._gaps_s = dict(sorted(gaps_s.items()))
        self._tells = tells
        self._random = np.random.default_rng(7)
        self._now_s = BEGAN_S
        self._free_s = BEGAN_S + LATENCY_S
        self.audible: list[np.ndarray] = [np.zeros(round(LATENCY_S * SPEAKER_RATE_HZ), np.float32)]

    def run_until(self, at_s: float) -> None:
        while self._now_s < at_s:
            due = [begins_s for begins_s in self._gaps_s if BEGAN_S + begins_s <= self._now_s]
            if due:
                self._miss(self._gaps_s.pop(due[0]))
            self._pull()
            self._now_s += PULL_S

    def _miss(self, gap_s: float) -> None:
        resumes_s = self._now_s + gap_s
        silence_s = max(0.0, resumes_s - self._free_s)
        self.audible.append(np.zeros(round(silence_s * SPEAKER_RATE_HZ), np.float32))
        self._now_s, self._free_s = resumes_s, max(self._free_s, resumes_s)
        if not silence_s:
            return
        if self._tells:
            self.buffer.count_underrun()
        while self._free_s - self._now_s < LATENCY_S - PULL_S:
            self._pull()

    def _pull(self) -> None:
        out = np.empty(PULL, np.float32)
        self.buffer.read_into(out, self._free_s + self._random.uniform(-JITTER_S, JITTER_S))
        self.audible.append(out)
        self._free_s += PULL_S

    def play(self, said: np.ndarray, step: int, written: int) -> int:
        """Let time go on to block `step` of the microphone; so much of `said` was written by then."""
        written += self.buffer.write(said[written : written + SPEAKER_RATE_HZ])
        self.run_until(BEGAN_S + step * BLOCK_S)
        return written


def left_of_echo(said: np.ndarray, gaps_s: dict[float, float], *, tells: bool, delay_ms: int, db: float) -> np.ndarray:
    """What the canceller leaves of what a microphone hears of `said`, which is mono at 24 kHz."""
    steps = int((len(said) / SPEAKER_RATE_HZ + sum(gaps_s.values()) + 0.5) / BLOCK_S)
    first, written = Sink(gaps_s, tells), 0
    for step in range(steps):
        written = first.play(said, step, written)
    audible = resample_whole(np.concatenate(first.audible), SPEAKER_RATE_HZ, SAMPLE_RATE_HZ)
    microphone = echo_of(audible, delay_ms, db)
    microphone = blocks(microphone + hiss(len(microphone)))
    again, written, cleaned = Sink(gaps_s, tells), 0, []
    canceller = EchoCanceller(again.buffer.reference)
    late = round(GIVEN_LATE_S / BLOCK_S)
    for step in range(steps):
        written = again.play(said, step, written)
        if late <= step < late + len(microphone):
            ends_at_s = BEGAN_S + (step - late + 1) * BLOCK_S
            cleaned += [one.samples for one in canceller.process(microphone[step - late], ends_at_s)]
    return np.concatenate(cleaned)


GAPS = {"short ones": {2.0: 0.08, 2.7: 0.07, 4.0: 0.1, 6.0: 0.08}, "long ones": {2.0: 0.7, 4.2: 0.7, 6.0: 0.7}}


@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize(("tells", "delay_ms", "db"), [(True, 150, -6), (False, 60, -12)])
def test_after_pulls_that_were_missed_no_echo_is_speech(gaps: str, tells: bool, delay_ms: int, db: float) -> None:
    left = left_of_echo(replies(SPEAKER_RATE_HZ), GAPS[gaps], tells=tells, delay_ms=delay_ms, db=db)
    hot = np.flatnonzero(probabilities(left) >= 0.5)
    assert hot.size == 0, f"speech at {hot * BLOCK_S} s"


@given(st.integers(20, 400), st.integers(0, 30))
def test_what_was_pulled_before_a_tear_was_noticed_has_its_place_too(gap_ms: int, pulls_before: int) -> None:
    sound, random = PlayedSound(), np.random.default_rng(1)
    said = random.normal(0, 0.1, PULL * 60).astype(np.float32)
    for n in range(60):
        late_s = 0.0 if n < 5 + pulls_before else gap_ms / 1000
        sound.add(said[n * PULL : (n + 1) * PULL], BEGAN_S + n * PULL_S + late_s)
    torn = 5 + pulls_before
    assert sound.tears == 1
    untorn = PlayedSound()
    untorn.add(said, BEGAN_S)
    for began_s, later_s in ((0.02, 0.0), (torn * PULL_S + 0.003, gap_ms / 1000)):
        heard = sound.read(BEGAN_S + began_s + later_s, 600)
        np.testing.assert_allclose(heard, untorn.read(BEGAN_S + began_s, 600), atol=1e-4)
    assert not sound.read(BEGAN_S + torn * PULL_S + 0.002, 16 * gap_ms - 64).any()
