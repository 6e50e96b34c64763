"""What the terminal side tells its listeners: screen, JSON lines, latency observer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from parlor_tui.events.base import DeviceKind, ModelOutcome, Severity, State, TurnStatus
from parlor_tui.events.machine import MachineRead


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
    """One can talk or type now. `load_ms` is the core's own loading time; `hears`, `sees`: the model itself does.

    `voices` are those that replies can be spoken with.
    """

    profile: str
    model: str
    load_ms: float
    hears: bool = False
    sees: bool = False
    voices: tuple[str, ...] = ()


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
    """The user's turn is over and the reply is being made. `last_speech_at_s` is None for a typed turn.

    `pictured`: the camera's picture went along; whether the model looked at it, `MediaTaken` tells.
    """

    turn: int
    last_speech_at_s: float | None
    pictured: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyText(Event):
    """The next piece of the reply's text; the last one is empty and `final`, with the whole reply in `whole`."""

    turn: int
    delta: str
    final: bool = False
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain(Event):
    """The core died before a word of the reply was heard: the next core answers the turn; what was written is void."""

    turn: int


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
    writing_ms: float = 0.0
    """Between the reply's first token and its last, where they were written; 0 where nobody measured it."""


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A turn of a conversation that is taken up again: what was said, and what was heard of the reply.

    `when` is the day and time of it, in words; `unheard` the rest of a reply that was cut off.
    """

    said: str
    heard: str
    unheard: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationBegun(Event):
    """The model remembers nothing from before but `earlier`: nothing, or the conversation `name` taken up again.

    What was typed up to `asked_at_s` and waits to be sent is not sent any more.
    """

    asked_at_s: float
    name: str = ""
    earlier: tuple[EarlierTurn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingChanged(Event):
    """What is kept of the talk from now on; `name` is that of the conversation it is kept as, once there is one."""

    record: Literal["off", "text", "text+audio"]
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSeen(Event):
    """What the machine does that the core runs on, and what the terminal's own process takes.

    `terminal_mb` is its resident memory (10^6 bytes), `terminal_cpu_percent` of one core. None is unknown.
    """

    machine: MachineRead
    terminal_mb: float | None = None
    terminal_cpu_percent: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Governed(Event):
    """The core does with less, or no longer does; the fields are those of `CoreGoverned`."""

    level: int
    reasons: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    advice: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicesChanged(Event):
    """What can be chosen as a device now, by name; `came` are the names that were not there before.

    `trouble` says in one line why something could not be listed.
    """

    microphones: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceUsed(Event):
    """`choice`, as the settings write it, is the `kind` used from now on; `label` is the name of that, or ""."""

    kind: DeviceKind
    choice: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFrame(Event):
    """What the camera sees, small: `rgb` has three bytes for each pixel, row by row; empty while it shows nothing."""

    width_px: int = 0
    height_px: int = 0
    rgb: bytes = b""
