"""Brings a profile's models up: fetches what is missing, finds what each runs on, loads and warms up."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from parlor_tui.captions.base import Captioner
from parlor_tui.core.profiles import LABELS, LITE, OnProgress, Parts, Profile, ThreadBudget
from parlor_tui.engines.backends import Wanted, Wish
from parlor_tui.engines.base import Engine, EngineError, Message, Sampling
from parlor_tui.engines.litert_start import Settled
from parlor_tui.engines.memory_budget import Candidate
from parlor_tui.hearing.smart_turn import EndOfTurnModel
from parlor_tui.models import catalogue, needs
from parlor_tui.models.base import Cancelled, ModelError, Progress
from parlor_tui.models.local import local_model
from parlor_tui.models.store import store_of
from parlor_tui.settings import Settings
from parlor_tui.speech.base import Stop, Voice
from parlor_tui.speech.runtime import Runtime
from parlor_tui.speech.sentences import sentences
from parlor_tui.speech.spoken_text import spoken_text


class Loader(Protocol):
    """Brings the parts of a profile up; blocks."""

    def __call__(self, progress: OnProgress, cancelled: threading.Event) -> Parts:
        """Load everything, reporting progress. Raises what the store and the libraries raise."""


def loader(profile: Profile, settings: Settings) -> Loader:
    """The function that fetches what is missing, loads and warms up `profile`."""

    def load(progress: OnProgress, cancelled: threading.Event) -> Parts:
        try:
            return _Loading(profile, settings, progress, cancelled).run()
        except (EngineError, ModelError) as error:
            asked_for = settings.core.profile != "auto" or settings.core.model
            if asked_for or profile is LITE or isinstance(error, Cancelled):
                raise
            # Nobody asked for it: better a small model than none.
            instead = f"{profile.model_label} cannot be loaded, {LITE.model_label} answers instead: {error}"
            return _Loading(LITE, settings, progress, cancelled, [instead]).run()

    return load


@dataclass(slots=True)
class _Loading:
    """One loading of a profile; `notices` gathers what the user should know of it."""

    profile: Profile
    settings: Settings
    progress: OnProgress
    cancelled: threading.Event
    notices: list[str] = field(default_factory=list)
    on_gpu: bool = False

    def run(self) -> Parts:
        threads = ThreadBudget.of(self.settings.core.threads or min(8, os.cpu_count() or 1))
        used = self._fetch()
        self.progress("loading captions (Whisper)", 0, 0)
        captioner = _captions(used["captions"], self.settings, threads)
        engine = self._gemma(used, threads) if self.profile.name == "gemma" else self._lite(used["answers"], threads)
        self.progress("loading speech (Kokoro)", 0, 0)
        voice = _speech(used["speech"], used["voices"], threads)
        end_of_turn = self._end_of_turn(used)
        parts = Parts(self.profile, engine, captioner, voice, tuple(self.notices), end_of_turn, self.on_gpu)
        self.progress("warming up", 0, 0)
        warm_up(parts)
        return parts

    def _fetch(self) -> dict[str, Path]:
        """The folder of each model that the profile needs, by what it is for: answers, captions, speech, voices."""
        from parlor_tui.speech.runtime import runtime_here

        def report(step: Progress) -> None:
            self.progress(step.text, step.done_bytes, step.total_bytes)

        store = store_of(self.settings)
        runtime = runtime_here(self.settings.speaking.runtime)
        names = needs.needed(self.profile.name, self.settings, runtime if runtime != "onnx" else "")
        used = {name: store.stand_in(name) for name in names}
        for wanted in store.missing(names, needs.chosen(self.settings)):
            try:
                (got,) = store.get_all((wanted,), report, self.cancelled)
            except Cancelled:
                raise
            except ModelError as error:
                if wanted not in catalogue.OPTIONAL:
                    raise
                del used[wanted]
                self.notices.append(f"without {wanted}: {error}")
            else:
                used[got.wanted] = got.used
        for name, other in used.items():
            if other != name:
                self.notices.append(f"{name} is not here: {other} stands in (parlor-tui models get {name})")
        return {catalogue.find(name).purpose: store.path(other) for name, other in used.items()}

    def _end_of_turn(self, used: Mapping[str, Path]) -> EndOfTurnModel | None:
        from parlor_tui.hearing.smart_turn import SmartTurn, TurnModelError

        if "turns" not in used:
            return None
        try:
            return SmartTurn(next(used["turns"].glob("*.onnx")))
        except TurnModelError as error:
            self.notices.append(f"the words alone tell when a turn is over: {error}")
            return None

    def _lite(self, folder: Path, threads: ThreadBudget) -> Engine:
        from parlor_tui.engines.llamacpp import LlamaCpp

        label = self.profile.model_label
        self.progress(f"loading answers ({label})", 0, 0)
        gguf = next(folder.glob("*.gguf"))
        return LlamaCpp(gguf, label, threads=threads.engine, slots=self.settings.core.max_requests)

    def _gemma(self, used: Mapping[str, Path], threads: ThreadBudget) -> Engine:
        core = self.settings.core
        candidates = self._candidates(used)
        wanted = Wanted(_wish(core.backend), _wish(core.vision_backend), _wish(core.audio_backend))
        settled = self._settle(candidates, wanted)
        try:
            engine = self._load_gemma(settled, threads)
            self.on_gpu = "gpu" in (settled.backends.text, settled.backends.vision, settled.backends.audio)
        except EngineError as error:
            if settled.backends.only_cpu:
                raise
            # What passed its trial in a process of its own can still fail here, where more is loaded.
            self.notices.append(f"not on the GPU after all, on the CPU (slower): {error}")
            engine = self._load_gemma(self._settle(candidates, Wanted("cpu", "cpu", "cpu")), threads)
        lacks = [word for word, able in (("hear", engine.abilities.hears), ("see", engine.abilities.sees)) if not able]
        if lacks:
            bridges = {"hear": "it reads captions instead", "see": "it is told of pictures in words"}
            how = " and ".join(bridges[word] for word in lacks)
            self.notices.append(f"{engine.name} cannot {' or '.join(lacks)}: {how}")
        return engine

    def _settle(self, candidates: Sequence[Candidate], wanted: Wanted) -> Settled:
        """Which model, with how much context, on what: what fits and works here."""
        from parlor_tui.engines.litert import conversations
        from parlor_tui.engines.litert_api import facts
        from parlor_tui.engines.litert_cache import default_folder
        from parlor_tui.engines.litert_start import Limits, settle

        core = self.settings.core
        if 0 < core.context_tokens < _FEWEST_TOKENS:
            raise EngineError(
                f"core.context_tokens = {core.context_tokens}: "
                f"at least {_FEWEST_TOKENS} are needed, or 0 for the model's own"
            )
        self.progress(f"finding out what {candidates[0].name} can run on", 0, 0)
        settled = settle(
            candidates,
            wanted,
            Limits(core.context_tokens, core.memory_percent, core.cache_mb * 1_000_000),
            facts,
            folder=default_folder(),
            at_unix_s=time.time(),
            conversations=conversations(core.max_requests),
            cancelled=self.cancelled,
        )
        if self.cancelled.is_set():
            raise Cancelled("loading was cancelled")
        self.notices += settled.notices
        return settled

    def _load_gemma(self, settled: Settled, threads: ThreadBudget) -> Engine:
        from parlor_tui.engines.backend_choice import Memory
        from parlor_tui.engines.litert import LiteRt

        self.progress(f"loading answers ({settled.model.name})", 0, 0)
        known = Memory(settled.cache_folder, settled.model.path, settled.context_tokens, time.time())
        try:
            with known.in_earnest(settled.backends):
                engine = LiteRt(
                    settled.model.path,
                    settled.model.name,
                    backends=settled.backends,
                    context_tokens=settled.context_tokens,
                    slots=self.settings.core.max_requests,
                    threads=threads.engine,
                    cache_folder=settled.cache_folder,
                )
                _answer_once(engine)
        except EngineError as error:
            if not settled.backends.only_cpu:
                known.failed(settled.backends, str(error))
            raise
        return engine

    def _candidates(self, used: Mapping[str, Path]) -> list[Candidate]:
        """The model that was asked for, then smaller ones that are here."""
        named = needs.answering(self.settings)
        if isinstance(named, Path):
            file = local_model(named).path
            return [Candidate.of(file.stem, file)]
        store = store_of(self.settings)
        names = [named, *(name for name in _SMALLER.get(named, ()) if store.has(name))]
        folders = [used["answers"], *(store.path(name) for name in names[1:])]
        return [
            Candidate.of(LABELS[name], next(folder.glob("*.litertlm")))
            for name, folder in zip(names, folders, strict=True)
        ]


def _wish(choice: str) -> Wish:
    match choice:
        case "gpu" | "cpu" | "npu":
            return choice
        case _:
            return "auto"


_SMALLER: Mapping[str, tuple[str, ...]] = {"gemma-4-e4b": ("gemma-4-e2b",)}
_FEWEST_TOKENS = 512
"""The instructions alone take about 200."""
_RUNTIMES: Mapping[str, Runtime] = {"kokoro-82m-mlx": "mlx", "kokoro-82m-torch": "torch"}
"""What the files of a speech model are for; those of the others are for ONNX."""


def _captions(folder: Path, settings: Settings, threads: ThreadBudget) -> Captioner:
    from parlor_tui.captions.whisper import Whisper

    name = folder.name.replace("whisper-", "Whisper ")
    return Whisper(folder, name, threads=threads.captions, language=settings.captions.language)


def _speech(weights: Path, voices: Path, threads: ThreadBudget) -> Voice:
    from parlor_tui.speech.runtime import open_voice
    from parlor_tui.speech.voices import read_voices

    return open_voice(_RUNTIMES.get(weights.name, "onnx"), weights, read_voices(voices), threads=threads.voice)


def warm_up(parts: Parts) -> None:
    """One small job for each part, so that the first turn pays for no first use."""
    second_of_nothing = np.zeros(16_000, np.float32)
    parts.captioner.partial(second_of_nothing)
    parts.captioner.final(second_of_nothing)
    _answer_once(parts.engine, parts.opening("assistant", ""))
    if parts.end_of_turn is not None:
        parts.end_of_turn.finished(second_of_nothing)
    spoken_text("".join(sentences("**5 km** \N{GRINNING FACE} Yes.")))
    parts.voice.synthesise("Hello there, how are you?", parts.voice.voices[0], 1.0, Stop())


def _answer_once(engine: Engine, opening: Sequence[Message] = ()) -> None:
    engine.generate([*opening, Message("user", "Hello.")], Sampling(0.0, 1.0, 2), lambda _: True, lambda: False)
