"""`--demo`: a talk that runs by itself. A second voice asks, in place of the microphone; the answers are real.

Pure but for the devices it hands out: events and time go in, what is to be done comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import SPEAKER_RATE_HZ, Microphone
from parlor_tui.devices.scripted import ScriptedMicrophone
from parlor_tui.devices.select import Opener
from parlor_tui.events import (
    AudioStarted,
    CoreEvent,
    CoreHello,
    Event,
    SpeechOver,
    SpeechPiece,
    SpeechStarted,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.pcm import samples_of
from parlor_tui.settings import Settings

LABEL = "the demo's second voice"
VOICES = ("am_michael", "bf_emma")
"""Of the second voice: the first that is not the assistant's own."""
BREATH_S = 1.2
"""Between an answer and the next question."""
UNHEARD_S = 8.0
UNANSWERED_S = 60.0
"""After so long without a turn, or without its end, the script goes on all the same."""
MAKING_S = 60.0
FIRST_NUMBER = 1_000_000
"""Of what is said aloud for the demo; the talk's own count from 1."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the second voice says; `into_s`: over the answer before it, once that was heard for so long."""

    text: str
    into_s: float | None = None


SCRIPT = (
    Line("Hello! Tell me, what are you?"),
    Line("Why is the sky blue?"),
    Line("Wait. What is a good name for a cat?", into_s=1.6),
    Line("Thank you. Name one good thing about rain."),
)


@dataclass(frozen=True, slots=True)
class Make:
    """Have the core say `text` in `voice`; what comes of it is not played, but given to `core_said`."""

    number: int
    text: str
    voice: str


@dataclass(frozen=True, slots=True)
class Utter:
    """Let `samples` (mono at 24 kHz) be heard, by the assistant and in the room."""

    samples: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Over:
    """The script is over; `text` says so, or why it ended before its time."""

    text: str
    trouble: bool = False


Act = Make | Utter | Over
_Phase = Literal["loading", "making", "waiting", "speaking", "over"]
END = "that was the demo: now talk yourself, or type"


def demo_settings(settings: Settings) -> Settings:
    """`settings` as the demo needs them: it listens all the time, looks at nobody's room, and nothing of it is kept."""
    needed = {"hearing.hands_free": True, "devices.camera": "none", "conversations.record": "off"}
    return settings.with_values(needed, "--demo")


class Demo:
    """One run of the script. Used by one thread."""

    def __init__(self, script: Sequence[Line] = SCRIPT) -> None:
        self._script = tuple(script)
        self._made: list[NDArray[np.float32]] = []
        self._pieces: list[bytes] = []
        self._phase: _Phase = "loading"
        self._asked = 0
        self._next = 0
        self._at_s = 0.0
        self._turn: int | None = None
        self._committed = False
        self._heard_since_s: float | None = None
        self._trouble = ""
        self._voice = VOICES[0]
        self._microphone = ScriptedMicrophone(LABEL)

    @property
    def is_over(self) -> bool:
        """Nothing more will be said."""
        return self._phase == "over"

    def opener(self, real: Opener) -> Opener:
        """`real`, with the second voice in place of any microphone as long as the demo lasts."""

        def microphone(choice: str) -> Microphone | None:
            if self.is_over:
                return real.microphone(choice)
            self._microphone = ScriptedMicrophone(LABEL)
            return self._microphone

        return replace(real, microphone=microphone)

    def hear(self, samples: NDArray[np.float32]) -> None:
        """Let the assistant hear `samples` (mono at 16 kHz)."""
        self._microphone.say(samples)

    def ready(self, own_voice: str, at_s: float) -> None:
        """The models are loaded; `own_voice` is the assistant's."""
        if self._phase == "loading":
            self._voice = next(voice for voice in VOICES if voice != own_voice)
            self._phase, self._at_s = "making", at_s

    def core_said(self, event: CoreEvent) -> bool:
        """Take what the core says; whether it was for the demo alone."""
        match event:
            case SpeechPiece(number, pcm16) if number >= FIRST_NUMBER:
                if number == FIRST_NUMBER + len(self._made):
                    self._pieces.append(pcm16)
                return True
            case SpeechOver(number, reason) if number >= FIRST_NUMBER:
                if number == FIRST_NUMBER + len(self._made):
                    self._trouble = reason
                    made = samples_of(b"".join(self._pieces))
                    self._pieces = []
                    self._made.append(made)
                return True
            case CoreHello() if self._phase == "making":  # another core than the one that was making the lines
                self._phase, self._pieces, self._made, self._asked = "loading", [], [], 0
        return False

    def happened(self, event: Event) -> None:
        """Take what became of the talk."""
        match event:
            case SpeechStarted(turn=turn) if self._phase == "speaking":
                self._turn = turn
            case TurnCommitted(turn=turn, at_s=at_s) if turn == self._turn:
                self._committed, self._at_s = True, at_s
            case AudioStarted(turn=turn, at_s=at_s) if turn == self._turn:
                self._heard_since_s = at_s
            case TurnDone(turn=turn, at_s=at_s, status=status) if turn == self._turn and status != "joined":
                if self._phase == "speaking":
                    self._phase, self._at_s = "waiting", at_s + BREATH_S

    def stop(self) -> None:
        """Say nothing more."""
        self._phase = "over"

    def tick(self, at_s: float) -> Act | None:
        """What is to be done now."""
        match self._phase:
            case "making":
                return self._make(at_s)
            case "waiting" if at_s >= self._at_s:
                return self._say_next(at_s)
            case "speaking":
                line = self._script[self._next] if self._next < len(self._script) else None
                since_s = self._heard_since_s
                if line is not None and line.into_s is not None and since_s is not None:
                    return self._say_next(at_s) if at_s - since_s >= line.into_s else None
                patience_s = UNANSWERED_S if self._committed else UNHEARD_S
                if at_s - self._at_s > patience_s:
                    self._phase, self._at_s = "waiting", at_s
        return None

    def _make(self, at_s: float) -> Act | None:
        if self._trouble or at_s - self._at_s > MAKING_S:
            return self._end(f"no demo: {self._trouble or 'its second voice takes too long to be made'}", trouble=True)
        number = len(self._made)
        if number == len(self._script):
            self._phase, self._at_s = "waiting", at_s
            return None
        if self._asked > number:
            return None  # on its way
        self._asked, self._at_s = number + 1, at_s
        return Make(FIRST_NUMBER + number, self._script[number].text, self._voice)

    def _say_next(self, at_s: float) -> Act:
        if self._next == len(self._script):
            return self._end(END)
        samples = self._made[self._next]
        self._next += 1
        self._phase = "speaking"
        self._at_s = at_s + len(samples) / SPEAKER_RATE_HZ
        self._turn, self._committed, self._heard_since_s = None, False, None
        return Utter(samples)

    def _end(self, text: str, *, trouble: bool = False) -> Over:
        self._phase = "over"
        return Over(text, trouble)
