"""What the threads of the devices, the link and the screen put into the assistant's one inbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from parlor_tui.events import CoreEvent
from parlor_tui.link.client import Link


@dataclass(frozen=True, slots=True)
class Block:
    """512 samples of the microphone at 16 kHz; the last one was captured at `at_s`."""

    samples: NDArray[np.float32]
    at_s: float


@dataclass(frozen=True, slots=True)
class MicrophoneEnded:
    """The microphone is lost (`reason`), or its file is over (None)."""

    reason: str | None


@dataclass(frozen=True, slots=True)
class MicrophoneTrouble:
    """Blocks come but are of no use; empty once that is over."""

    hint: str


@dataclass(frozen=True, slots=True)
class SpeakerLost:
    """The speaker is gone."""

    reason: str


@dataclass(frozen=True, slots=True)
class LinkUp:
    """A core is there."""

    link: Link


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The core is gone. `again`: it is being started anew; `reason` is empty if that was asked for."""

    reason: str
    again: bool


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
    """The user changed live settings: `{"section.key": value}`."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AboutModel:
    """What the user says to the offer of a model, or while it is on its way."""

    wish: Literal["get", "cancel", "decline"]


@dataclass(frozen=True, slots=True)
class Stop:
    """End."""


Input = (
    Block
    | MicrophoneEnded
    | MicrophoneTrouble
    | SpeakerLost
    | LinkUp
    | LinkDown
    | FromCore
    | Say
    | Interrupt
    | Mute
    | TalkKey
    | Speak
    | Tune
    | AboutModel
    | Stop
)
