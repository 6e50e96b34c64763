"""What every voice offers to the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE_HZ = 24_000


class SpeechError(Exception):
    """A text cannot be spoken. The message is one line. `missing`: for want of something that can be got."""

    missing = False


class NotInstalled(SpeechError):  # noqa: N818 - called by what is the matter
    """What it would be spoken with is not installed."""

    missing = True


class Cancelled(Exception):  # noqa: N818 - not an error: somebody interrupted
    """The synthesis was stopped because nobody will hear it."""


class Stop:
    """Stops a synthesis from another thread, in the middle if the runtime can."""

    def __init__(self) -> None:
        self.stopped = False
        self._then: Callable[[], None] | None = None

    def stop(self) -> None:
        """Stop; once is enough, and again does no harm."""
        self.stopped = True
        if self._then is not None:
            self._then()

    def attach(self, then: Callable[[], None]) -> None:
        """Have `then` called by `stop`; at once if it is stopped already."""
        self._then = then
        if self.stopped:
            then()


class Voice(Protocol):
    """A loaded speech synthesiser. Calls block; one at a time."""

    @property
    def name(self) -> str:
        """The model, as people know it."""

    @property
    def voices(self) -> tuple[str, ...]:
        """The voices that it can speak with."""

    def synthesise(self, text: str, voice: str, speed: float, stop: Stop) -> NDArray[np.float32]:
        """Mono samples (-1..1, 24 kHz) of `text`, which is a clause or a sentence ready to be spoken.

        Raises SpeechError if it cannot be spoken, Cancelled if `stop` was used.
        """

    def pieces(self, text: str, voice: str, speed: float, stop: Stop) -> Iterator[NDArray[np.float32]]:
        """The same in pieces that follow one another without a gap, so that the first can be heard early.

        At least one. Each is made when it is asked for, and what `synthesise` raises is raised then.
        """
        yield self.synthesise(text, voice, speed, stop)
