"""What a profile needs follows the settings."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from parlor_tui.models import catalogue
from parlor_tui.models.needs import answering, chosen, needed
from parlor_tui.settings import SECTIONS, Settings
from parlor_tui.settings.model_names import NAMES, SUFFIX

ALWAYS = ("kokoro-voices", "smart-turn")


def having(**values: Any) -> Settings:
    """`core_model="x"` sets core.model."""
    return Settings().with_values({name.replace("_", ".", 1): value for name, value in values.items()}, "test")


@pytest.mark.parametrize("profile", catalogue.PROFILES)
def test_without_a_choice_it_is_what_the_catalogue_says(profile: str) -> None:
    assert needed(profile, Settings()) == catalogue.PROFILES[profile]
    assert chosen(Settings()) == frozenset()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (having(core_model="gemma-4-e4b"), ("gemma-4-e4b", "whisper-base", "kokoro-int8", *ALWAYS)),
        (having(captions_model="tiny.en"), ("gemma-4-e2b", "whisper-tiny.en", "kokoro-int8", *ALWAYS)),
        (having(captions_model="large-v3-turbo"), ("gemma-4-e2b", "whisper-large-v3-turbo", "kokoro-int8", *ALWAYS)),
        (having(captions_language="de"), ("gemma-4-e2b", "whisper-base", "kokoro-int8", *ALWAYS)),
        (having(speaking_runtime="onnx"), ("gemma-4-e2b", "whisper-base", "kokoro-82m", *ALWAYS)),
        (having(speaking_runtime="mlx"), ("gemma-4-e2b", "whisper-base", "kokoro-82m-mlx", *ALWAYS)),
        (having(speaking_runtime="torch"), ("gemma-4-e2b", "whisper-base", "kokoro-82m-torch", *ALWAYS)),
        (having(core_model="/models/my.litertlm"), ("whisper-base", "kokoro-int8", *ALWAYS)),
        (having(core_model="my.litertlm"), ("whisper-base", "kokoro-int8", *ALWAYS)),
        (having(core_model="~/no-suffix"), ("whisper-base", "kokoro-int8", *ALWAYS)),
        (having(core_model="C:\\models\\my.litertlm"), ("whisper-base", "kokoro-int8", *ALWAYS)),
    ],
)
def test_gemma_follows_the_settings(settings: Settings, expected: tuple[str, ...]) -> None:
    assert needed("gemma", settings) == expected


def test_what_runs_speech_may_be_known_better() -> None:
    assert needed("gemma", Settings(), runtime="mlx")[2] == "kokoro-82m-mlx"
    assert needed("lite", Settings(), runtime="onnx")[2] == "kokoro-int8"


def test_lite_has_one_model_that_answers() -> None:
    assert needed("lite", having(core_model="gemma-4-e4b")) == catalogue.PROFILES["lite"]


def test_every_choice_of_the_settings_is_in_the_catalogue() -> None:
    for key, profile in (("captions.model", "gemma"), ("captions.model", "lite"), ("speaking.runtime", "gemma")):
        section, item = key.split(".")
        choices = next(f for f in fields(SECTIONS[section]) if f.name == item).metadata["choices"]
        for choice in choices:
            settings = Settings().with_values({key: choice}, "test")
            assert all(name in catalogue.MODELS for name in needed(profile, settings)), choice
            assert chosen(settings) <= set(catalogue.MODELS)
            assert bool(chosen(settings)) is (choice != "auto")


def test_the_model_that_answers_is_a_name_or_a_path() -> None:
    assert answering(Settings()) == "gemma-4-e2b"
    assert answering(having(core_model="gemma-4-e4b")) == "gemma-4-e4b"
    assert answering(having(core_model="/a/b.litertlm")) == Path("/a/b.litertlm")


def test_the_settings_name_the_models_that_can_answer() -> None:
    able = [name for name, model in catalogue.MODELS.items() if model.files[0].name.endswith(SUFFIX)]
    assert list(NAMES) == able
