"""What every language model offers to the core, whatever runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from parlor_tui.events import Usage


class EngineError(Exception):
    """The engine cannot do what was asked. The message is one line."""


class ContextFull(EngineError):  # noqa: N818 - called by what is the matter
    """The prompt and its reply do not fit into the engine's context: less of the talk must be carried along."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an engine can do by itself; the core bridges what it cannot.

    `branches`: a reply that is dropped costs nothing and leaves no trace. `primes`: it can be shown a picture before
    the user has finished speaking.
    """

    hears: bool = False
    sees: bool = False
    branches: bool = False
    primes: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt.

    `audio_wav` and `image_jpeg` are for engines that hear and see; `text` of a spoken message is its caption, for the
    others and for later. `key` names the message across prompts and talks: the same key is the same message, so that an
    engine that keeps what it was fed knows what is new. `cut`: of a reply, `text` is only what was spoken of it, since
    the user interrupted it, or since it had been long enough.
    """

    role: Literal["system", "user", "assistant"]
    text: str
    audio_wav: bytes | None = None
    image_jpeg: bytes | None = None
    key: str = ""
    cut: Literal["", "interrupted", "ended"] = ""


CUT_MARK = " —"
"""Ends a reply that was interrupted, in prompts that hold it as text."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn, and how closely pictures are looked at.

    `max_tokens` is the hard limit; `seed` 0 draws anew each time; `image_tokens` is the budget for one picture.
    """

    temperature: float
    top_p: float
    max_tokens: int
    top_k: int = 64
    seed: int = 0
    image_tokens: int = 280


@dataclass(frozen=True, slots=True)
class Generation:
    """How a generation ended."""

    finish: Literal["stop", "length", "cancelled"]
    usage: Usage


OnText = Callable[[str], bool]
"""Called with each piece of text, on the caller's thread; returning False ends the reply there: it is long enough."""

OnTaken = Callable[[Literal["sound", "picture"], float, float], None]
"""Called when the engine took a sound or a picture in by itself: how many ms that took, and when (`now_s`) it was done.

On any thread, and maybe only after `generate` returned.
"""

Stopped = Callable[[], bool]
"""Whether nobody wants the result any more; asked a few dozen times a second, on the caller's thread."""


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

    def generate(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        on_text: OnText,
        stopped: Stopped,
        *,
        reply_key: str = "",
        on_taken: OnTaken = lambda _kind, _ms, _at_s: None,
    ) -> Generation:
        """Answer `messages`, giving out the text as it comes. Returns within 100 ms of `stopped`, come what may.

        `reply_key` is the key that the reply will have in later prompts.
        Raises EngineError; ContextFull when the prompt does not fit.
        """

    def prime(self, messages: Sequence[Message], sampling: Sampling, stopped: Stopped) -> float:
        """Take `messages`, the last of which is a picture, in before the rest of the turn is there; the ms it took.

        Without the ability it does nothing. Raises EngineError.
        """

    def tokens(self, message: Message) -> int:
        """About how much of the context `message` takes, its sound and picture included."""

    def stuck_s(self, at_s: float) -> float:
        """For how long a native call has shown no sign of life beyond what its work should take; 0 if none."""

    def close(self) -> None:
        """Free the model."""


def merged(messages: Sequence[Message]) -> list[Message]:
    """`messages` as text alone, neighbours of one role joined, as chat templates want them; empty ones left out."""
    result: list[Message] = []
    for message in messages:
        text = message.text + (CUT_MARK if message.cut == "interrupted" and message.text else "")
        if not text:
            continue
        if result and result[-1].role == message.role:
            result[-1] = Message(message.role, f"{result[-1].text} {text}")
        else:
            result.append(Message(message.role, text))
    return result


def estimated_tokens(text: str) -> int:
    """About the tokens of `text`, for engines that cannot count: three letters each, and one for each sign of scripts
    without spaces between words. English has about four letters to a token, so it errs towards a prompt that fits.
    """
    dense = sum(1 for character in text if ord(character) >= 0x2E80)
    return dense + -(-(len(text) - dense) // 3)
