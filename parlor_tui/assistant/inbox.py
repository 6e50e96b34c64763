"""What the threads of the devices, the link and the screen put into the assistant's one inbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from parlor_tui.assistant.devices.opening import Opened
from parlor_tui.conversations.record import Conversation
from parlor_tui.devices.listing import Found
from parlor_tui.devices.routes import Routes
from parlor_tui.events import CameraFrame, CoreEvent, DeviceKind
from parlor_tui.link.client import Link
from parlor_tui.link.supervisor import Then


@dataclass(frozen=True, slots=True)
class Block:
    """512 samples of the microphone at 16 kHz; the last one was captured at `at_s`."""

    samples: NDArray[np.float32]
    at_s: float


@dataclass(frozen=True, slots=True)
class MicrophoneEnded:
    """The microphone is lost (`reason`), or its file is over (None). `device` is the one that says so."""

    reason: str | None
    device: object = None


@dataclass(frozen=True, slots=True)
class MicrophoneTrouble:
    """Blocks of the microphone `device` come but are of no use; `hint` is empty once that is over."""

    hint: str
    device: object


@dataclass(frozen=True, slots=True)
class SpeakerLost:
    """The speaker `device` is gone."""

    reason: str
    device: object = None


@dataclass(frozen=True, slots=True)
class CameraGone:
    """The camera `device` gives no picture any more."""

    reason: str
    device: object


@dataclass(frozen=True, slots=True)
class CameraSees:
    """A small picture of what it sees."""

    frame: CameraFrame


@dataclass(frozen=True, slots=True)
class DevicesFound:
    """Other devices are there than before; `came` are the names of new ones."""

    found: Found
    came: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StreamsRouted:
    """Where the sound server has the streams; asked for at `asked_at_s`."""

    routes: Routes
    asked_at_s: float


@dataclass(frozen=True, slots=True)
class UseDevice:
    """The user chose a device; `remember`: for the next start, too."""

    kind: DeviceKind
    choice: str
    remember: bool


@dataclass(frozen=True, slots=True)
class WatchDevices:
    """Somebody begins to choose devices, or no longer does."""

    wanted: bool


@dataclass(frozen=True, slots=True)
class ShowCamera:
    """Somebody wants to see what the camera sees, or no longer does."""

    wanted: bool


@dataclass(frozen=True, slots=True)
class PlayTone:
    """The user wants to hear whether the speaker works."""


@dataclass(frozen=True, slots=True)
class LinkUp:
    """A core is there."""

    link: Link


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The core is gone, or only the link to it; `then` is what comes next. `reason` is empty if it was asked for."""

    reason: str
    then: Then


@dataclass(frozen=True, slots=True)
class FromCore:
    """The core said something."""

    event: CoreEvent


@dataclass(frozen=True, slots=True)
class Say:
    """The user typed a turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Interrupt:
    """The user pressed the key that stops the reply."""


@dataclass(frozen=True, slots=True)
class Mute:
    """The user closed or opened the microphone."""

    muted: bool


@dataclass(frozen=True, slots=True)
class TalkKey:
    """The user pressed the key that begins and ends a turn; `at_s` says when."""

    at_s: float


@dataclass(frozen=True, slots=True)
class Speak:
    """The user wants `text` said, in `voice` ("" is the settings' own); it is no part of the conversation."""

    text: str
    voice: str


@dataclass(frozen=True, slots=True)
class Tune:
    """The user changed live settings: `{"section.key": value}`, None to have it as it was saved."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AboutTuning:
    """Save what was changed, tell how everything is set, or use, keep or delete the preset `name`."""

    wish: Literal["save", "tell", "use", "keep", "delete"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class AboutModel:
    """What the user says to the offer of a model, or while it is on its way."""

    wish: Literal["get", "cancel", "decline"]


@dataclass(frozen=True, slots=True)
class AboutConversation:
    """Begin a new conversation, take up the one of the name `text`, keep so much (`text`), or nothing can be kept.

    `full`: what is kept waits for room on the disk, or no longer (`text` is "").

    `at_s` is when it was asked for.
    """

    wish: Literal["new", "reopen", "record", "failed", "full"]
    at_s: float
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ConversationRead:
    """The kept conversation that was `asked` for, with so much sound beside it; None where `why` says what is wrong."""

    asked: AboutConversation
    talk: Conversation | None
    sound_bytes: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """End."""


OfSenses = (
    MicrophoneTrouble
    | StreamsRouted
    | CameraGone
    | CameraSees
    | Opened
    | DevicesFound
    | UseDevice
    | WatchDevices
    | ShowCamera
)
"""What the devices themselves are about."""

Input = (
    Block
    | MicrophoneEnded
    | SpeakerLost
    | OfSenses
    | PlayTone
    | LinkUp
    | LinkDown
    | FromCore
    | Say
    | Interrupt
    | Mute
    | TalkKey
    | Speak
    | Tune
    | AboutTuning
    | AboutModel
    | AboutConversation
    | ConversationRead
    | Stop
)
