"""The facts that cross a thread or the link, as frozen dataclasses.

Two families. `CoreEvent` is what the core tells a client about its conversation; the link carries it as OpenAI Realtime
JSON. `Event` is what the terminal side tells its listeners (screen, JSON lines, latency observer). Every `Event` is
stamped once, by the terminal, on one clock: `now_s`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

now_s = time.monotonic
"""The one clock, in seconds: monotonic, so that a change of the wall clock never bends a duration."""


class State(StrEnum):
    """What the assistant is doing, as the screen names it."""

    LOADING = "loading"
    LISTENING = "listening"
    HEARING = "hearing"
    THINKING = "thinking"
    SPEAKING = "speaking"
    MUTED = "muted"
    ERROR = "error"


Severity = Literal["info", "warning", "error"]
TurnStatus = Literal["completed", "interrupted", "joined", "no_words", "failed"]
"""`joined`: the user went on before the reply was heard; the next turn answers both."""
Role = Literal["user", "assistant"]
ModelOutcome = Literal["got", "failed", "cancelled"]

# --- core -> client ---------------------------------------------------------------------------------------------------


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

    `profile` and `model` are what was loaded in the end; `hears` and `sees`: the model does so by itself.
    """

    load_ms: float
    profile: str
    model: str
    hears: bool
    sees: bool


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
    """Tokens of one reply."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ReplyDone:
    """The reply is over. `reason` says why it is not complete."""

    response_id: str
    item_id: str
    turn: int
    status: Literal["completed", "cancelled", "incomplete", "failed"]
    text: str
    reason: str = ""
    usage: Usage = field(default_factory=Usage)


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
    | InputTaken
    | ItemTruncated
    | CoreNotice
    | CoreError
)

# --- terminal side -> its listeners -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact of the terminal side; `at_s` is when it happened, on `now_s`."""

    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged(Event):
    """The assistant's state is now `state`."""

    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading(Event):
    """Progress of loading or downloading; `total_bytes` is 0 where there is nothing to count."""

    text: str
    done_bytes: int = 0
    total_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreFound(Event):
    """A core answered: its profile and model."""

    profile: str
    model: str
    demo_grade: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready(Event):
    """One can talk or type now. `load_ms` is the core's own loading time; `hears`, `sees`: the model itself does."""

    profile: str
    model: str
    load_ms: float
    hears: bool = False
    sees: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffered(Event):
    """A more capable model can be got; the fields are those of `CoreOffer`.

    `declined`: the user said "not now" to it at some time, and is not to be asked again.
    """

    name: str
    model: str
    lines: tuple[str, ...]
    left_bytes: int
    came_bytes: int
    free_bytes: int
    licences: tuple[str, ...]
    fits: bool
    declined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComing(Event):
    """How far getting the offered model is; the fields are those of `CoreFetching`."""

    name: str
    text: str
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_s: float = 0.0
    left_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOver(Event):
    """An offer is over; `text` says so in one line. After all but `got` and `declined` it is made anew."""

    name: str
    outcome: ModelOutcome | Literal["declined"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MicLevel(Event):
    """Level and speech probability (0..1) of one microphone block of 32 ms. Digital silence is -120 dBFS."""

    dbfs: float
    speech_probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerLevel(Event):
    """Level of what the speaker plays, and how much of the reply was played so far."""

    turn: int
    dbfs: float
    played_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted(Event):
    """The user began to speak (the first frame over the threshold)."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStopped(Event):
    """The user fell silent. `dropped`: it was too short to be speech, and no turn comes of it."""

    turn: int
    last_speech_at_s: float
    dropped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseJudged(Event):
    """The user paused: `wait_ms` of silence will end the turn. `why` is the reason in a word or two.

    `finished` is how likely (0..1) it sounds over, None if unknown.
    """

    turn: int
    wait_ms: int
    why: str
    finished: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyYields(Event):
    """The reply `turn` makes way for a voice that may be a turn: it is quieter, silent for now, or goes on in full."""

    turn: int
    how: Literal["dipped", "held", "resumed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoLevel(Event):
    """Level of the speaker's sound in the microphone, and by how much it is taken down."""

    dbfs: float
    suppressed_db: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerCount(Event):
    """Replies that were begun at a pause, in this talk: `hits` were used, and had `saved_ms` of a start in all when
    they were asked for; `dropped` came to nothing after `wasted_ms` of work.
    """

    hits: int
    dropped: int
    saved_ms: float
    wasted_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption(Event):
    """What the user said, whole text each time; `final` once it will not change."""

    turn: int
    text: str
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaTaken(Event):
    """At `at_s` the model had taken in this turn's sound or picture, after `took_ms` of encoding."""

    turn: int
    kind: Literal["sound", "picture"]
    took_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCommitted(Event):
    """The user's turn is over and the reply is being made. `last_speech_at_s` is None for a typed turn."""

    turn: int
    last_speech_at_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyText(Event):
    """The next piece of the reply's text; the last one is empty and `final`, with the whole reply in `whole`."""

    turn: int
    delta: str
    final: bool = False
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyUnitReady(Event):
    """A clause or sentence of the reply was handed to the voice."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTimed(Event):
    """When the words of the unit `text` have been said: for each its end in `text`, in characters, and its `played_ms`.

    A reply's units come in order.
    """

    turn: int
    text: str
    ends_ms: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyAudioArrived(Event):
    """A block of the reply's speech arrived from the core."""

    turn: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStarted(Event):
    """The first sample of the reply became audible at `at_s`."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStopped(Event):
    """The speaker fell silent after `played_ms` of the reply."""

    turn: int
    played_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted(Event):
    """The reply was stopped after `played_ms` of it were heard; `HeardText` follows with the words."""

    turn: int
    by: Literal["voice", "key", "turn"]
    played_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardText(Event):
    """What the user heard of an interrupted reply, as the core will remember it."""

    turn: int
    heard: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOver(Event):
    """The file that stands in for the microphone is over; silence follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDone(Event):
    """A turn is over. Stage names are those of `observe.stages`; a stage that did not happen is absent."""

    turn: int
    status: TurnStatus
    heard: str
    reply: str
    stages_ms: Mapping[str, float]
    output_tokens: int
    eager_ms: float = 0.0
    """How long before it was asked for the reply had begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """One line the user should read. With a `key` it stands until the trouble of that name is over (`text` empty)."""

    text: str
    severity: Severity = "info"
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Event):
    """Something the user asked for did not work; one line: what, where, what to do. `missing`: a thing is absent."""

    text: str
    missing: bool = False
