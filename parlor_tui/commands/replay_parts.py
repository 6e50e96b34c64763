"""What both ways of replaying a conversation share: what is said again, and what came of it."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui import pcm
from parlor_tui.conversations.export import Sounds
from parlor_tui.conversations.record import Conversation, ConversationError, Mark, Turn
from parlor_tui.devices.base import MIC_RATE_HZ
from parlor_tui.devices.resample import resample_whole
from parlor_tui.settings import Settings, SettingsError

_LOWEST_RATE_HZ, _HIGHEST_RATE_HZ = 8000, 192_000
_LONGEST_S = 1800
Tell = Callable[[str], None]
"""Takes a line about what goes on."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What is to be replayed. `picture` gives the JPEG that the model was shown in a turn, by its number."""

    conversation: Conversation
    sounds: Sounds
    picture: Callable[[int], bytes | None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a turn: what was understood, what was answered, and how long it took."""

    said: str
    reply: str
    status: str
    stages_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replayed:
    """One turn, then and now. `now` is None if nothing came of it; `spoken`: it was its sound that was given."""

    number: int
    spoken: bool
    then: Answer
    now: Answer | None


@dataclass(slots=True)
class Outcome:
    """All of it. `notes` are what one has to know to read it; `stopped`: it was ended by Ctrl-C."""

    profile: str = ""
    model: str = ""
    turns: list[Replayed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stopped: bool = False


def then(turn: Turn) -> Answer:
    """What came of the turn at its time."""
    return Answer(turn.said, turn.reply, turn.status, turn.stages_ms)


def samples_of(wav: bytes, number: int) -> NDArray[np.float32]:
    """The sound of the turn `number`, mono at 16 kHz in -1..1. Raises ConversationError."""
    try:
        with wave.open(io.BytesIO(wav)) as sound:
            if (sound.getnchannels(), sound.getsampwidth()) != (1, 2):
                raise ConversationError(f"the sound of turn {number} is not mono with 16 bits: it cannot be replayed")
            rate_hz = sound.getframerate()
            if not _LOWEST_RATE_HZ <= rate_hz <= _HIGHEST_RATE_HZ:
                raise ConversationError(f"the sound of turn {number} has {rate_hz} samples a second: no speech has")
            content = sound.readframes(_LONGEST_S * rate_hz + 1)
    except (wave.Error, EOFError) as error:
        raise ConversationError(f"the sound of turn {number} is no WAV file that can be read: {error}") from None
    samples = pcm.samples_of(content[: len(content) // 2 * 2])
    if len(samples) > _LONGEST_S * rate_hz:
        raise ConversationError(f"the sound of turn {number} is longer than {_LONGEST_S // 60} minutes")
    if not len(samples):
        raise ConversationError(f"the sound of turn {number} is empty")
    return samples if rate_hz == MIC_RATE_HZ else np.clip(resample_whole(samples, rate_hz, MIC_RATE_HZ), -1.0, 1.0)


def changed(settings: Settings, mark: Mark, notes: list[str]) -> tuple[Settings, dict[str, Any]]:
    """`settings` as they were changed at `mark`, and what can be changed live of it; what is known no more is noted."""
    live: dict[str, Any] = {}
    for name, value in mark.values.items():
        try:
            settings.tuning("").with_values({name: value}, f"after turn {mark.after}")
            settings = settings.with_values({name: value}, f"after turn {mark.after}")
        except SettingsError as error:
            notes.append(f"left out: {error}")
        else:
            live[name] = value
    return settings, live
