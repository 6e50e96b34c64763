"""What every speech recogniser offers to the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE_HZ = 16_000


class CaptionError(Exception):
    """The recogniser cannot be had as asked for. The message is one line."""


@dataclass(frozen=True, slots=True)
class FinalCaption:
    """The words of a whole utterance; empty when there are none.

    `language` is the code of the language they are in, such as "de"; empty when there are no words, or when the
    language is only a guess, from which nothing beyond this utterance should follow.
    """

    text: str
    language: str = ""


class Captioner(Protocol):
    """A loaded speech recogniser. Calls block. It keeps nothing between calls: several talks share it.

    `samples` are mono at 16 kHz, -1..1. `talk_language` is the last language that `final` told in this talk, empty if
    it told none yet; a recogniser that knows one language alone ignores it.
    """

    @property
    def name(self) -> str:
        """The model, as people know it."""

    def partial(self, samples: NDArray[np.float32], talk_language: str = "") -> str:
        """A quick guess at the words so far, while the user still speaks."""

    def final(self, samples: NDArray[np.float32], talk_language: str = "") -> FinalCaption:
        """The words of a whole utterance, and their language."""
