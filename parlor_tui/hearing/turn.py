"""The turn machine: speech probabilities and time in, actions out. Pure: it holds no clock, no sound and no thread."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import Enum

from parlor_tui.settings import Hearing

_SHORTEST_PAUSE_MS = 32
_NO_WORD_MS = 160
"""So long after a sound too short to be a word nothing more of a word comes."""
_STIR_MS = 200
"""So long after the last sign of a voice a reply stays quieter."""
_USUAL_PAUSE_MS = 100
"""Where nothing is begun eagerly a pause is judged all the same."""
_FRAMES_OF_SPEECH = 2
"""So many blocks at the threshold end a pause: a single one is a click."""
_FRAMES_OF_MURMUR = 4
"""Or so many above the release: the end of a sentence that is spoken under one's breath."""


LATEST_READY_MS = 1000
"""A turn whose reply is being made is not ended before that can be heard: nobody would gain by it, and who was about to
go on may do so undisturbed. But after this much silence it is ended."""


UNJUDGED_MS = 2000
"""Over a reply a sound ends no turn before it is known whether there are words in it."""

_MOST = {item.name: item.metadata["high"] for item in fields(Hearing)}
LONGEST_TURN_S: int = _MOST["max_utterance_s"] + math.ceil(_MOST["pre_roll_ms"] / 1000) + 1
"""The most sound of one turn that the settings allow: with its pre-roll, and the blocks it begins and ends in."""


class ReplyPhase(Enum):
    """What the assistant is doing while it listens."""

    NONE = "none"
    THINKING = "thinking"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True)
class Stir:
    """Something that may become a voice sounds over a reply: that dips."""


@dataclass(frozen=True, slots=True)
class Settle:
    """Nothing came of it."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Somebody may be speaking: send the pre-roll and everything after it. A reply that is spoken dips."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """It is likely speech. A reply that is spoken falls silent, to go on if it was none."""


@dataclass(frozen=True, slots=True)
class Sure:
    """It is surely speech. A reply that is being made or spoken gives way for good."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The user fell silent, maybe for good. `number` counts the pauses of this machine."""

    number: int
    last_speech_at_s: float


@dataclass(frozen=True, slots=True)
class Resume:
    """The user goes on: what was begun at the pause is worth nothing."""


@dataclass(frozen=True, slots=True)
class Drop:
    """It was too short to be speech, or held no words: forget what was sent."""

    last_speech_at_s: float


@dataclass(frozen=True, slots=True)
class Commit:
    """The user's turn is over. `cut`: it reached the longest length that is taken."""

    last_speech_at_s: float
    cut: bool = False


Action = Stir | Settle | Begin | Confirm | Sure | Pause | Resume | Drop | Commit


