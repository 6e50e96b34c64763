"""What the three Kokoro runtimes share: voices, phonemes, cuts, silence. A runtime adds only how the model is run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.base import Cancelled, SpeechError, Stop
from parlor_tui.speech.phonemes import chunks, pause_s, phonemes
from parlor_tui.speech.silence import silence, trimmed_pieces
from parlor_tui.speech.voices import Styles, language_of, style

SLOWEST, FASTEST = 0.5, 2.0


class Kokoro(ABC):
    """Kokoro-82M v1.0 with the given voices, whatever runs it. See `base.Voice`.

    Raises SpeechError if there are no voices, or espeak-ng does not load.
    """

    def __init__(self, name: str, voices: Styles) -> None:
        if not voices:
            raise SpeechError(f"{name}: there are no voices")
        phonemes("a", "en-us")  # loads espeak-ng: if it cannot be had, that is known before the first reply
        self._name = name
        self._styles = dict(voices)
        self._voices = tuple(sorted(voices))

    @property
    def name(self) -> str:
        """See Voice."""
        return self._name

    @property
    def voices(self) -> tuple[str, ...]:
        """See Voice."""
        return self._voices

    def synthesise(self, text: str, voice: str, speed: float, stop: Stop) -> NDArray[np.float32]:
        """See Voice. `speed` is 0.5 to 2 (1 is the voice's own pace). Silence before and after (0.6 s) is trimmed."""
        return np.concatenate(list(self._parts(text, voice, speed, stop, in_pieces=False)))

    def pieces(self, text: str, voice: str, speed: float, stop: Stop) -> Iterator[NDArray[np.float32]]:
        """See Voice. Where the cuts are depends on how fast the machine is."""
        return self._parts(text, voice, speed, stop, in_pieces=True)

    def _parts(
        self, text: str, voice: str, speed: float, stop: Stop, *, in_pieces: bool
    ) -> Iterator[NDArray[np.float32]]:
        if voice not in self._styles:
            raise SpeechError(f"there is no voice {voice!r}; there are {', '.join(self._voices)}")
        if not SLOWEST <= speed <= FASTEST:
            raise SpeechError(f"the speed is {speed:g}; it can be {SLOWEST:g} to {FASTEST:g}")
        letters = phonemes(text, language_of(voice))
        if not letters:
            raise SpeechError(f"{voice} cannot speak {text!r}: it has no sounds in the language of that voice")
        parts = chunks(letters)
        for place, chunk in enumerate(parts):
            if stop.stopped:
                raise Cancelled
            made = self._run(chunk, style(self._styles[voice], len(chunk)), speed, stop, in_pieces=in_pieces)
            for piece in trimmed_pieces(made):
                if stop.stopped:
                    raise Cancelled
                yield np.ascontiguousarray(piece, np.float32)
            if place < len(parts) - 1:
                yield silence(pause_s(chunk))

    @abstractmethod
    def _run(
        self, letters: str, style: NDArray[np.float32], speed: float, stop: Stop, *, in_pieces: bool
    ) -> Iterator[NDArray[np.float32]]:
        """Mono samples (24 kHz) of at most 510 letters in a style of 1 x 256; `in_pieces` if that comes sooner so.

        Raises Cancelled if `stop` is used and the runtime can stop in the middle.
        """
