"""One dataclass for each thing that a client says to the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parlor_tui.events import Role
from parlor_tui.observe.turn_report import TerminalCounts, TurnReport


@dataclass(frozen=True, slots=True)
class UpdateSession:
    """session.update; what is None or not in `tuning` stays as it is.

    `tuning` holds values of the live settings by their `section.key`. The standard has places for voice, speed and the
    longest reply; the others travel in an addition of ours (`parlor`).
    """

    input_rate_hz: int | None = None
    instructions: str | None = None
    speak: bool | None = None
    tuning: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AppendAudio:
    """input_audio_buffer.append: 16-bit little-endian mono PCM at the session's input rate."""

    pcm16: bytes


@dataclass(frozen=True, slots=True)
class CommitAudio:
    """input_audio_buffer.commit."""


@dataclass(frozen=True, slots=True)
class ClearAudio:
    """input_audio_buffer.clear."""


@dataclass(frozen=True, slots=True)
class PauseAudio:
    """parlor.input.paused: the user fell silent, maybe for good. The core answers with TurnJudged.

    `answer`: it may begin to reply, unheard, to what was said so far; what is then committed is what was appended up to
    now. The same `pause` may be told again, to have it answered after all.
    """

    turn: int
    pause: int
    answer: bool


@dataclass(frozen=True, slots=True)
class ResumeAudio:
    """parlor.input.resumed: the user goes on; what was begun at the pause is dropped."""


@dataclass(frozen=True, slots=True)
class CreateItem:
    """conversation.item.create of a message. `pcm16` is at the session's input rate.

    `frame`: the picture is what the camera happens to see (an addition of ours): it is shown to the model as the
    settings for seeing have it, and any other picture always.
    """

    role: Role
    text: str = ""
    pcm16: bytes = b""
    image: bytes | None = None
    item_id: str | None = None
    after: str | None = None
    frame: bool = False


@dataclass(frozen=True, slots=True)
class DeleteItem:
    """conversation.item.delete."""

    item_id: str


@dataclass(frozen=True, slots=True)
class TruncateItem:
    """conversation.item.truncate: the user heard `audio_end_ms` of the reply."""

    item_id: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class CreateResponse:
    """response.create. `turn` travels in the metadata; -1 is none."""

    turn: int = -1
    speak: bool | None = None


@dataclass(frozen=True, slots=True)
class CancelResponse:
    """response.cancel."""

    response_id: str | None = None


@dataclass(frozen=True, slots=True)
class SayAloud:
    """parlor.speech.create: say `text`, which is no part of the conversation, in `voice` ("" is the session's own).

    The core answers with SpeechPiece and SpeechOver, which carry `number`. A new one ends the one before.
    """

    number: int
    text: str
    voice: str = ""


@dataclass(frozen=True, slots=True)
class StopSaying:
    """parlor.speech.cancel: no more of what is said aloud."""


@dataclass(frozen=True, slots=True)
class ForgetAll:
    """parlor.conversation.forget: the session goes on with its settings, and remembers nothing of what was said."""


@dataclass(frozen=True, slots=True)
class GetModel:
    """parlor.models.get: get the model that was offered, or go on with it; nothing new if it is on its way."""


@dataclass(frozen=True, slots=True)
class CancelModel:
    """parlor.models.cancel: stop getting it; what came is kept."""


@dataclass(frozen=True, slots=True)
class ReportTurn:
    """parlor.turn.report: what only the client knows of a turn that is over, for the core's figures. No answer."""

    report: TurnReport


@dataclass(frozen=True, slots=True)
class ReportCounts:
    """parlor.counts.report: what the client lost since it started, for the core's figures. No answer."""

    counts: TerminalCounts


ClientEvent = (
    UpdateSession
    | AppendAudio
    | CommitAudio
    | ClearAudio
    | PauseAudio
    | ResumeAudio
    | CreateItem
    | DeleteItem
    | TruncateItem
    | CreateResponse
    | CancelResponse
    | SayAloud
    | StopSaying
    | ForgetAll
    | GetModel
    | CancelModel
    | ReportTurn
    | ReportCounts
)