class TurnMachine:
    """Follows one microphone.

    `frame` is called once for each block, in order. Times are seconds on one clock; `end_at_s` is that of a block's
    last sample. Begin comes first, Drop or Commit last; between two pauses there is a Resume. After a Stir comes
    Begin or Settle.
    """

    def __init__(self) -> None:
        self._onset_at_s: float | None = None
        self._stirred_at_s: float | None = None
        self._last_speech_at_s = 0.0
        self._confirmed = False
        self._sure = False
        self._pauses = 0
        self._paused = False
        self._wait_ms: float | None = None
        self._worthless = False
        self._answering = False
        self._at_s = 0.0
        self._over_reply = False
        self._speech_frames = 0
        self._murmur_frames = 0

    @property
    def in_speech(self) -> bool:
        """Between Begin and Drop or Commit."""
        return self._onset_at_s is not None

    def frame(
        self,
        probability: float,
        end_at_s: float,
        hearing: Hearing,
        frame_ms: float,
        phase: ReplyPhase = ReplyPhase.NONE,
        speaking_since_s: float = 0.0,
        *,
        guarded: bool = False,
    ) -> tuple[Action, ...]:
        """The actions that follow from one block of `frame_ms`.

        `speaking_since_s` is when the reply became audible; it matters in `ReplyPhase.SPEAKING` only. `guarded`: what
        the speaker plays leaks into the microphone, so that over a reply only a clear voice counts, and not at once.
        """
        self._at_s = end_at_s
        self._over_reply = phase is not ReplyPhase.NONE
        speaking = phase is ReplyPhase.SPEAKING
        threshold = hearing.vad_threshold_speaking if speaking and guarded else hearing.vad_threshold
        release = hearing.vad_threshold if speaking and guarded else min(hearing.vad_release, threshold)
        if self._onset_at_s is None:
            grace_ms = hearing.barge_in_grace_ms if guarded else 0
            deaf = speaking and (not hearing.barge_in or (end_at_s - speaking_since_s) * 1000 < grace_ms)
            if deaf or probability < threshold:
                may_stir = speaking and not deaf and not guarded and probability >= hearing.dip_threshold
                return self._stir(end_at_s, may_stir)
            self._begin(end_at_s, frame_ms)
            return (Begin(), *self._confirm(hearing, speaking))
        actions = self._follow(probability, end_at_s, threshold, release)
        actions = (*actions, *self._confirm(hearing, speaking))
        silence_ms = (end_at_s - self._last_speech_at_s) * 1000
        if self._speech_ms() < hearing.min_speech_ms:
            return (*actions, self._end(drop=True)) if silence_ms >= _NO_WORD_MS else actions
        if not self._paused and silence_ms >= _pause_ms(hearing):
            self._paused = True
            self._pauses += 1
            actions = (*actions, Pause(self._pauses, self._last_speech_at_s))
        if self._over(hearing):
            return (*actions, self._end(drop=self._worthless))
        if end_at_s - self._onset_at_s >= hearing.max_utterance_s:
            return (*actions, self._end(cut=True))
        return actions

    def lasts(self, pause: int) -> bool:
        """Whether the pause `pause` is not over yet."""
        return self._paused and pause == self._pauses

    def judged(self, pause: int, wait_ms: float, *, words: bool, answering: bool = False) -> None:
        """What is known by now of the pause `pause`: how much silence ends the turn, and whether there were words.

        `answering`: the reply is being made; the turn ends once it is `ready`. Of a pause that is over it says nothing.
        """
        if self.lasts(pause):
            self._wait_ms = wait_ms
            self._worthless = not words
            self._answering = answering

    def ready(self, pause: int, hearing: Hearing) -> tuple[Action, ...]:
        """The reply to what was said up to the pause `pause` can be heard: nothing else is waited for."""
        if not self.lasts(pause):
            return ()
        self._answering = False
        return (self._end(drop=self._worthless),) if self._over(hearing) else ()

    def dismiss(self, pause: int) -> tuple[Action, ...]:
        """What was said up to the pause `pause` is not meant as a turn: drop it, if that pause still lasts."""
        if self.lasts(pause):
            return (self._end(drop=True),)
        return ()

    def finish(self, hearing: Hearing) -> tuple[Action, ...]:
        """The user says that the turn is over: what was begun is committed, if there is as much as a word of it."""
        if self._onset_at_s is None:
            return self.abandon()
        return (self._end(drop=self._worthless or self._speech_ms() < hearing.min_speech_ms),)

    def abandon(self) -> tuple[Action, ...]:
        """Stop listening at once (muted, microphone lost): what was begun is dropped, what stirred settles."""
        if self._onset_at_s is not None:
            return (self._end(drop=True),)
        stirred, self._stirred_at_s = self._stirred_at_s is not None, None
        return (Settle(),) if stirred else ()

    def _stir(self, end_at_s: float, stirs: bool) -> tuple[Action, ...]:
        before = self._stirred_at_s
        if stirs:
            self._stirred_at_s = end_at_s
            return (Stir(),) if before is None else ()
        if before is None or (end_at_s - before) * 1000 < _STIR_MS:
            return ()
        self._stirred_at_s = None
        return (Settle(),)

    def _begin(self, end_at_s: float, frame_ms: float) -> None:
        self._onset_at_s = end_at_s - frame_ms / 1000
        self._stirred_at_s = None
        self._last_speech_at_s = end_at_s
        self._confirmed = self._sure = False
        self._go_on()

    def _go_on(self) -> None:
        self._paused = self._worthless = self._answering = False
        self._wait_ms = None
        self._speech_frames = self._murmur_frames = 0

    def _follow(self, probability: float, end_at_s: float, threshold: float, release: float) -> tuple[Action, ...]:
        if not self._paused:
            if probability >= release:
                self._last_speech_at_s = end_at_s
            return ()
        self._speech_frames = self._speech_frames + 1 if probability >= threshold else 0
        self._murmur_frames = self._murmur_frames + 1 if probability >= release else 0
        if self._speech_frames < _FRAMES_OF_SPEECH and self._murmur_frames < _FRAMES_OF_MURMUR:
            return ()
        self._last_speech_at_s = end_at_s
        self._go_on()
        return (Resume(),)

    def _over(self, hearing: Hearing) -> bool:
        maybe_more = self._speech_frames or self._murmur_frames
        silence_ms = (self._at_s - self._last_speech_at_s) * 1000
        return self._paused and not maybe_more and silence_ms >= self._wait(hearing)

    def _wait(self, hearing: Hearing) -> float:
        if self._wait_ms is None:
            return max(hearing.silence_ms, UNJUDGED_MS) if self._over_reply else hearing.silence_ms
        if hearing.end_of_turn == "fixed":
            return hearing.silence_ms
        return max(self._wait_ms, LATEST_READY_MS) if self._answering and not self._worthless else self._wait_ms

    def _speech_ms(self) -> float:
        onset = self._last_speech_at_s if self._onset_at_s is None else self._onset_at_s
        return (self._last_speech_at_s - onset) * 1000

    def _confirm(self, hearing: Hearing, speaking: bool) -> tuple[Action, ...]:
        made: list[Action] = []
        likely_ms = hearing.barge_in_ms if speaking else hearing.min_speech_ms
        if not self._confirmed and self._speech_ms() >= likely_ms:
            self._confirmed = True
            made.append(Confirm())
        sure_ms = max(hearing.barge_in_sure_ms, hearing.min_speech_ms)
        if self._confirmed and not self._sure and self._speech_ms() >= sure_ms:
            self._sure = True
            made.append(Sure())
        return tuple(made)

    def _end(self, *, drop: bool = False, cut: bool = False) -> Action:
        last = self._last_speech_at_s
        self._onset_at_s = None
        self._confirmed = self._sure = False
        self._go_on()
        return Drop(last) if drop else Commit(last, cut)


def _pause_ms(hearing: Hearing) -> float:
    """So much silence is a pause: never so much that a turn would have to wait for it to end."""
    shortest = hearing.silence_ms if hearing.end_of_turn == "fixed" else min(hearing.finished_ms, hearing.silence_ms)
    return max(_SHORTEST_PAUSE_MS, min(hearing.eager_ms or _USUAL_PAUSE_MS, shortest / 2))
