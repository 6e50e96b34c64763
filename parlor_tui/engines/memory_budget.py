"""Whether a model fits into memory before it is loaded: what it needs as a sum, and what to do without."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.engines.base import EngineError

CONTEXTS = (131_072, 65_536, 32_768, 16_384, 8192, 4096, 2048)
"""The contexts that are stepped through, in tokens."""
RUNTIME_BYTES = 500_000_000
"""The library, its activations, and a picture or half a minute of sound on their way in.

Held against a published run: E4B with a context of 16,384 on a processor took 6.5 GB at its peak; the sum says 6.0.
"""
OTHER_PARTS: Mapping[str, int] = {"speech": 410_000_000, "captions": 350_000_000}
"""What else the core loads: Kokoro (int8: 407 MB at its peak, measured) and Whisper (tiny.en: 261; base is larger)."""


@dataclass(frozen=True, slots=True)
class Attention:
    """Where a model's context goes: layers with keys and values of their own, and how wide those are."""

    sliding_layers: int
    sliding_width: int
    full_layers: int
    full_width: int

    @property
    def bytes_per_token(self) -> int:
        """Keys and values as float32 on a processor; a sliding layer is given the whole context, too (measured)."""
        return 2 * 4 * (self.sliding_layers * self.sliding_width + self.full_layers * self.full_width)


# From the published config.json of google/gemma-4-E2B-it and -E4B-it. E2B: 35 layers, the last 20 share the keys and
# values of others, every fifth looks at everything, one head of 256 (512 in those). E4B: 42 layers, 18 of them sharing,
# every sixth looks at everything, two heads of the same.
_GEMMA_4: Mapping[str, Attention] = {"e2b": Attention(12, 256, 3, 512), "e4b": Attention(20, 512, 4, 1024)}
_FEWEST_BYTES_PER_TOKEN = 8192
_FILE_BYTES_PER_CONTEXT_BYTE = 20_000
"""For other models. An 8B with 8 heads of 128 in 32 layers holds 262 kB a token and is a file of about 5 GB at 4 bits:
that is one byte of context for every 20,000 of the file, and few models have more."""


