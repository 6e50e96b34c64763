"""Measuring models for real: the tiny Gemma on LiteRT-LM, SmolLM2 on llama.cpp."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parlor_tui.commands.bench_models import add_arguments
from parlor_tui.core.model_bench import Subject, find_subject, measure
from parlor_tui.engines.base import EngineError
from parlor_tui.engines.bench_result import Figures, Reply
from parlor_tui.models.base import ModelMissing
from parlor_tui.models.catalogue import UnknownModel
from parlor_tui.models.store import Store
from parlor_tui.settings import Core, Settings, models_folder
from tests.conftest import ROOT, Home
from tests.tiny_gemma import tiny_gemma


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gemma(tmp_path_factory.mktemp("model"))


@pytest.fixture(autouse=True)
def _own_cache_and_no_gpu(monkeypatch: pytest.MonkeyPatch, isolated_home: Home, tmp_path: Path) -> None:
    """A cache of their own for the children, which find the package, and no GPU."""
    for name in ("PYTHONPATH", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, isolated_home.env[name])
    for name in ("VK_ICD_FILENAMES", "VK_DRIVER_FILES"):
        monkeypatch.setenv(name, str(tmp_path / "no-driver.json"))


MODELS = models_folder(Settings())


def store(folder: Path = MODELS) -> Store:
    return Store(folder, use_hub=False, source_timeout_s=5)


def typed(home: Home, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "parlor_tui", "models", "bench", *words],
        env={**os.environ, **home.env}, cwd=ROOT, capture_output=True, text=True, check=False, timeout=170,
    )  # fmt: skip


def test_a_gemma_is_measured_in_all_its_parts(model: Path) -> None:
    (row,) = measure(Subject("tiny", model), "cpu", Core(), 280)
    figures = row.figures
    assert figures is not None, row.fault
    assert row.backends == "text cpu, pictures cpu, sound cpu"
    assert figures.load_ms > 1
    assert figures.prefill_per_s > figures.decode_per_s > 10
    assert 0.5 < figures.first_token_ms < 10_000
    assert 50 < figures.peak_mb < 2000
    assert figures.image_encode_ms is not None
    assert figures.image_encode_ms > 1
    assert set(figures.audio_encode_ms) == {"1", "10"}
    assert figures.audio_encode_ms["10"] > figures.audio_encode_ms["1"] > 0.5


def test_auto_measures_what_a_talk_would_use_and_says_why(isolated_home: Home, model: Path) -> None:
    done = typed(isolated_home, str(model), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["model"], told["path"]) == (model.stem, str(model))
    (row,) = told["rows"]
    assert row["figures"]["decode_per_s"] > 10
    if sys.platform == "linux":  # where a GPU can be hidden
        assert row["backends"] == "text cpu, pictures cpu, sound cpu"
        assert row["notices"][0].startswith("GPU not used for text and pictures: ")
        assert row["notices"][0] in done.stderr


def test_the_table_has_a_column_for_each_and_the_reason_where_there_is_no_figure(
    isolated_home: Home, model: Path
) -> None:
    done = typed(isolated_home, str(model), "--backend", "all")
    assert done.returncode == 0, done.stderr
    for line in ("prefill, tokens/s", "encode a picture, ms", "encode 10 s of sound, ms", "memory at its peak, MB"):
        assert line in done.stdout
    if sys.platform == "linux":
        assert "text gpu" in done.stdout
        assert "Vulkan" in done.stdout


def test_llama_cpp_has_the_figures_of_text(isolated_home: Home) -> None:
    done = typed(isolated_home, "smollm2-135m", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    figures = Figures.of(row["figures"])
    assert figures.prefill_per_s > figures.decode_per_s > 1
    assert 1 < figures.first_token_ms < 20_000
    assert figures.peak_mb > 100
    assert (figures.image_encode_ms, figures.audio_encode_ms) == (None, {})
    done = typed(isolated_home, "smollm2-135m", "--backend", "gpu")
    assert done.returncode == 4
    assert "--backend cpu" in done.stdout


def test_a_model_that_does_not_load_is_a_row_with_the_reason(tmp_path: Path) -> None:
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(b"no model")
    (row,) = measure(Subject("junk", junk), "cpu", Core(), 280)
    assert row.figures is None
    assert row.fault


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nix", "no model is called 'nix'"),
        ("whisper-tiny.en", "whisper-tiny.en is for captions: only models that answer can be measured"),
        ("absent.litertlm", "absent.litertlm: there is no such file"),
        ("pyproject.toml", "pyproject.toml: must be a .litertlm or .gguf file"),
    ],
)
def test_what_cannot_be_measured_is_one_line(isolated_home: Home, word: str, said: str) -> None:
    done = typed(isolated_home, word)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"parlor-tui models bench: {said}")
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_no_model_is_one_line(isolated_home: Home, tmp_path: Path) -> None:
    junk = tmp_path / "junk.litertlm"
    junk.write_bytes(b"no model" * 1000)
    done = typed(isolated_home, str(junk))
    assert (done.returncode, done.stdout) == (4, "")
    assert "not a .litertlm file" in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_any_model_it_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="models get --profile lite"):
        find_subject("", store(tmp_path))
    with pytest.raises(ModelMissing, match="models get smollm2-135m"):
        find_subject("smollm2-135m", store(tmp_path))
    with pytest.raises(UnknownModel):
        find_subject("nix", store(tmp_path))
    with pytest.raises(EngineError):
        find_subject("x.gguf", store(tmp_path))


def test_the_best_model_that_is_here_is_the_default() -> None:
    subject = find_subject("", store())
    assert subject.path.suffix in {".gguf", ".litertlm"}
    assert subject.path.is_file()


def test_what_the_encoder_took_is_neither_reading_nor_writing() -> None:
    assert Reply(first_ms=67, prefill_tokens=50, prefill_per_s=5000, decode_tokens=9, decode_per_s=500).encode_ms == 55
    assert Reply(first_ms=1, prefill_tokens=50, prefill_per_s=5000, decode_tokens=9, decode_per_s=500).encode_ms == 0
    assert Reply(first_ms=9, prefill_tokens=0, prefill_per_s=0, decode_tokens=0, decode_per_s=0).encode_ms == 9


@pytest.mark.parametrize("told", [{}, {"load_ms": 1}, {"image_encode_ms": None, "audio_encode_ms": 3, "load_ms": "x"}])
def test_an_answer_without_figures_is_refused(told: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"figures|convert"):
        Figures.of(told)


def test_an_unknown_backend_is_refused_by_name() -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_arguments(parser.add_subparsers())
    with pytest.raises((argparse.ArgumentError, SystemExit)):
        parser.parse_args(["bench", "--backend", "tpu"])
