"""What every language model offers to the core, whatever runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from parlor_tui.events import Usage


class EngineError(Exception):
    """The engine cannot do what was asked. The message is one line."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an engine can do by itself; the core bridges what it cannot."""

    hears: bool = False
    sees: bool = False
    branches: bool = False
    primes: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt. `audio_wav` and `image_jpeg` are for engines that hear and see."""

    role: Literal["system", "user", "assistant"]
    text: str
    audio_wav: bytes | None = None
    image_jpeg: bytes | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn. `max_tokens` is the hard limit."""

    temperature: float
    top_p: float
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Generation:
    """How a generation ended."""

    finish: Literal["stop", "length", "cancelled"]
    usage: Usage


OnText = Callable[[str], bool]
"""Called with each piece of text, on the engine's thread; returning False ends the generation there."""


class Engine(Protocol):
    """A loaded language model. Calls block and may come from several threads."""

    @property
    def name(self) -> str:
        """The model, as people know it."""

    @property
    def abilities(self) -> Abilities:
        """What it can do by itself."""

    @property
    def context_tokens(self) -> int:
        """Most tokens of prompt and reply together."""

    def generate(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText) -> Generation:
        """Answer `messages`, giving out the text as it comes.

        Raises EngineError, for instance when the prompt does not fit.
        """

    def close(self) -> None:
        """Free the model."""
