"""Every model the store knows, what each profile needs by default, and what stands in for what cannot be had."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from parlor_tui.models.base import ModelError, ModelFile
from parlor_tui.models.entry import Model
from parlor_tui.models.hub_models import HUB_MODELS
from parlor_tui.models.lite_models import LITE_MODELS

__all__ = [
    "MODELS",
    "OPTIONAL",
    "PROFILES",
    "STAND_INS",
    "Model",
    "ModelFile",
    "UnknownModel",
    "find",
    "stand_ins",
    "voices",
]


class UnknownModel(ModelError):  # noqa: N818 - called by what is the matter, as the others are
    """There is no model or profile of that name. The message names near ones."""


MODELS: Mapping[str, Model] = {model.name: model for model in (*LITE_MODELS, *HUB_MODELS)}
"""By name."""

PROFILES: Mapping[str, tuple[str, ...]] = {
    "lite": ("smollm2-135m", "whisper-tiny.en", "kokoro-int8", "kokoro-voices", "smart-turn"),
    "gemma": ("gemma-4-e2b", "whisper-base", "kokoro-int8", "kokoro-voices", "smart-turn"),
}
"""The models each profile needs unless the settings say otherwise."""

OPTIONAL: frozenset[str] = frozenset({"smart-turn"})
"""Of those, the models without which a profile works too, only less well."""

STAND_INS: Mapping[str, str] = {
    "kokoro-voices": "kokoro-voices-ja",
    "kokoro-82m": "kokoro-int8",
    "kokoro-82m-mlx": "kokoro-int8",
    "kokoro-82m-torch": "kokoro-int8",
    "whisper-large-v3-turbo": "whisper-small",
    "whisper-medium": "whisper-small",
    "whisper-small": "whisper-base",
    "whisper-base": "whisper-base-pip",
    "whisper-base-pip": "whisper-tiny",
    "whisper-tiny": "whisper-tiny.en",
}
"""What a profile makes do with where the model itself cannot be had; for that, its own stand-in, and so on."""


def stand_ins(name: str) -> Iterator[str]:
    """What may stand in for the model called `name`, best first."""
    other = STAND_INS.get(name)
    while other is not None:
        yield other
        other = STAND_INS.get(other)


def find(name: str) -> Model:
    """The model called `name`. Raises UnknownModel, naming near ones."""
    if name in MODELS:
        return MODELS[name]
    near = difflib.get_close_matches(name.lower(), MODELS, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(MODELS)}"
    raise UnknownModel(f"no model is called {name!r}; {hint}")


def voices(name: str) -> tuple[str, ...]:
    """The voices that the model called `name` brings; none if it brings none. Each is in `VOICE.bin` in its folder."""
    model = find(name)
    return tuple(file.name.removesuffix(".bin") for file in model.files) if model.purpose == "voices" else ()
