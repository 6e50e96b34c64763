"""What is measured of a model, and the small sums that its figures are made with."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SOUNDS_S = (1, 10)
"""Lengths of the sounds that are played to a model that hears."""
RUNS = 3
REPLY_TOKENS = 48
PROMPT_WORDS = 200
"""Long enough that the rate at which it is read is not that of its first token."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one model does on one set of backends; None where it lacks the part or it cannot be told.

    Times are in ms, rates in tokens a second, memory in MB (10^6 bytes) at its peak. `first_token_ms` is for a short
    question; `audio_encode_ms` has the length of the sound in seconds as its key. Medians of `RUNS`.
    """

    load_ms: float
    prefill_per_s: float
    decode_per_s: float
    first_token_ms: float
    peak_mb: float
    image_encode_ms: float | None = None
    audio_encode_ms: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Figures:
        """The figures that a child answered with. Raises ValueError if they are not there."""
        try:
            image = told["image_encode_ms"]
            return cls(
                load_ms=float(told["load_ms"]),
                prefill_per_s=float(told["prefill_per_s"]),
                decode_per_s=float(told["decode_per_s"]),
                first_token_ms=float(told["first_token_ms"]),
                peak_mb=float(told["peak_mb"]),
                image_encode_ms=None if image is None else float(image),
                audio_encode_ms={str(name): float(ms) for name, ms in told["audio_encode_ms"].items()},
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not figures: {error}") from error


@dataclass(frozen=True, slots=True)
class Reply:
    """One measured reply: when its first piece came after it was asked for, and what was read and written how fast."""

    first_ms: float
    prefill_tokens: int
    prefill_per_s: float
    decode_tokens: int
    decode_per_s: float

    @property
    def encode_ms(self) -> float:
        """What of the wait was neither reading the prompt nor writing the first token: the encoder's share."""
        prefill_ms = self.prefill_tokens * 1000 / self.prefill_per_s if self.prefill_per_s else 0.0
        decode_ms = 1000 / self.decode_per_s if self.decode_per_s else 0.0
        return max(0.0, self.first_ms - prefill_ms - decode_ms)


def median(values: Sequence[float]) -> float:
    """The middle one; 0 if there is none."""
    return statistics.median(values) if values else 0.0


def long_prompt(run: int) -> str:
    """A prompt of `PROMPT_WORDS` words that differs from run to run in its first one: nothing of it is in a cache."""
    words = ("the", "river", "goes", "down", "to", "the", "sea", "and", "takes", "its", "time")
    return f"{run} " + " ".join(words[number % len(words)] for number in range(PROMPT_WORDS))
