"""A room as sound alone: what is spoken, echoed and noisy in it, step by step. Pure: no clock and no thread.

A step is 10 ms. Everything that sounds is kept on tapes that share one beginning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ

STEP_S = 0.01
MIC_STEP = MIC_RATE_HZ // 100
SPEAKER_STEP = SPEAKER_RATE_HZ // 100
Sound = NDArray[np.float32]
Wave = NDArray[np.floating[Any]]
Colour = Literal["white", "pink", "babble"]

_DOWN_TAPS = 49
_DOWN_DELAY = 8
"""Of the filter below, in samples at 16 kHz."""
_TAIL_S = 0.06
_TAIL_DECAY_S = 0.012
_TAIL_SHARE = 0.3
_LOOP_S = 20


@dataclass(frozen=True, slots=True)
class Echo:
    """How the speaker gets into the microphone: after `delay_ms`, `level_db` quieter (of its energy), with a tail."""

    delay_ms: float
    level_db: float


class Tape:
    """A recording that grows at its end. Samples may be written before their time and are silence until then.

    `kept_samples`: so many at its end are kept, the others are silence; None keeps all.
    """

    def __init__(self, kept_samples: int | None = None) -> None:
        self._samples = np.zeros(kept_samples or 1 << 16, np.float32)
        if kept_samples is not None:
            self._samples.fill(0.0)  # it takes its memory now, and no more of it later
        self._kept = kept_samples
        self.length = 0

    def put(self, at: int, samples: Sound) -> None:
        """Write `samples` from index `at` on, over what is there."""
        end = at + len(samples)
        if self._kept is not None:
            self._put_around(self._kept, at, samples)
        else:
            while end > len(self._samples):
                self._samples = np.concatenate((self._samples, np.zeros_like(self._samples)))
            self._samples[at:end] = samples
        self.length = max(self.length, end)

    def get(self, at: int, end: int) -> Sound:
        """A copy of the samples from `at` to `end`; silence where there are none."""
        out = np.zeros(max(0, end - at), np.float32)
        first, last = max(at, 0, self.length - (self._kept or self.length)), min(end, self.length)
        if last > first and self._kept is not None:
            out[first - at : last - at] = self._samples[np.arange(first, last) % self._kept]
        elif last > first:
            out[first - at : last - at] = self._samples[first:last]
        return out

    def _put_around(self, kept: int, at: int, samples: Sound) -> None:
        """Write over the oldest samples; what nobody wrote behind the end is silence."""
        end = at + len(samples)
        first = max(at, end - kept, self.length - kept)
        self._samples[np.arange(max(self.length, first - kept), first) % kept] = 0.0
        if end > first:
            self._samples[np.arange(first, end) % kept] = samples[first - at :]


class RoomSound:
    """What sounds in the room. `step` once for each 10 ms, in order.

    `speaker_steps`: how many steps after it was pulled a frame of the reply becomes audible. `kept_s`: the tapes keep
    so much, at their ends; None: all.
    """

    def __init__(self, speaker_steps: int, seed: int, kept_s: float | None = None) -> None:
        def tape(rate_hz: int) -> Tape:
            return Tape(None if kept_s is None else round(kept_s * rate_hz))

        self.user, self.mic = tape(MIC_RATE_HZ), tape(MIC_RATE_HZ)
        self.speaker, self.intended = tape(SPEAKER_RATE_HZ), tape(SPEAKER_RATE_HZ)
        self.steps = 0
        self._speaker_steps = speaker_steps
        self._random = np.random.default_rng(seed)
        self._down = _Down()
        self._at_mic_rate = tape(MIC_RATE_HZ)
        self._echo: Echo | None = None
        self._response = np.zeros(1, np.float32)
        self._noise = np.zeros(0, np.float32)

    def say(self, samples: Sound) -> int:
        """Speak `samples` (16 kHz) from the next step on, over what is still being said; the index of the first."""
        at = self.steps * MIC_STEP
        self.user.put(at, np.clip(self.user.get(at, at + len(samples)) + samples, -1, 1))
        return at

    def set_echo(self, echo: Echo | None) -> None:
        """From the next step on."""
        self._echo = echo
        if echo is not None:
            self._response = room_response(self._random, echo.level_db)

    def set_noise(self, dbfs: float | None, colour: Colour = "white") -> None:
        """Background noise of this level (RMS) from the next step on; None for none."""
        self._noise = np.zeros(0, np.float32) if dbfs is None else noise(self._random, _LOOP_S, dbfs, colour)

    def skip(self, steps: int) -> None:
        """Let so many steps go by in which nobody recorded or played anything."""
        self.steps += steps

    def step(self, reply: Sound, intended: Sound) -> Sound:
        """The next 10 ms at the microphone (160 samples), while 240 samples of the reply are pulled.

        `intended` is what they would be if nobody had spoken.
        """
        at, self.steps = self.steps, self.steps + 1
        self.speaker.put((at + 1 + self._speaker_steps) * SPEAKER_STEP, reply)
        self.intended.put((at + 1 + self._speaker_steps) * SPEAKER_STEP, intended)
        audible = self.speaker.get(at * SPEAKER_STEP, (at + 1) * SPEAKER_STEP)
        first, end = at * MIC_STEP, (at + 1) * MIC_STEP
        self._at_mic_rate.put(first, self._down.feed(audible))
        mic = self.user.get(first, end)
        if self._echo is not None:
            back = max(0, round(self._echo.delay_ms * MIC_RATE_HZ / 1000) - _DOWN_DELAY)
            played = self._at_mic_rate.get(first - back - len(self._response) + 1, end - back)
            mic += np.convolve(played, self._response, "valid")
        if len(self._noise):
            mic += self._noise[np.arange(first, end) % len(self._noise)]
        mic = np.clip(mic, -1.0, 1.0)
        self.mic.put(first, mic)
        return mic


class _Down:
    """From 24 to 16 kHz, as a stream: 480 samples at 48 kHz in between, of which every third is kept."""

    def __init__(self) -> None:
        at = np.arange(_DOWN_TAPS) - _DOWN_TAPS // 2
        taps = np.sinc(at * 15_000 / 48_000) * np.hamming(_DOWN_TAPS)
        self._taps = (taps * 2 / taps.sum()).astype(np.float32)
        self._before = np.zeros(_DOWN_TAPS - 1, np.float32)

    def feed(self, samples: Sound) -> Sound:
        stuffed = np.zeros(2 * len(samples), np.float32)
        stuffed[::2] = samples
        whole = np.concatenate((self._before, stuffed))
        self._before = whole[-(_DOWN_TAPS - 1) :]
        return np.asarray(np.convolve(whole, self._taps, "valid")[::3], np.float32)


def room_response(random: np.random.Generator, level_db: float) -> Sound:
    """A direct path and 60 ms of dying reflections, with the energy of `level_db`, at 16 kHz."""
    count = round(_TAIL_S * MIC_RATE_HZ)
    response = random.standard_normal(count) * np.exp(-np.arange(count) / (_TAIL_DECAY_S * MIC_RATE_HZ))
    response *= np.sqrt(_TAIL_SHARE / np.sum(response**2))
    response[0] = np.sqrt(1 - _TAIL_SHARE)
    return np.asarray(response / np.sqrt(np.sum(response**2)) * 10 ** (level_db / 20), np.float32)


def noise(random: np.random.Generator, seconds: float, dbfs: float, colour: Colour) -> Sound:
    """Noise at 16 kHz of the RMS level `dbfs`; pink falls by 3 dB an octave, babble is six talkers without words."""
    count = round(seconds * MIC_RATE_HZ)
    if colour == "white":
        made: Wave = random.standard_normal(count)
    elif colour == "pink":
        made = _shaped(random.standard_normal(count), lambda hz: 1 / np.sqrt(np.maximum(hz, 20.0)))
    else:
        made = np.zeros(count)
        at_s = np.arange(count) / MIC_RATE_HZ
        for _ in range(6):
            voice = _shaped(random.standard_normal(count), _speech_shape)
            pace_hz, phase = random.uniform(2.5, 5.0), random.uniform(0, 2 * np.pi)
            made += voice * np.square(np.sin(np.pi * pace_hz * at_s + phase))
    return np.asarray(made / np.sqrt(np.mean(made**2)) * 10 ** (dbfs / 20), np.float32)


def _shaped(white: Wave, gain: Callable[[Wave], Wave]) -> Wave:
    hz = np.fft.rfftfreq(len(white), 1 / MIC_RATE_HZ)
    return np.asarray(np.fft.irfft(np.fft.rfft(white) * gain(hz), len(white)))


def _speech_shape(hz: Wave) -> Wave:
    """The long-term spectrum of speech, roughly: flat from 100 to 500 Hz, then 9 dB an octave down."""
    return np.where(hz < 100, hz / 100, np.where(hz < 500, 1.0, (np.maximum(hz, 1) / 500) ** -1.5))
