"""What will be said, so that models which recognise nothing still know whether an utterance is over. Pure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import SAMPLE_RATE_HZ

Sound = NDArray[np.float32]

LOUD = 0.01
"""-40 dBFS: what is softer is silence, as in the figures of the bench."""
_EVERY = 4
"""Sounds are compared at a quarter of their rate."""
_RATE_HZ = SAMPLE_RATE_HZ // _EVERY
_TAIL_S = 1.0
_ALIKE = 0.4
"""Other speech is alike to 0.3 at most; the same through an echo canceller that still adapts to 0.6 (measured)."""
_STILL_TO_COME_S = 0.6
"""A last word may still be missing whose soft beginning is no speech to the VAD; a pause inside has more behind it."""
_WORDS_PER_S = 2.7
_TALK = (
    "please tell me what you know about the fjords in the west of Norway and how people travel there in the winter "
    "when the roads are closed by deep snow for many weeks"
)
_LAST_WORD = "today?"


def speech_s(samples: Sound) -> float:
    """From the first loud sample to the last (16 kHz); 0 if none is."""
    loud = np.flatnonzero(np.abs(samples) > LOUD)
    return float(loud[-1] - loud[0] + 1) / SAMPLE_RATE_HZ if len(loud) else 0.0


class Script:
    """`said`: the utterances (mono, 16 kHz) that will be said. Without any, whatever is heard is whole.

    Where the last second of what was heard is found in an utterance tells how much of that is still to come.
    """

    def __init__(self, said: Sequence[Sound] = ()) -> None:
        before = np.zeros(round(_TAIL_S * _RATE_HZ), np.float32)  # of a short one the tail is longer than itself
        self._said = [np.concatenate([before, _coarse(samples)]) for samples in said]
        longest = max((len(sound) for sound in self._said), default=0)
        self._size = 1 << (longest + round(_TAIL_S * _RATE_HZ)).bit_length()
        self._spectra = [np.fft.rfft(sound, self._size) for sound in self._said]
        self._energy = [np.concatenate([[0.0], np.cumsum(np.square(sound, dtype=np.float64))]) for sound in self._said]

    @classmethod
    def read(cls, file: Path) -> Script:
        """The utterances that `write` put into `file`. Raises OSError or ValueError if it is no such file."""
        with np.load(file, allow_pickle=False) as kept:
            return cls([kept[name] for name in kept.files])

    @staticmethod
    def write(file: Path, said: Sequence[Sound]) -> None:
        """Keep the utterances in `file` (.npz), which is there as a whole or not at all. Raises OSError."""
        partial = file.with_name(f"{file.stem}.{os.getpid()}.npz")
        np.savez(partial, *said)
        partial.replace(file)

    def whole(self, heard: Sound) -> bool:
        """Whether what was heard is an utterance to its end."""
        if not self._said:
            return True
        loud = np.flatnonzero(np.abs(heard) > LOUD)
        if not len(loud):
            return False
        tail = _coarse(heard[: loud[-1] + 1])[-round(_TAIL_S * _RATE_HZ) :]
        best, to_come_s = 0.0, np.inf
        spectrum = np.conj(np.fft.rfft(tail, self._size))
        strength = float(np.linalg.norm(tail))
        for sound, of_sound, energy in zip(self._said, self._spectra, self._energy, strict=True):
            places = len(sound) - len(tail) + 1
            if places < 1 or not strength:
                continue
            found = np.fft.irfft(of_sound * spectrum, self._size)[:places]
            around = np.sqrt(np.maximum(energy[len(tail) :] - energy[: -len(tail)], 1e-9))
            alike = found / (around * strength)
            at = int(np.argmax(alike))
            if alike[at] > best:
                best, to_come_s = float(alike[at]), (len(sound) - at - len(tail)) / _RATE_HZ
        return best >= _ALIKE and to_come_s <= _STILL_TO_COME_S


def words(heard_s: float, *, whole: bool) -> str:
    """As many words as are said in that time, none for none; as a question if it is `whole`."""
    if not heard_s:
        return ""
    count = max(1, round(heard_s * _WORDS_PER_S))
    told = list(islice(cycle(_TALK.split()), count))
    return " ".join([*told[:-1], _LAST_WORD] if whole else [*told, "and"]).capitalize()


def _coarse(samples: Sound) -> Sound:
    """At a quarter of the rate; what is too high for that is averaged away, which does for telling words apart."""
    kept = len(samples) // _EVERY * _EVERY
    return np.asarray(samples[:kept].reshape(-1, _EVERY).mean(axis=1), np.float32)
