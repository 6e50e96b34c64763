"""A short sound by which one hears that the speaker works."""

from __future__ import annotations

import numpy as np

from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.pcm import pcm16_of

NOTES_HZ = (523.25, 783.99)
NOTE_S = 0.28
LEVEL = 0.12
FADE_S = 0.02


def tone_pcm16() -> bytes:
    """Two notes, each rung out: 16-bit little-endian mono PCM at 24 kHz."""
    time_s = np.arange(round(NOTE_S * SPEAKER_RATE_HZ)) / SPEAKER_RATE_HZ
    shape = np.minimum(1.0, time_s / FADE_S) * np.exp(-6 * time_s) * np.minimum(1.0, (NOTE_S - time_s) / FADE_S)
    notes = [
        LEVEL * shape * (np.sin(2 * np.pi * hz * time_s) + 0.3 * np.sin(4 * np.pi * hz * time_s)) for hz in NOTES_HZ
    ]
    return pcm16_of(np.concatenate(notes).astype(np.float32))
