"""What is loaded when the model that was meant cannot be: real models, faults put in where a GPU would fail."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from parlor_tui.core import loading
from parlor_tui.core.profiles import GEMMA, Parts
from parlor_tui.engines.backends import Backends, Wanted
from parlor_tui.engines.base import EngineError
from parlor_tui.engines.litert import LiteRt
from parlor_tui.engines.litert_start import Settled
from parlor_tui.engines.memory_budget import Candidate
from parlor_tui.settings import Settings
from tests.tiny_gemma import tiny_gemma


def load(**values: object) -> Parts:
    settings = Settings().with_values({key.replace("__", "."): value for key, value in values.items()}, "test")
    return loading.loader(GEMMA, settings)(lambda *_: None, threading.Event())


def fail(*_: Any) -> Any:
    raise EngineError("the library refuses it")


def test_a_gemma_that_nobody_asked_for_gives_way_to_lite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading._Loading, "_gemma", fail)
    monkeypatch.setattr(loading.needs, "needed", lambda *_: loading.catalogue.PROFILES["lite"])
    parts = load()
    assert parts.profile.name == "lite"
    assert parts.notices[0].endswith("answers instead: the library refuses it")


@pytest.mark.parametrize("asked", [{"core__profile": "gemma"}, {"core__model": "/nosuch.litertlm"}])
def test_one_that_was_asked_for_does_not(monkeypatch: pytest.MonkeyPatch, asked: dict[str, str]) -> None:
    monkeypatch.setattr(loading._Loading, "_gemma", fail)
    monkeypatch.setattr(loading.needs, "needed", lambda *_: loading.catalogue.PROFILES["lite"])
    with pytest.raises(EngineError, match="refuses"):
        load(**asked)


def test_what_passed_its_trial_on_the_gpu_and_fails_in_earnest_goes_to_the_processor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The library and the model are real; that the GPU passed its trial is put in, for there is none here."""
    model = tiny_gemma(tmp_path)
    tried: list[Wanted] = []

    def settle(_self: object, candidates: Sequence[Candidate], wanted: Wanted) -> Settled:
        tried.append(wanted)
        backends = Backends("gpu", "gpu", "cpu") if wanted.text != "cpu" else Backends("cpu", "cpu", "cpu")
        return Settled(candidates[0], 0, backends, None, ())

    monkeypatch.setattr(loading._Loading, "_settle", settle)
    parts = load(core__profile="gemma", core__model=str(model))
    assert [wanted.text for wanted in tried] == ["auto", "cpu"]
    assert any(notice.startswith("not on the GPU after all, on the CPU (slower): ") for notice in parts.notices)
    assert isinstance(parts.engine, LiteRt)
    assert parts.engine.abilities.sees
    parts.engine.close()
