"""Which models make up a profile, and how they are loaded."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from parlor_tui.captions.base import Captioner
from parlor_tui.core.prompts import SMALL_MODEL, Prompt
from parlor_tui.engines.base import Engine, Message, Sampling
from parlor_tui.models import catalogue
from parlor_tui.models.base import Progress
from parlor_tui.models.store import Store
from parlor_tui.settings import Settings, models_folder
from parlor_tui.speech.base import Stop, Voice

OnProgress = Callable[[str, int, int], None]
"""Told what is being done, and the bytes done and to do (0 where there is nothing to count)."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as people choose it. Which models it takes stands in the catalogue."""

    name: str
    model_label: str
    demo_grade: bool
    hears: bool
    sees: bool


LITE = Profile(
    "lite",
    "SmolLM2-135M",
    demo_grade=True,
    hears=False,
    sees=False,
)
PROFILES = {LITE.name: LITE}


@dataclass(frozen=True, slots=True)
class ThreadBudget:
    """Threads for each stage.

    Captions have the machine to themselves. Answers and speech overlap, and llama.cpp's threads wait for one another at
    every layer of every token: as soon as one of them has to share its core, decoding falls from 110 tokens/s to 2
    (measured on 2 cores with Kokoro beside it; with a single thread it stays at 55-70). So the two share the cores, and
    on a small machine the language model has one thread, which waits for nobody.
    """

    captions: int
    engine: int
    voice: int

    @classmethod
    def of(cls, cores: int) -> ThreadBudget:
        """The budget for a machine of `cores` cores."""
        engine = max(1, cores // 2)
        return cls(captions=cores, engine=engine, voice=max(min(cores, 2), cores - engine))


def choose(settings: Settings) -> Profile:
    """The profile that the settings ask for; `auto` is the best one there is."""
    return LITE if settings.core.profile == "auto" else PROFILES[settings.core.profile]


@dataclass(frozen=True, slots=True)
class Parts:
    """The loaded models of a profile."""

    profile: Profile
    prompt: Prompt
    engine: Engine
    captioner: Captioner
    voice: Voice


class Loader(Protocol):
    """Brings the parts of a profile up; blocks."""

    def __call__(self, progress: OnProgress, cancelled: threading.Event) -> Parts:
        """Load everything, reporting progress. Raises what the store and the libraries raise."""


def loader(profile: Profile, settings: Settings) -> Loader:
    """The function that fetches what is missing, loads and warms up `profile`."""

    def load(progress: OnProgress, cancelled: threading.Event) -> Parts:
        store = Store(
            models_folder(settings), use_hub=settings.models.hub, source_timeout_s=settings.models.source_timeout_s
        )
        folders = _fetch(profile, store, progress, cancelled)
        threads = ThreadBudget.of(settings.core.threads or min(8, os.cpu_count() or 1))
        return _load_lite(profile, folders, threads, settings.core.max_requests, progress)

    return load


def _fetch(profile: Profile, store: Store, progress: OnProgress, cancelled: threading.Event) -> dict[str, Path]:
    """The folder of each of the profile's models (or of its stand-in), by the model's own name."""

    def report(step: Progress) -> None:
        progress(f"getting {step.model} from {step.source}", step.done_bytes, step.total_bytes)

    if store.missing(profile.name):
        store.get_profile(profile.name, report, cancelled)
    return {name: store.path(store.stand_in(name)) for name in catalogue.PROFILES[profile.name]}


def _load_lite(
    profile: Profile, folders: dict[str, Path], threads: ThreadBudget, slots: int, progress: OnProgress
) -> Parts:
    from parlor_tui.captions.whisper import Whisper
    from parlor_tui.engines.llamacpp import LlamaCpp
    from parlor_tui.speech.kokoro_onnx import KokoroOnnx, read_voices

    progress("loading captions (Whisper tiny.en)", 0, 0)
    captioner = Whisper(folders["whisper-tiny.en"], "Whisper tiny.en", threads=threads.captions)
    progress("loading answers (SmolLM2-135M)", 0, 0)
    gguf = next(folders["smollm2-135m"].glob("*.gguf"))
    engine = LlamaCpp(gguf, profile.model_label, threads=threads.engine, slots=slots)
    progress("loading speech (Kokoro)", 0, 0)
    onnx = next(folders["kokoro-int8"].glob("*.onnx"))
    voice = KokoroOnnx(onnx, read_voices(folders["kokoro-voices"]), threads=threads.voice)
    parts = Parts(profile, SMALL_MODEL, engine, captioner, voice)
    progress("warming up", 0, 0)
    warm_up(parts)
    return parts


def warm_up(parts: Parts) -> None:
    """One small job for each part, so that the first turn pays for no first use."""
    second_of_nothing = np.zeros(16_000, np.float32)
    parts.captioner.partial(second_of_nothing)
    parts.captioner.final(second_of_nothing)
    opening = [*parts.prompt.messages(), Message("user", "Hello.")]
    parts.engine.generate(opening, Sampling(0.0, 1.0, 2), lambda _: True)
    parts.voice.synthesise("Hello there, how are you?", parts.voice.voices[0], 1.0, Stop())
