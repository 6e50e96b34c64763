"""Measure how fast a model answers on this machine, each set of backends in a throw-away process of its own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from parlor_tui.engines.backend_choice import choose_backends
from parlor_tui.engines.backends import Backends, Wanted, plan
from parlor_tui.engines.base import EngineError
from parlor_tui.engines.bench_result import Figures
from parlor_tui.engines.litert_cache import default_folder, prepare
from parlor_tui.engines.litert_probe import probe, reason_in
from parlor_tui.engines.throwaway import run_throwaway
from parlor_tui.models import catalogue
from parlor_tui.models.base import ModelMissing
from parlor_tui.models.local import local_model
from parlor_tui.models.store import Store
from parlor_tui.settings import Core
from parlor_tui.settings.model_names import SUFFIX

Ask = Literal["auto", "cpu", "gpu", "npu", "all"]
TIMEOUT_S = 900.0
"""For one set of backends: a large model on a slow processor reads its prompts for minutes."""
_COMMANDS = {".litertlm": "litert_bench", ".gguf": "llamacpp_bench"}


@dataclass(frozen=True, slots=True)
class Subject:
    """A model to measure: its name, and its `.litertlm` or `.gguf` file."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one set of backends: figures, or the fault in a few words. `notices` say why it is not another."""

    backends: str
    figures: Figures | None
    fault: str
    notices: tuple[str, ...] = ()


def find_subject(word: str, store: Store) -> Subject:
    """The model that `word` means: a file, a name of the catalogue, or, if empty, the best one that is here.

    Raises EngineError for what is no language model, UnknownModel and ModelMissing as the store does.
    """
    path = Path(word).expanduser()
    if word and (path.suffix in _COMMANDS or path.exists()):
        if not path.is_file():
            raise EngineError(f"{path}: there is no such file")
        if path.suffix not in _COMMANDS:
            raise EngineError(f"{path}: must be a .litertlm or .gguf file")
        if path.suffix == SUFFIX:
            path = local_model(path).path
        return Subject(path.stem, path)
    name = word or _best(store)
    model = catalogue.find(name)
    file = next((file.name for file in model.files if Path(file.name).suffix in _COMMANDS), None)
    if file is None:
        raise EngineError(f"{name} is for {model.purpose}: only models that answer can be measured")
    return Subject(name, store.path(name) / file)


def measure(
    subject: Subject, asked: Ask, settings: Core, image_tokens: int, *, context_tokens: int = 0
) -> Iterator[Row]:
    """A row for each set of backends that `asked` means, as soon as it is measured. A fault is a row, too.

    `auto` is what a talk would use; `all` is the processor, then the GPU. Raises EngineError if the file is no model.
    """
    threads = settings.threads or min(8, os.cpu_count() or 1)
    if subject.path.suffix == ".gguf":
        if asked in {"gpu", "npu"}:
            yield Row(asked, None, "llama.cpp runs on the processor here: --backend cpu")
        else:
            yield _row(subject, "text cpu", {"threads": max(1, threads // 2)})
        return
    folder = prepare(default_folder(), settings.cache_mb * 1_000_000, subject.path, at_unix_s=time.time())
    tokens = context_tokens or settings.context_tokens
    for backends, notices in _ways(subject, asked, settings, folder, context_tokens):
        if asked != "auto" and not backends.only_cpu:
            tried = probe(subject.path, backends, context_tokens=tokens, cache_folder=folder)
            if not tried.ok:
                yield Row(str(backends), None, tried.reason)
                continue
        request = {
            "text": backends.text,
            "vision": backends.vision,
            "audio": backends.audio,
            "context_tokens": tokens,
            "cache_folder": None if folder is None else str(folder),
            "threads": threads,
            "image_tokens": image_tokens,
        }
        yield _row(subject, str(backends), request, notices)


def _ways(
    subject: Subject, asked: Ask, settings: Core, folder: Path | None, context_tokens: int
) -> Iterator[tuple[Backends, tuple[str, ...]]]:
    from parlor_tui.engines import litert_api

    facts = litert_api.facts(subject.path)
    if asked == "auto":
        chosen = choose_backends(
            subject.path,
            Wanted(settings.backend, settings.vision_backend, settings.audio_backend),  # type: ignore[arg-type]
            hears=facts.hears,
            sees=facts.sees,
            context_tokens=context_tokens or settings.context_tokens,
            cache_folder=folder,
            at_unix_s=time.time(),
        )
        yield chosen.backends, chosen.notices
        return
    each: Sequence[Literal["cpu", "gpu", "npu"]] = ("cpu", "gpu") if asked == "all" else (asked,)
    for backend in each:
        yield plan(Wanted(backend), hears=facts.hears, sees=facts.sees)[0], ()


def _row(subject: Subject, backends: str, request: Mapping[str, object], notices: tuple[str, ...] = ()) -> Row:
    command = [sys.executable, "-P", "-m", f"parlor_tui.engines.{_COMMANDS[subject.path.suffix]}"]
    outcome = run_throwaway(command, {"model": str(subject.path), **request}, timeout_s=TIMEOUT_S)
    last = outcome.answers[-1] if outcome.answers else {}
    fault = outcome.fault
    if not fault and last.get("ok") is True:
        try:
            return Row(backends, Figures.of(last["figures"]), "", notices)
        except (KeyError, ValueError) as error:
            fault = str(error)
    return Row(backends, None, fault or reason_in(outcome.noise, str(last.get("error", ""))) or "no answer", notices)


def _best(store: Store) -> str:
    """The best model that answers and is here: the one of `gemma` before the one of `lite`."""
    names = [name for profile in ("gemma", "lite") for name in catalogue.PROFILES.get(profile, ())]
    for name in [*names, *catalogue.MODELS]:
        if catalogue.find(name).purpose == "answers" and store.has(name):
            return name
    raise ModelMissing(f"no model that answers is in {store.folder}: parlor-tui models get --profile lite")
