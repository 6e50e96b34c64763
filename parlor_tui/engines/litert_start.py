"""Settle, before anything is loaded: which model, with how much context, on what, and with which cache."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.engines.backend_choice import Probe, choose_backends
from parlor_tui.engines.backends import Backends, Wanted
from parlor_tui.engines.device_memory import gpu_memory, main_memory
from parlor_tui.engines.litert_cache import prepare
from parlor_tui.engines.litert_probe import probe
from parlor_tui.engines.memory_budget import OTHER_PARTS, Candidate, Device, Fit, NoFit, contexts_from, fit
from parlor_tui.engines.model_facts import ModelFacts


@dataclass(frozen=True, slots=True)
class Limits:
    """What the settings allow. `context_tokens` 0 is the model's own; `cache_bytes` 0 is no cache."""

    context_tokens: int
    memory_percent: float
    cache_bytes: int


@dataclass(frozen=True, slots=True)
class Settled:
    """What to load and how; `notices` are lines for the user: what was stepped down from, and why."""

    model: Candidate
    context_tokens: int
    backends: Backends
    cache_folder: Path | None
    notices: tuple[str, ...]


def settle(
    models: Sequence[Candidate],
    wanted: Wanted,
    limits: Limits,
    about: Callable[[Path], ModelFacts],
    *,
    folder: Path,
    at_unix_s: float,
    conversations: int = 1,
    others: Mapping[str, int] = OTHER_PARTS,
    cancelled: threading.Event | None = None,
    memory: Callable[[], Device] = main_memory,
    gpu: Callable[[], Device | None] = gpu_memory,
    try_out: Probe = probe,
) -> Settled:
    """The first of `models` that fits, and the best way to run it that works here.

    A model on a GPU with memory of its own has to fit there; it is the processor's turn when none does. `others` share
    the machine's memory. Raises NoFit when nothing fits anywhere, and what `about` raises.
    """
    own_tokens = about(models[0].path).context_tokens
    contexts = contexts_from(limits.context_tokens, own_tokens)
    notices: list[str] = []

    def fitting(device: Device, beside: Mapping[str, int]) -> Fit:
        return fit(
            models, contexts, device, limit_percent=limits.memory_percent, others=beside, conversations=conversations
        )

    own = gpu() if wanted.text in {"auto", "gpu"} else None
    fitted: Fit | None = None
    if own is not None:
        try:
            fitted = fitting(own, {})
        except NoFit as error:
            notices.append(f"GPU not used for text and pictures: {error.shortage}; running on the CPU (slower)")
            wanted = Wanted("cpu", "cpu", wanted.audio)
            own = None
    fitted = fitted or fitting(memory(), others)

    def way(taken: Fit) -> tuple[Path | None, Backends, tuple[str, ...]]:
        cache = prepare(folder, limits.cache_bytes, taken.model.path, at_unix_s=at_unix_s)
        parts = about(taken.model.path)
        chosen = choose_backends(
            taken.model.path,
            wanted,
            hears=parts.hears,
            sees=parts.sees,
            context_tokens=taken.context_tokens,
            cache_folder=cache,
            at_unix_s=at_unix_s,
            cancelled=cancelled,
            try_out=try_out,
        )
        return cache, chosen.backends, chosen.notices

    cache, backends, why = way(fitted)
    notices += why
    if own is not None and backends.text == "cpu":
        wanted = Wanted("cpu", "cpu", wanted.audio)
        fitted = fitting(memory(), others)
        cache, backends, _ = way(fitted)
    notices += fitted.steps_taken
    return Settled(fitted.model, fitted.context_tokens, backends, cache, tuple(notices))
