"""From microphone blocks to what goes to the core: level, speech probability, turn machine, pre-roll."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parlor_tui.hearing.turn import Action, Begin, Commit, ReplyPhase, TurnMachine
from parlor_tui.hearing.vad import FRAME_MS, VoiceActivity
from parlor_tui.pcm import SILENT_DBFS, level_dbfs, pcm16_of
from parlor_tui.settings import Hearing


@dataclass(frozen=True, slots=True)
class Heard:
    """What one block (or a word of the core's) brought: level, speech probability, what to do, and what to send.

    `pcm16` is 16-bit PCM at 16 kHz.
    """

    dbfs: float = SILENT_DBFS
    probability: float = 0.0
    actions: tuple[Action, ...] = ()
    pcm16: bytes = b""


_IDLE_BLOCKS = 300
_QUIET = 0.1
"""Below it nobody is speaking for sure. After ten seconds of that the model may be reset without missing a word."""


class UtteranceTaker:
    """Follows one microphone. `frame` once for each block of 512 samples at 16 kHz, in order; one thread."""

    def __init__(self, vad: VoiceActivity) -> None:
        self._vad = vad
        self._machine = TurnMachine()
        self._before: deque[NDArray[np.float32]] = deque(maxlen=64)
        self._idle_blocks = 0

    @property
    def in_speech(self) -> bool:
        """Is somebody (maybe) speaking."""
        return self._machine.in_speech

    def frame(
        self,
        samples: NDArray[np.float32],
        end_at_s: float,
        hearing: Hearing,
        phase: ReplyPhase,
        speaking_since_s: float,
        *,
        guarded: bool = False,
    ) -> Heard:
        """Take one block whose last sample was captured at `end_at_s`. `guarded`: see TurnMachine.

        The pre-roll never reaches back behind the end of the utterance before, so that nothing is sent twice.
        """
        probability = self._vad.probability(samples)
        actions = self._machine.frame(
            probability, end_at_s, hearing, FRAME_MS, phase, speaking_since_s, guarded=guarded
        )
        sound = b""
        if any(isinstance(action, Begin) for action in actions):
            count = math.ceil(hearing.pre_roll_ms / FRAME_MS)
            sound = pcm16_of(np.concatenate([*(list(self._before)[-count:] if count else []), samples]))
        elif self._machine.in_speech or actions:
            sound = pcm16_of(samples)
        self._before.append(samples)
        if any(isinstance(action, Commit) for action in actions):
            self._over()
        self._rest(probability)
        return Heard(level_dbfs(samples), probability, actions, sound)

    def lasts(self, pause: int) -> bool:
        """See TurnMachine."""
        return self._machine.lasts(pause)

    def judged(self, pause: int, wait_ms: float, *, words: bool, answering: bool) -> None:
        """See TurnMachine."""
        self._machine.judged(pause, wait_ms, words=words, answering=answering)

    def ready(self, pause: int, hearing: Hearing) -> tuple[Action, ...]:
        """See TurnMachine."""
        actions = self._machine.ready(pause, hearing)
        if any(isinstance(action, Commit) for action in actions):
            self._over()
        return actions

    def dismiss(self, pause: int) -> tuple[Action, ...]:
        """See TurnMachine."""
        return self._machine.dismiss(pause)

    def finish(self, hearing: Hearing) -> tuple[Action, ...]:
        """The user says that the turn is over."""
        actions = self._machine.finish(hearing)
        self._over()
        return actions

    def abandon(self) -> tuple[Action, ...]:
        """Stop in the middle: muted, or the microphone is gone."""
        actions = self._machine.abandon()
        self._over()
        return actions

    def _rest(self, probability: float) -> None:
        """Have the model forget, now and then, while nobody speaks."""
        self._idle_blocks = 0 if self._machine.in_speech or probability > _QUIET else self._idle_blocks + 1
        if self._idle_blocks >= _IDLE_BLOCKS:
            self._idle_blocks = 0
            self._vad.reset()

    def _over(self) -> None:
        self._before.clear()
        self._vad.reset()
