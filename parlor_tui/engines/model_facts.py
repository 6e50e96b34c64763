"""What a model's file says of itself, as plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model can take in. `image_tokens`: the largest budget for one picture, 0 without sight."""

    hears: bool
    sees: bool
    context_tokens: int
    image_tokens: int = 0
