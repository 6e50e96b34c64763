"""What the core tells a client about its conversation; the link carries it as OpenAI Realtime JSON."""

from __future__ import annotations

from dataclasses import dataclass

from parlor_tui.events.core_input import (
    CaptionFinal,
    CaptionPartial,
    InputCleared,
    InputCommitted,
    InputTaken,
    ItemAdded,
    ItemDeleted,
    ItemTruncated,
    TurnJudged,
)
from parlor_tui.events.core_models import (
    CoreFailed,
    CoreFetched,
    CoreFetching,
    CoreHello,
    CoreLoading,
    CoreOffer,
    CoreReady,
)
from parlor_tui.events.core_replies import (
    EagerDropped,
    ReplyAudio,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    ReplyReady,
    ReplyUnit,
    ReplyWords,
    SpeechOver,
    SpeechPiece,
)
from parlor_tui.events.machine import MachineRead


@dataclass(frozen=True, slots=True)
class SessionUpdated:
    """The core took new session settings over."""


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
