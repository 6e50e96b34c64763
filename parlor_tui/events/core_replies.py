"""The core's replies, piece by piece, and what it says aloud besides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class EagerDropped:
    """A reply that was begun at a pause came to nothing, after `ran_ms` of work: the user went on."""

    turn: int
    ran_ms: float


@dataclass(frozen=True, slots=True)
class ReplyReady:
    """The reply that was begun at the pause can be heard at once when it is asked for; or there will be none."""

    turn: int
    pause: int


@dataclass(frozen=True, slots=True)
class ReplyCreated:
    """The core began a reply. `turn` echoes the number the client gave with its request, -1 if it gave none.

    `speak` is False for a reply that will be text alone. `eager_ms`: it had begun, unheard, so long before it was asked
    for; 0 if it had not.
    """

    response_id: str
    item_id: str
    turn: int
    speak: bool = True
    eager_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """The next piece of the reply's text."""

    response_id: str
    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplyUnit:
    """A unit of the reply (a clause or a sentence) went to the voice. `text` as written, not as spoken."""

    response_id: str
    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplyWords:
    """When the words of a unit have been said: for each its end in `text`, in characters, and in the reply's speech."""

    response_id: str
    item_id: str
    text: str
    ends_ms: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class ReplyAudio:
    """The next block of the reply's speech: 16-bit little-endian mono PCM at 24 kHz."""

    response_id: str
    item_id: str
    pcm16: bytes


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply. `writing_ms` lie between its first token and its last; 0 where nobody measured it."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    writing_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ReplyDone:
    """The reply is over. `reason` says why it is not complete; `code` the same of one that failed, to programs."""

    response_id: str
    item_id: str
    turn: int
    status: Literal["completed", "cancelled", "incomplete", "failed"]
    text: str
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    code: str = ""


@dataclass(frozen=True, slots=True)
class SpeechPiece:
    """The next piece of the text `number` that is said aloud: 16-bit little-endian mono PCM at 24 kHz."""

    number: int
    pcm16: bytes


@dataclass(frozen=True, slots=True)
class SpeechOver:
    """The text `number` was said to its end; or it was not, and `reason` says why in one line."""

    number: int
    reason: str = ""
