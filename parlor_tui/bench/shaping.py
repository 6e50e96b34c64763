"""What is made of synthesised lines, and sounds that are no words. Pure and, by its seed, always the same."""

from __future__ import annotations

import numpy as np

from parlor_tui.bench.analysis import AUDIBLE
from parlor_tui.bench.sound import Sound
from parlor_tui.devices.base import MIC_RATE_HZ

SPEECH_DBFS = -24.0
"""The level of all utterances while somebody speaks: that of a voice near a microphone."""
WORD_MS = 300.0
_FRAME = MIC_RATE_HZ // 100
_ACTIVE_DB = 30.0
_SPEECH_PEAK = 10 ** (-30 / 20)
_LONGEST_END_S = 0.2
_FADE_S = 0.06


def levelled(samples: Sound, dbfs: float = SPEECH_DBFS) -> Sound:
    """`samples` (16 kHz) with their speech at `dbfs` (RMS of what lies within 30 dB of the loudest 10 ms)."""
    count = len(samples) // _FRAME
    square = np.square(samples[: count * _FRAME].reshape(count, _FRAME), dtype=np.float64).mean(axis=1)
    if not count or not square.max() > 0:
        return samples
    active = square[square > square.max() * 10 ** (-_ACTIVE_DB / 10)].mean()
    made = samples * np.float32(10 ** (dbfs / 20) / np.sqrt(active))
    peak = float(np.abs(made).max())
    return np.asarray(made / max(1.0, peak / 0.95), np.float32)


def without_breath(samples: Sound) -> Sound:
    """`samples`, levelled, without the breath that a synthetic voice may end in: no word is so soft for so long.

    Where more than 200 ms follow the last 10 ms of speech (peaks over -30 dBFS) they are faded out within 60 ms.
    """
    loud = np.flatnonzero(np.abs(samples) > _SPEECH_PEAK)
    if not len(loud) or len(samples) - loud[-1] <= round(_LONGEST_END_S * MIC_RATE_HZ):
        return samples
    fade = round(_FADE_S * MIC_RATE_HZ)
    made = samples[: loud[-1] + 1 + fade].copy()
    made[-fade:] *= np.linspace(1, 0, fade, dtype=np.float32)
    return made


def trimmed(samples: Sound) -> Sound:
    """`samples` from the first audible one to the last."""
    loud = np.flatnonzero(np.abs(samples) > AUDIBLE)
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples[:0]


def shortened(samples: Sound, longest_ms: float) -> Sound:
    """The first `longest_ms` of `samples`, faded out over the last 40 ms if there is more."""
    count = round(longest_ms * MIC_RATE_HZ / 1000)
    if len(samples) <= count:
        return samples
    made = samples[:count].copy()
    fade = min(count, MIC_RATE_HZ // 25)
    made[count - fade :] *= np.linspace(1, 0, fade, dtype=np.float32)
    return made


def with_pause(samples: Sound, share: float, pause_s: float) -> tuple[Sound, float, float]:
    """`samples` with a silence of `pause_s` near the `share` (0..1) of them; where it begins and ends, in seconds.

    It takes the place of the longest quiet stretch there, or is put in at the quietest 10 ms; with fades of 5 ms.
    """
    levels = np.sqrt(np.square(samples[: len(samples) // _FRAME * _FRAME].reshape(-1, _FRAME)).mean(axis=1))
    near = np.arange(round(len(levels) * max(0.0, share - 0.2)), round(len(levels) * min(1.0, share + 0.2)))
    first, end = _quiet_stretch(levels, near)
    before, after = samples[: first * _FRAME].copy(), samples[end * _FRAME :].copy()
    fade = np.linspace(0, 1, MIC_RATE_HZ // 200, dtype=np.float32)
    before[len(before) - len(fade) :] *= fade[::-1]
    after[: len(fade)] *= fade
    silence = np.zeros(round(pause_s * MIC_RATE_HZ), np.float32)
    begins_s = len(before) / MIC_RATE_HZ
    return np.concatenate((before, silence, after)), begins_s, begins_s + pause_s


def _quiet_stretch(levels: Sound, near: np.ndarray[tuple[int, ...], np.dtype[np.int_]]) -> tuple[int, int]:
    """The longest run of quiet frames that touches `near`; else twice the quietest frame's place."""
    quiet = levels < AUDIBLE / 2
    best = (int(near[np.argmin(levels[near])]),) * 2
    at = int(near[0])
    while at <= near[-1]:
        if quiet[at]:
            first, end = at, at
            while first > 0 and quiet[first - 1]:
                first -= 1
            while end < len(quiet) and quiet[end]:
                end += 1
            if end - first > best[1] - best[0] and first > 1 and end < len(quiet) - 1:
                best = (first, end)
            at = end
        at += 1
    return best


def mhm(random: np.random.Generator) -> Sound:
    """A hum in two beats, lips closed: harmonics of a low voice, hardly any above 500 Hz; 420-520 ms."""
    seconds = random.uniform(0.42, 0.52)
    at_s = np.arange(round(seconds * MIC_RATE_HZ)) / MIC_RATE_HZ
    share = at_s / seconds
    pitch_hz = random.uniform(105, 190) * np.where(share < 0.45, 1 - 0.06 * share, 0.9 + 0.28 * share)
    phase = 2 * np.pi * np.cumsum(pitch_hz) / MIC_RATE_HZ
    made = np.zeros(len(at_s))
    for harmonic in range(1, 16):
        hz = harmonic * float(pitch_hz.mean())
        made += np.sin(harmonic * phase) / (harmonic * (1 + (hz / 450) ** 2))
    beats = np.exp(-(((share - 0.24) / 0.13) ** 2)) + 1.1 * np.exp(-(((share - 0.7) / 0.17) ** 2))
    made = made * beats + 0.002 * random.standard_normal(len(at_s))
    return levelled(np.asarray(made, np.float32))


def cough(random: np.random.Generator) -> Sound:
    """A burst of breath, then a weaker hoarse one: noise around 500-2500 Hz; 200-350 ms."""
    seconds = random.uniform(0.2, 0.35)
    count = round(seconds * MIC_RATE_HZ)
    hz = np.fft.rfftfreq(count, 1 / MIC_RATE_HZ)
    shape = np.exp(-(((np.log(np.maximum(hz, 1)) - np.log(1100)) / 0.75) ** 2)) + 0.08
    hiss = np.fft.irfft(np.fft.rfft(random.standard_normal(count)) * shape, count)
    share = np.arange(count) / count
    burst = np.exp(-share / 0.12) * (1 - np.exp(-share / 0.008))
    tail = 0.45 * np.exp(-(((share - 0.55) / 0.2) ** 2))
    return levelled(np.asarray(hiss * (burst + tail), np.float32), SPEECH_DBFS + 4)


def click(random: np.random.Generator) -> Sound:
    """A pen or a key: two knocks of a few ms, 30-60 ms apart."""
    apart = round(random.uniform(0.03, 0.06) * MIC_RATE_HZ)
    made = np.zeros(apart + round(0.03 * MIC_RATE_HZ))
    for at, loud in ((0, 1.0), (apart, 0.6)):
        count = round(0.02 * MIC_RATE_HZ)
        at_s = np.arange(count) / MIC_RATE_HZ
        ring = np.sin(2 * np.pi * random.uniform(1500, 4000) * at_s) + 0.7 * random.standard_normal(count)
        made[at : at + count] += loud * ring * np.exp(-at_s / 0.003)
    return np.asarray(made / np.abs(made).max() * 0.5, np.float32)
