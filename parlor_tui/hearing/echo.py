"""Takes what the speaker plays out of what the microphone hears: WebRTC's AEC3 before voice activity.

The only module that imports pywebrtc_audio. What cleans sound for people (noise suppression, gain control) is off.
"""

from __future__ import annotations

import functools
import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parlor_tui.hearing.echo_path import EchoPath, VoiceOrEcho, is_residue
from parlor_tui.hearing.likeness import flat_likeness, likeness
from parlor_tui.hearing.vad import FRAME_SAMPLES, SAMPLE_RATE_HZ
from parlor_tui.pcm import SILENT_DBFS

Reference = Callable[[float, int], NDArray[np.float32]]
"""`reference(start_s, count)`: what was audible from `start_s` on, `count` mono samples at 16 kHz."""

PIECE_SAMPLES = SAMPLE_RATE_HZ // 100
"""AEC3 takes 10 ms at a time."""
FILTER_SAMPLES = 128
"""What AEC3 itself holds back: 8 ms."""
LEAD_S = 0.04
"""The reference is taken this much early. An echo must not come before its reference, and sound systems report their
delays wrong by some ten milliseconds; leads of 0 to 60 ms cancel alike, a late reference cancels nothing."""
SOUND = 1e-4
"""-80 dBFS: the reference holds something."""
ACTIVE_S = 0.5
REST_S = 3.0
"""After so long without sound no echo is on its way any more, and AEC3, which costs as much as voice activity, rests.
A fresh one is first given so much of the room's own noise."""
MISSED_BLOCKS = 4
"""So many of those that AEC3 was not given, it is given when sound comes again: its filters hold more than one."""
SPEECH = 0.01
LEARNING_S = 1.5
"""For so long of played speech a fresh AEC3 lets bursts of 0.1 to 0.3 s through, then none."""
WINDOW_SAMPLES = 4096
LONGEST_LAG_SAMPLES = 8192
SURELY_ECHO = 0.62
"""Likeness of microphone and reference. Bursts of echo: 0.64 to 0.94; a user as loud as the echo: 0.31 to 0.7."""
LEFT_POWER = 1e-6
"""-60 dBFS: what the canceller leaves can be taken for speech."""
RESIDUE_BLOCKS = 3
"""So many in a row say that the room has changed, and is to be learnt anew."""
RAMP_SAMPLES = 32
"""2 ms: no click, and hardly anything of what is shut out."""
STALE_S = 0.25
"""After a gap of that much nobody wants what was held back before it: the microphone was muted."""
SMOOTHING_S = 0.3
MISSING = "echo cancellation needs pywebrtc-audio: pip install pywebrtc-audio"


class Cleaned(NamedTuple):
    """512 samples (float32 at 16 kHz) without the echo, the last captured at `end_at_s`."""

    samples: NDArray[np.float32]
    end_at_s: float


class _Withheld(NamedTuple):
    raw: NDArray[np.float32]
    cleaned: NDArray[np.float32]
    end_at_s: float


class SteadyTime:
    """Places blocks that follow each other without a gap on the clock, although the reported times jitter. Pure.

    A constant error does a canceller no harm, every correction does: what is within TOLERATED_S stays, a drift is
    followed by single samples, a leap at once.
    """

    TOLERATED_S = 0.005
    LEAP_S = 0.012
    LEAP_BLOCKS = 2
    """So many blocks in a row say that sound was lost; one alone was only reported late."""
    SLIP_EVERY_BLOCKS = 6
    """A sample in 0.2 s: 330 ppm. Faster, and the canceller loses the echo."""

    def __init__(self) -> None:
        self._next_s: float | None = None
        self._off_s = 0.0
        self._off_blocks = 0
        self._since_slip_blocks = 0
        self.leaps = 0

    def start_of(self, reported_s: float, length_s: float) -> float:
        """When the block of `length_s` began that is said to have begun at `reported_s`."""
        start_s = reported_s if self._next_s is None else self._corrected(self._next_s, reported_s, length_s)
        self._next_s = start_s + length_s
        return start_s

    def _corrected(self, expected_s: float, reported_s: float, length_s: float) -> float:
        off_s = reported_s - expected_s
        self._off_blocks = self._off_blocks + 1 if abs(off_s) > self.LEAP_S else 0
        if self._off_blocks >= self.LEAP_BLOCKS:
            self._off_blocks, self._off_s = 0, 0.0
            self.leaps += 1
            return reported_s
        if self._off_blocks:
            return expected_s
        self._off_s += (off_s - self._off_s) * min(1.0, length_s / SMOOTHING_S)
        self._since_slip_blocks += 1
        if abs(self._off_s) <= self.TOLERATED_S or self._since_slip_blocks < self.SLIP_EVERY_BLOCKS:
            return expected_s
        self._since_slip_blocks = 0
        slip_s = math.copysign(1 / SAMPLE_RATE_HZ, self._off_s)
        self._off_s -= slip_s
        return expected_s + slip_s


