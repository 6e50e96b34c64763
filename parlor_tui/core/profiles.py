"""The profiles people choose from, and what a loaded one is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from parlor_tui.captions.base import Captioner
from parlor_tui.core.prompts import PRESETS, SMALL_MODEL
from parlor_tui.engines.base import Engine, Message
from parlor_tui.hearing.smart_turn import EndOfTurnModel
from parlor_tui.models import needs
from parlor_tui.models.store import store_of
from parlor_tui.settings import Settings
from parlor_tui.speech.base import Voice

OnProgress = Callable[[str, int, int], None]
"""Told what is being done, and the bytes done and to do (0 where there is nothing to count)."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as people choose it. Which models it takes stands in `models.needs`.

    `prompting`: a small model is shown examples, a capable one is instructed.
    """

    name: str
    model_label: str
    demo_grade: bool
    prompting: Literal["examples", "instructions"]


GEMMA = Profile("gemma", "Gemma 4 E2B", demo_grade=False, prompting="instructions")
LITE = Profile("lite", "SmolLM2-135M", demo_grade=True, prompting="examples")
PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (GEMMA, LITE)}


@dataclass(frozen=True, slots=True)
class ThreadBudget:
    """Threads for each stage.

    Captions have the machine to themselves. Answers and speech overlap, and llama.cpp's threads wait for one another at
    every layer of every token: as soon as one of them has to share its core, decoding falls from 110 tokens/s to 2
    (measured on 2 cores with Kokoro beside it; with a single thread it stays at 55-70). So the two share the cores, and
    on a small machine the language model has one thread, which waits for nobody; nor does it pay to read prompts with
    more (of a turn 16 tokens are new: 150 ms with one, 1,080 with two, if anything else wants a core).
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
    """The profile that the settings ask for; `auto` is gemma if its model is here, else lite."""
    if settings.core.profile != "auto":
        return PROFILES[settings.core.profile]
    # Of one that somebody named and that is not here, loading it says so.
    return GEMMA if settings.core.model or store_of(settings).has(needs.GEMMA) else LITE


LABELS: Mapping[str, str] = {"gemma-4-e2b": "Gemma 4 E2B", "gemma-4-e4b": "Gemma 4 E4B"}
"""Models as people know them."""


def label_of(profile: Profile, settings: Settings) -> str:
    """The model that is meant to answer, as people know it."""
    if profile is not GEMMA:
        return profile.model_label
    named = needs.answering(settings)
    return named.stem if isinstance(named, Path) else LABELS.get(named, named)


@dataclass(frozen=True, slots=True)
class Parts:
    """The loaded models of a profile. `notices`: what the user should know of how they were loaded.

    `on_gpu`: the language model, or a part of it, runs on a GPU.
    """

    profile: Profile
    engine: Engine
    captioner: Captioner
    voice: Voice
    notices: tuple[str, ...] = ()
    end_of_turn: EndOfTurnModel | None = None
    """None: nothing listens for how a pause sounds; the words alone tell."""
    on_gpu: bool = False

    def opening(self, preset: str, instructions: str) -> list[Message]:
        """The messages that every prompt starts with; `instructions` of the client's replace the system message."""
        prompt = SMALL_MODEL if self.profile.prompting == "examples" else PRESETS[preset]
        messages = list(prompt.messages())
        if instructions:
            messages[0] = Message("system", instructions)
        return messages
