"""What each part of a model runs on: which ways there are to run it, in the order they are tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

Backend = Literal["cpu", "gpu", "npu"]
Wish = Literal["auto", "cpu", "gpu", "npu"]
Part = Literal["text", "vision", "audio"]

PARTS: tuple[Part, ...] = get_args(Part)
IN_WORDS: Mapping[Part, str] = {"text": "text", "vision": "pictures", "audio": "sound"}
_GIVEN_UP: tuple[Part, ...] = ("audio", "vision", "text")
"""The order in which parts step down to the processor: the text, where the time goes, is the last."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the settings ask for, part by part."""

    text: Wish = "auto"
    vision: Wish = "auto"
    audio: Wish = "auto"


@dataclass(frozen=True, slots=True)
class Backends:
    """What the parts of a loaded model run on; None for a part that the model does not have.

    A part that the model has is never left unset: the library crashes when it is.
    """

    text: Backend
    vision: Backend | None = None
    audio: Backend | None = None

    @property
    def only_cpu(self) -> bool:
        """Whether nothing but the processor is used; that needs no probe."""
        return {self.text, self.vision, self.audio} <= {"cpu", None}

    def of(self, part: Part) -> Backend | None:
        """What `part` runs on."""
        return {"text": self.text, "vision": self.vision, "audio": self.audio}[part]

    def with_cpu(self, part: Part) -> Backends:
        """The same with `part`, which the model must have, on the processor."""
        match part:
            case "text":
                return replace(self, text="cpu")
            case "vision":
                return replace(self, vision="cpu")
            case "audio":
                return replace(self, audio="cpu")

    def __str__(self) -> str:
        """As people read it: `text gpu, pictures gpu, sound cpu`."""
        shown = ((IN_WORDS[part], self.of(part)) for part in PARTS)
        return ", ".join(f"{name} {backend}" for name, backend in shown if backend is not None)


def plan(wanted: Wanted, *, hears: bool, sees: bool) -> list[Backends]:
    """The ways to run a model that `hears` and `sees`, best first; the last is the processor alone.

    `auto` is the GPU for text and pictures and the processor for sound: Gemma's audio encoder is refused by the GPU.
    With the text on the processor by wish, `auto` pictures are there too: who keeps the model off the GPU means it.
    Nothing takes the NPU unasked: it runs only models that were compiled for it.
    """
    text: Backend = "gpu" if wanted.text == "auto" else wanted.text
    vision: Backend = ("cpu" if wanted.text == "cpu" else "gpu") if wanted.vision == "auto" else wanted.vision
    audio: Backend = "cpu" if wanted.audio == "auto" else wanted.audio
    return list(_steps_down(Backends(text, vision if sees else None, audio if hears else None)))


def _steps_down(best: Backends) -> Iterator[Backends]:
    yield best
    for part in _GIVEN_UP:
        if best.of(part) not in {"cpu", None}:
            best = best.with_cpu(part)
            yield best


def hopeless(attempt: Backends, failed: Mapping[Part, Backend]) -> bool:
    """Whether `attempt` runs a part on what that very part has `failed` on already."""
    return any(attempt.of(part) == backend for part, backend in failed.items())
