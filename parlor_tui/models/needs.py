"""Which models a profile needs, given what the settings say. Pure."""

from __future__ import annotations

from pathlib import Path

from parlor_tui.models import catalogue
from parlor_tui.settings import Settings
from parlor_tui.settings.model_names import is_path

GEMMA = "gemma-4-e2b"

_SPEECH = {"mlx": "kokoro-82m-mlx", "torch": "kokoro-82m-torch"}


def needed(profile: str, settings: Settings, runtime: str = "") -> tuple[str, ...]:
    """The models that `profile` needs: answers (none if a file is named for it), captions, speech, voices, turns.

    `runtime` is what speech will run on where that is known better than `speaking.runtime`: onnx, mlx or torch.
    """
    answers, captions, speech, *rest = catalogue.PROFILES[profile]
    runtime = runtime or settings.speaking.runtime
    if settings.captions.model != "auto":
        captions = f"whisper-{settings.captions.model}"
    if runtime in _SPEECH:
        speech = _SPEECH[runtime]
    elif runtime == "onnx" and profile == "gemma":
        speech = "kokoro-82m"
    if profile == "gemma":
        named = answering(settings)
        return (*(() if isinstance(named, Path) else (named,)), captions, speech, *rest)
    return (answers, captions, speech, *rest)


def answering(settings: Settings) -> str | Path:
    """Gemma's weights: the name of a model of the catalogue, or the path of a file that the settings name."""
    said = settings.core.model
    return Path(said) if is_path(said) else said or GEMMA


def chosen(settings: Settings) -> frozenset[str]:
    """Of what is needed, the models that a person chose: they are to be got even where a stand-in is here."""
    picked = set()
    if settings.captions.model != "auto":
        picked.add(f"whisper-{settings.captions.model}")
    if settings.speaking.runtime != "auto":
        picked.add(_SPEECH.get(settings.speaking.runtime, "kokoro-82m"))
    return frozenset(picked)