class NoFit(EngineError):  # noqa: N818 - called by what is the matter
    """No model fits into the memory. The message is one line with the sum, `shortage`, and what to do."""

    def __init__(self, shortage: str) -> None:
        super().__init__(f"{shortage}: close other programs, raise core.memory_percent, or use --profile lite")
        self.shortage = shortage


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that could be loaded."""

    name: str
    path: Path
    size_bytes: int

    @classmethod
    def of(cls, name: str, path: Path) -> Candidate:
        """The model at `path`. Raises OSError if it is not there."""
        return cls(name, path, path.stat().st_size)


@dataclass(frozen=True, slots=True)
class Need:
    """What loading takes, part by part, in bytes."""

    parts: tuple[tuple[str, int], ...]

    @property
    def total_bytes(self) -> int:
        """Of all parts."""
        return sum(size_bytes for _, size_bytes in self.parts)

    def __str__(self) -> str:
        """The sum as people read it."""
        terms = " + ".join(f"{label} {size_bytes / 1e9:.1f}" for label, size_bytes in self.parts)
        return f"{self.total_bytes / 1e9:.1f} GB ({terms})"


@dataclass(frozen=True, slots=True)
class Device:
    """The memory that models are loaded into. `label` is how people call it: memory, GPU memory."""

    label: str
    total_bytes: int
    in_use_bytes: int


@dataclass(frozen=True, slots=True)
class Fit:
    """What fits, and the steps down that it took to get there, one line each with its sum."""

    model: Candidate
    context_tokens: int
    need: Need
    steps_taken: tuple[str, ...]


def need_of(
    model: Candidate, context_tokens: int, others: Mapping[str, int] = OTHER_PARTS, conversations: int = 1
) -> Need:
    """What `model` takes with a context of so many tokens, beside the `others` that the same device holds.

    `conversations` are those kept at the same time: each that has been used, clones too, holds a context of full size
    whatever is in it (measured). An estimate on the safe side: the whole file, though parts of it are read on demand.
    """
    context_bytes = context_tokens * context_bytes_per_token(model) * conversations
    return Need(
        (("weights", model.size_bytes), ("context", context_bytes), ("runtime", RUNTIME_BYTES), *others.items())
    )


def context_bytes_per_token(model: Candidate) -> int:
    """What a token of context takes in bytes."""
    known = re.search(r"gemma[-_ ]?4.*?(e2b|e4b)", f"{model.name} {model.path.name}", re.IGNORECASE)
    if known:
        return _GEMMA_4[known[1].lower()].bytes_per_token
    return max(_FEWEST_BYTES_PER_TOKEN, model.size_bytes // _FILE_BYTES_PER_CONTEXT_BYTE)


def contexts_from(asked_tokens: int, own_tokens: int) -> tuple[int, ...]:
    """The contexts to try, largest first: what was asked for (0: the model's own most), then smaller ones."""
    first = min(asked_tokens or own_tokens, own_tokens or asked_tokens) or CONTEXTS[-1]
    return (first, *(tokens for tokens in CONTEXTS if tokens < first))


def fit(
    models: Sequence[Candidate],
    contexts: Sequence[int],
    device: Device,
    *,
    limit_percent: float = 65,
    others: Mapping[str, int] = OTHER_PARTS,
    conversations: int = 1,
) -> Fit:
    """The first of `models`, in their order, with the first of `contexts`, that `device` has room for.

    Room is `limit_percent` of the device's memory, and no more than what is free of it. Less context is tried before
    another model. Raises NoFit with the sum of the smallest, ValueError if there is nothing to choose from.
    """
    room = _Room(device, limit_percent)

    def need_for(model: Candidate, tokens: int) -> Need:
        return need_of(model, tokens, others, conversations)

    ways = [(model, tokens) for model in models for tokens in contexts]
    if not ways:
        raise ValueError("no model or no context to choose from")
    for number, (model, tokens) in enumerate(ways):
        need = need_for(model, tokens)
        if need.total_bytes <= room.size_bytes:
            return Fit(model, tokens, need, tuple(_steps(ways[: number + 1], room, need_for)))
    model, tokens = min(ways, key=lambda way: need_for(*way).total_bytes)
    need = need_for(model, tokens)
    raise NoFit(f"{model.name} needs {need} even with context {tokens}, {room}")


@dataclass(frozen=True, slots=True)
class _Room:
    """How much may be taken of a device."""

    device: Device
    limit_percent: float

    @property
    def size_bytes(self) -> int:
        return min(self._limit_bytes, self._free_bytes)

    @property
    def _limit_bytes(self) -> int:
        return int(self.device.total_bytes * self.limit_percent / 100)

    @property
    def _free_bytes(self) -> int:
        return max(0, self.device.total_bytes - self.device.in_use_bytes)

    def __str__(self) -> str:
        total = f"{self.device.total_bytes / 1e9:.1f} GB"
        if self._free_bytes < self._limit_bytes:
            return f"{self._free_bytes / 1e9:.1f} GB of {total} of {self.device.label} are free"
        return f"{self.limit_percent:g} % of {total} of {self.device.label} is {self._limit_bytes / 1e9:.1f} GB"


def _steps(
    ways: Sequence[tuple[Candidate, int]], room: _Room, need_for: Callable[[Candidate, int], Need]
) -> Iterator[str]:
    """What was given up on the way to the last of `ways`: one line for each model that was tried."""
    chosen, chosen_tokens = ways[-1]
    for model in dict.fromkeys(model for model, _ in ways):
        most_tokens = next(tokens for tried, tokens in ways if tried == model)
        need = need_for(model, most_tokens)
        if need.total_bytes <= room.size_bytes:
            return
        if model == chosen:
            yield f"{model.name} needs {need}, {room}: taking context {chosen_tokens} instead of {most_tokens}"
            return
        following = ways[[tried for tried, _ in ways].index(model) :]
        other = next(tried for tried, _ in following if tried != model)
        least_tokens = next(tokens for tried, tokens in reversed(ways) if tried == model)
        least = need_for(model, least_tokens)
        yield f"{model.name} needs {least} even with context {least_tokens}, {room}: taking {other.name} instead"
