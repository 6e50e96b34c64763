"""What the core tells a client about its conversation; the link carries it as OpenAI Realtime JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from parlor_tui.events.base import ModelOutcome, Role
from parlor_tui.events.machine import MachineRead


@dataclass(frozen=True, slots=True)
class CoreHello:
    """First word of the core on a new link: who it is. What its engine can do is known once it is loaded."""

    session_id: str
    profile: str
    model: str
    demo_grade: bool


@dataclass(frozen=True, slots=True)
class CoreLoading:
    """Progress until the core is ready. `total_bytes` is 0 where there is nothing to count."""

    text: str
    done_bytes: int = 0
    total_bytes: int = 0


@dataclass(frozen=True, slots=True)
class CoreReady:
    """Every model of the profile is loaded and warmed up; `load_ms` is how long that took in the core.

    `profile` and `model` are what was loaded in the end; `hears` and `sees`: the model does so by itself. `voices` are
    those that it can speak with.
    """

    load_ms: float
    profile: str
    model: str
    hears: bool
    sees: bool
    voices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoreFailed:
    """The core cannot become ready. `missing` tells a thing that can be got from a fault."""

    message: str
    missing: bool


@dataclass(frozen=True, slots=True)
class CoreOffer:
    """A more capable model than the one in use can be got: `name` in the catalogue, `model` as people know it.

    `lines` are the offer in plain words: what comes, its size and licence, and the room on the disk. `left_bytes` still
    have to come, `came_bytes` of an earlier try are here already; `fits`: the disk has room for the rest.
    """

    name: str
    model: str
    lines: tuple[str, ...]
    left_bytes: int
    came_bytes: int
    free_bytes: int
    licences: tuple[str, ...]
    fits: bool


@dataclass(frozen=True, slots=True)
class CoreFetching:
    """How far getting what was offered is, in words too: `name` is the model that comes now.

    `total_bytes` is 0 where there is nothing to count.
    `bytes_per_s` is 0 until it is known, `left_s` None until it can be told.
    """

    name: str
    text: str
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_s: float = 0.0
    left_s: float | None = None


@dataclass(frozen=True, slots=True)
class CoreFetched:
    """Getting the offered model is over; `text` says so in one line, for a failure with what to do.

    What came of one that failed or was cancelled is kept, and gone on from. One that was got is used by the next core.
    """

    name: str
    model: str
    outcome: ModelOutcome
    text: str


@dataclass(frozen=True, slots=True)
class SessionUpdated:
    """The core took new session settings over."""


@dataclass(frozen=True, slots=True)
class InputCommitted:
    """The audio sent so far became the user item `item_id`."""

    item_id: str


@dataclass(frozen=True, slots=True)
class InputCleared:
    """The audio sent so far was thrown away."""


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item entered the conversation; `done` once nothing more will be added to it."""

    item_id: str
    role: Role
    text: str
    done: bool
    previous_item_id: str | None = None


@dataclass(frozen=True, slots=True)
class ItemDeleted:
    """The item is no longer part of the conversation."""

    item_id: str


@dataclass(frozen=True, slots=True)
class CaptionPartial:
    """What the user seems to have said so far. The whole text each time: later ones may correct earlier ones."""

    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CaptionFinal:
    """What the user said; empty when there were no words. `audio_ms` is the length of the audio."""

    item_id: str
    text: str
    audio_ms: float


@dataclass(frozen=True, slots=True)
class TurnJudged:
    """What the core makes of the user's pause number `pause`: the words so far, in which language ("" if unknown).

    `finished` is how likely (0..1) the turn sounds over; None if nobody listened for that. `answering`: a reply is
    being made, unheard; `ReplyReady` follows.
    """

    turn: int
    pause: int
    text: str
    language: str = ""
    finished: float | None = None
    answering: bool = False


@dataclass(frozen=True, slots=True)
class ReplyReady:
    """The reply that was begun at the pause can be heard at once when it is asked for; or there will be none."""

    turn: int
    pause: int


@dataclass(frozen=True, slots=True)
class EagerDropped:
    """A reply that was begun at a pause came to nothing, after `ran_ms` of work: the user went on."""

    turn: int
    ran_ms: float


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
class SpeechPiece:
    """The next piece of the text `number` that is said aloud: 16-bit little-endian mono PCM at 24 kHz."""

    number: int
    pcm16: bytes


@dataclass(frozen=True, slots=True)
class SpeechOver:
    """The text `number` was said to its end; or it was not, and `reason` says why in one line."""

    number: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class InputTaken:
    """The model took a sound or a picture in by itself. `took_ms`: its encoder's time; `ago_ms`: how long it is over.

    `turn` is the number of the reply it was for; -1 while the user's turn is still under way.
    """

    turn: int
    kind: Literal["sound", "picture"]
    took_ms: float
    ago_ms: float


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
class ItemTruncated:
    """The memory of reply `item_id` now ends where the user stopped hearing it."""

    item_id: str
    audio_end_ms: int
    heard_text: str


@dataclass(frozen=True, slots=True)
class CoreNotice:
    """Something the user should know that stops nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class CoreGoverned:
    """The core does with less than the settings ask for, or no longer does (`level` 0).

    `level` counts the steps that are taken. `reasons` say why in plain words, `reduced` what is done without. `advice`
    is what a person could still do, where that was not enough.
    """

    level: int
    reasons: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True)
class CoreError:
    """A request was refused or failed. `event_id` names the client event it answers."""

    code: str
    message: str
    param: str | None = None
    event_id: str | None = None


CoreEvent = (
    CoreHello
    | CoreLoading
    | CoreReady
    | CoreFailed
    | CoreOffer
    | CoreFetching
    | CoreFetched
    | SessionUpdated
    | InputCommitted
    | InputCleared
    | ItemAdded
    | ItemDeleted
    | CaptionPartial
    | CaptionFinal
    | TurnJudged
    | ReplyReady
    | EagerDropped
    | ReplyCreated
    | ReplyDelta
    | ReplyUnit
    | ReplyWords
    | ReplyAudio
    | ReplyDone
    | SpeechPiece
    | SpeechOver
    | InputTaken
    | ItemTruncated
    | MachineRead
    | CoreNotice
    | CoreGoverned
    | CoreError
)
