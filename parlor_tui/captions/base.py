"""What every speech recogniser offers to the core."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE_HZ = 16_000


class Captioner(Protocol):
    """A loaded speech recogniser. Calls block."""

    @property
    def name(self) -> str:
        """The model, as people know it."""

    def partial(self, samples: NDArray[np.float32]) -> str:
        """A quick guess at the words so far, while the user still speaks. `samples`: mono at 16 kHz, -1..1."""

    def final(self, samples: NDArray[np.float32]) -> str:
        """The words of a whole utterance; empty when there are none. `samples`: mono at 16 kHz, -1..1."""
