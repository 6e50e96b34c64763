"""The turn machine: speech probabilities and time in, actions out. Pure: it holds no clock, no sound and no thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from parlor_tui.settings import Hearing


class ReplyPhase(Enum):
    """What the assistant is doing while it listens."""

    NONE = "none"
    THINKING = "thinking"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True)
class Begin:
    """Somebody may be speaking: send the pre-roll and everything after it."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """It is surely speech. A reply that is being made or spoken gives way."""


@dataclass(frozen=True, slots=True)
class Drop:
    """It was too short to be speech: forget what was sent."""

    last_speech_at_s: float


@dataclass(frozen=True, slots=True)
class Commit:
    """The user's turn is over. `cut`: it reached the longest length that is taken."""

    last_speech_at_s: float
    cut: bool = False


Action = Begin | Confirm | Drop | Commit


class TurnMachine:
    """Follows one microphone.

    `frame` is called once for each block, in order. Times are seconds on one clock; `end_at_s` is that of a block's
    last sample.
    """

    def __init__(self) -> None:
        self._onset_at_s: float | None = None
        self._last_speech_at_s = 0.0
        self._confirmed = False

    @property
    def in_speech(self) -> bool:
        """Between Begin and Drop or Commit."""
        return self._onset_at_s is not None

    @property
    def confirmed(self) -> bool:
        """In speech, and surely so."""
        return self._confirmed

    def frame(
        self,
        probability: float,
        end_at_s: float,
        hearing: Hearing,
        frame_ms: float,
        phase: ReplyPhase = ReplyPhase.NONE,
        speaking_since_s: float = 0.0,
    ) -> tuple[Action, ...]:
        """The actions that follow from one block of `frame_ms`.

        `speaking_since_s` is when the reply became audible; it matters in `ReplyPhase.SPEAKING` only.
        """
        speaking = phase is ReplyPhase.SPEAKING
        threshold = hearing.vad_threshold_speaking if speaking else hearing.vad_threshold
        if self._onset_at_s is None:
            if speaking and (not hearing.barge_in or (end_at_s - speaking_since_s) * 1000 < hearing.barge_in_grace_ms):
                return ()
            if probability < threshold:
                return ()
            self._onset_at_s = end_at_s - frame_ms / 1000
            self._last_speech_at_s = end_at_s
            self._confirmed = False
            return (Begin(), *self._confirm(hearing, speaking))
        release = hearing.vad_threshold if speaking else min(hearing.vad_release, threshold)
        if probability >= release:
            self._last_speech_at_s = end_at_s
        actions = self._confirm(hearing, speaking)
        if (end_at_s - self._last_speech_at_s) * 1000 >= hearing.silence_ms:
            return (*actions, self._end(hearing))
        if end_at_s - self._onset_at_s >= hearing.max_utterance_s:
            return (*actions, self._end(hearing, cut=True))
        return actions

    def abandon(self) -> tuple[Action, ...]:
        """Stop listening at once (muted, microphone lost): what was begun is dropped."""
        if self._onset_at_s is None:
            return ()
        self._onset_at_s = None
        self._confirmed = False
        return (Drop(self._last_speech_at_s),)

    def _speech_ms(self) -> float:
        onset = self._last_speech_at_s if self._onset_at_s is None else self._onset_at_s
        return (self._last_speech_at_s - onset) * 1000

    def _confirm(self, hearing: Hearing, speaking: bool) -> tuple[Action, ...]:
        needed_ms = min(hearing.barge_in_ms, hearing.min_speech_ms) if speaking else hearing.min_speech_ms
        if self._confirmed or self._speech_ms() < needed_ms:
            return ()
        self._confirmed = True
        return (Confirm(),)

    def _end(self, hearing: Hearing, cut: bool = False) -> Action:
        long_enough = self._speech_ms() >= hearing.min_speech_ms
        last = self._last_speech_at_s
        self._onset_at_s = None
        self._confirmed = False
        return Commit(last, cut) if long_enough else Drop(last)