class EchoCanceller:
    """Cleans one microphone. Used by one thread, but for the levels, which any thread may read."""

    def __init__(self, reference: Reference) -> None:
        """Raises ImportError, in one line, where pywebrtc-audio is missing or does not load."""
        self._reference = reference
        self._aec = _open()
        self._waiting = np.zeros(0, np.float32)
        self._waiting_far = np.zeros(0, np.float32)
        self._done = np.zeros(0, np.float32)
        self._before = np.zeros(0, np.float32)
        self._near_window = np.zeros(0, np.float32)
        self._left_window = np.zeros(0, np.float32)
        self._far_window = np.zeros(0, np.float32)
        self._gate = 1.0
        self._residue_blocks = 0
        self._time = SteadyTime()
        self._silent_s = math.inf
        self._since_reset_s = 0.0
        self._near_power = self._clean_power = 0.0
        self._played_s = 0.0
        self._path = EchoPath()
        self._voice = VoiceOrEcho()
        self._withheld: deque[_Withheld] = deque()
        self._missed: deque[NDArray[np.float32]] = deque(maxlen=MISSED_BLOCKS)
        self.reset()

    delay_s = (FRAME_SAMPLES % PIECE_SAMPLES * 4 + FILTER_SAMPLES) / SAMPLE_RATE_HZ
    """What comes out was captured this much earlier than what goes in: 16 ms, half of it AEC3's own."""

    @property
    def active(self) -> bool:
        """Something was audible within the last half second."""
        return self._silent_s < ACTIVE_S

    @property
    def settled(self) -> bool:
        """The room is learnt. Until then a voice has to be as loud as the echo to come through."""
        return self._played_s >= LEARNING_S

    @property
    def echo_seen(self) -> bool:
        """An echo gets into the microphone: one was there. With headphones there is none."""
        return self._path.seen

    @property
    def leaps(self) -> int:
        """How often the microphone lost sound since the last reset, and the room was learnt anew."""
        return self._time.leaps

    @property
    def echo_dbfs(self) -> float:
        """Level of what is taken out; -120 while nothing plays."""
        removed = self._near_power - self._clean_power
        return max(SILENT_DBFS, 10 * math.log10(removed)) if self.active and removed > 1e-12 else SILENT_DBFS

    @property
    def suppressed_db(self) -> float:
        """By how much the sound is quieter now, in dB; 0 while nothing plays."""
        if not self.active or self._clean_power <= 0.0 or self._near_power <= 0.0:
            return 0.0
        return max(0.0, 10 * math.log10(self._near_power / self._clean_power))

    def reset(self) -> None:
        """Forget the room: another device, or its sound was torn."""
        self._forget_room()
        self._path, self._voice = EchoPath(), VoiceOrEcho()
        self._withheld.clear()
        self._missed.clear()
        self._waiting = np.zeros(0, np.float32)
        self._waiting_far = np.zeros(0, np.float32)
        # Of blocks of 512, up to 128 samples wait for the rest of their 160: so much must be there beforehand.
        self._done = np.zeros(FRAME_SAMPLES % PIECE_SAMPLES * 4, np.float32)
        self._before = np.zeros(round(self.delay_s * SAMPLE_RATE_HZ), np.float32)
        self._near_window = np.zeros(WINDOW_SAMPLES, np.float32)
        self._left_window = np.zeros(WINDOW_SAMPLES, np.float32)
        self._far_window = np.zeros(WINDOW_SAMPLES + LONGEST_LAG_SAMPLES, np.float32)
        self._gate = 1.0
        self._time = SteadyTime()
        self._silent_s = math.inf
        self._since_reset_s = 0.0

    def process(self, samples: NDArray[np.float32], end_at_s: float) -> list[Cleaned]:
        """`samples` (float32 of shape (512,) at 16 kHz, the last captured at `end_at_s`) without the echo.

        A block comes out `delay_s` later. Over the first reply, until it is known whether an echo gets into the
        microphone, it comes out another AHEAD_BLOCKS later: then there is none for a while, and more at the end.
        Raises ValueError for another shape.
        """
        if samples.shape != (FRAME_SAMPLES,):
            raise ValueError(f"{FRAME_SAMPLES} samples are taken at a time, not {samples.shape}")
        samples = np.clip(np.nan_to_num(samples, posinf=1.0, neginf=-1.0), -1.0, 1.0)  # AEC3 never recovers from a NaN
        length_s = FRAME_SAMPLES / SAMPLE_RATE_HZ
        leaps = self._time.leaps
        start_s = self._time.start_of(end_at_s - length_s, length_s)
        if self._time.leaps != leaps:  # what AEC3 has learnt fits no more, and it does not see so by itself at once
            self._forget_room()
        far = self._reference(start_s + LEAD_S, FRAME_SAMPLES)
        if np.abs(far).max() > SOUND:
            self._silent_s = 0.0
            self._played_s += length_s * bool(np.abs(far).max() > SPEECH)
        else:
            self._silent_s += length_s
        self._before = np.concatenate((self._before, samples))
        near, self._before = self._before[:FRAME_SAMPLES], self._before[FRAME_SAMPLES:]
        self._since_reset_s += length_s
        if min(self._silent_s, self._since_reset_s) > REST_S:
            self._missed.append(samples)
            cleaned = near
        else:
            while self._missed:  # what comes of them was handed on as it was
                self._cleaned(self._missed.popleft(), np.zeros(FRAME_SAMPLES, np.float32))
            cleaned = self._cleaned(samples, far)
        self._measure(near, cleaned, length_s)
        self._near_window = np.concatenate((self._near_window, samples))[-WINDOW_SAMPLES:]
        self._far_window = np.concatenate((self._far_window, far))[-WINDOW_SAMPLES - LONGEST_LAG_SAMPLES :]
        alike = 0.0 if self._path.seen or not self.active else flat_likeness(self._near_window, self._far_window)
        self._path.block(float(np.mean(np.square(samples))), float(np.mean(np.square(far))), alike, length_s)
        residue = self._leaves_echo(cleaned)
        gain = self._gain(shut=residue or self._is_burst())
        raw = near * gain if residue else near
        return self._told(_Withheld(raw, cleaned * gain, end_at_s - self.delay_s), alike)

    def _told(self, block: _Withheld, alike: float) -> list[Cleaned]:
        """What of `block`, and of those withheld before it, is known to be echo or not."""
        waiting = self._withheld
        if waiting and block.end_at_s - waiting[-1].end_at_s > STALE_S:
            waiting.clear()
        waiting.append(block)
        # Until it knows better, AEC3 takes for an echo what is there while the speaker plays: a voice into a headset.
        raw = self._voice.block(self._path.sounds, alike)
        if self._path.known:
            raw = self._path.absent
        ahead = VoiceOrEcho.AHEAD_BLOCKS if self.active and not self._path.known else 0
        told = []
        while len(waiting) > ahead:
            one = waiting.popleft()
            told.append(Cleaned(one.raw if raw else one.cleaned, one.end_at_s))
        return told

    def _forget_room(self) -> None:
        self._aec.reset()
        self._played_s = 0.0
        self._near_power = self._clean_power = 0.0

    def _is_burst(self) -> bool:
        """Echo that a fresh AEC3 lets through."""
        unsure = self.active and not self.settled and not self._path.absent
        return unsure and likeness(self._near_window, self._far_window) > SURELY_ECHO

    def _leaves_echo(self, cleaned: NDArray[np.float32]) -> bool:
        """Before AEC3 has learnt the room, and where the echo comes later or sooner than before. It tells neither."""
        self._left_window = np.concatenate((self._left_window, cleaned))[-WINDOW_SAMPLES:]
        if not self.active or float(np.mean(np.square(cleaned))) < LEFT_POWER:
            return False
        left_alike = flat_likeness(self._left_window, self._far_window)
        near_alike = functools.partial(flat_likeness, self._near_window, self._far_window)  # dear, and seldom asked for
        residue = is_residue(left_alike, near_alike, likely=not self.settled)
        self._residue_blocks = self._residue_blocks + 1 if residue else 0
        if self._residue_blocks >= RESIDUE_BLOCKS:
            self._played_s = 0.0
        return residue

    def _gain(self, *, shut: bool) -> NDArray[np.float32]:
        gain = np.full(FRAME_SAMPLES, 0.0 if shut else 1.0, np.float32)
        gain[:RAMP_SAMPLES] = np.linspace(self._gate, gain[-1], RAMP_SAMPLES)
        self._gate = float(gain[-1])
        return gain

    def _cleaned(self, samples: NDArray[np.float32], far: NDArray[np.float32]) -> NDArray[np.float32]:
        near = np.concatenate((self._waiting, samples.astype(np.float32, copy=False)))
        far = np.concatenate((self._waiting_far, far))
        whole = len(near) // PIECE_SAMPLES * PIECE_SAMPLES
        self._waiting, self._waiting_far = near[whole:], far[whole:]
        done = self._aec.process(near[:whole], far[:whole])
        self._done = np.concatenate((self._done, np.asarray(done, np.float32)))
        cleaned, self._done = self._done[:FRAME_SAMPLES], self._done[FRAME_SAMPLES:]
        return cleaned

    def _measure(self, near: NDArray[np.float32], cleaned: NDArray[np.float32], length_s: float) -> None:
        if not self.active:
            self._near_power = self._clean_power = 0.0
            return
        share = min(1.0, length_s / SMOOTHING_S)
        self._near_power += (float(np.mean(np.square(near))) - self._near_power) * share
        self._clean_power += (float(np.mean(np.square(cleaned))) - self._clean_power) * share


def _open() -> Any:
    try:
        from pywebrtc_audio import EchoCanceller as Aec3
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise ImportError(MISSING if error.name == "pywebrtc_audio" else f"{MISSING} ({reason})") from None
    return Aec3(SAMPLE_RATE_HZ, 1, 0)
