"""What `litert.LiteRt` needs of the library that runs its model: `litert_api` has it, and so may a simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from parlor_tui.engines.backends import Backend
from parlor_tui.engines.base import Sampling
from parlor_tui.engines.model_facts import ModelFacts


@dataclass(frozen=True, slots=True)
class Timings:
    """The library's own count of the last message: tokens read and their rate, tokens written and theirs."""

    prefill_tokens: int
    prefill_per_s: float
    decode_tokens: int
    decode_per_s: float


class Branch(Protocol):
    """What one conversation has read and written so far. One caller at a time; a cancelled one cannot go on."""

    def clone(self) -> Branch | None:
        """The same once more, to go on from by itself; None if this library cannot. Never while it writes."""

    def send(self, content: Sequence[Mapping[str, Any]], *, max_tokens: int, image_tokens: int) -> Iterator[str]:
        """Send a message of the user's; the reply, piece by piece. Ends early, silently, when it is cancelled.

        Raises ContextFull when the context has no room for it, EngineError for other faults.
        """

    def cancel(self) -> None:
        """Stop writing. While it still reads the prompt, this has no effect until that is done."""

    @property
    def tokens(self) -> int:
        """How much of the context is taken."""

    def timings(self) -> Timings:
        """Counts and rates of the last message."""

    def close(self) -> None:
        """Free it. Blocks while it writes."""


class Model(Protocol):
    """A loaded model."""

    def count(self, text: str) -> int:
        """Tokens of `text`."""

    def begin(self, history: Sequence[Mapping[str, Any]], sampling: Sampling, seed: int) -> Branch:
        """A conversation that starts with `history`, which is read at the first `send`."""

    def close(self) -> None:
        """Free the model, once its last conversation is gone."""


class Library(Protocol):
    """What reads and runs `.litertlm` files."""

    def facts(self, model: Path) -> ModelFacts:
        """What the file says of itself. Raises EngineError."""

    def Model(  # noqa: N802 - a class there
        self,
        model: Path,
        *,
        text: Backend,
        vision: Backend | None,
        audio: Backend | None,
        context_tokens: int,
        cache_folder: Path | None,
        threads: int,
    ) -> Model:
        """Load it. Raises EngineError with the library's own reason."""
