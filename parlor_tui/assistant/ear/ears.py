"""From the microphone's blocks to what is heard: the speaker's own sound taken out, then the utterance followed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parlor_tui.assistant.ear.utterance import Heard, UtteranceTaker
from parlor_tui.events import EchoLevel
from parlor_tui.hearing.echo import Cleaned, EchoCanceller
from parlor_tui.hearing.turn import ReplyPhase
from parlor_tui.hearing.vad import VoiceActivity
from parlor_tui.settings import Hearing

_LEVEL_EVERY_S = 0.1

Reference = Callable[[float, int], NDArray[np.float32]]
"""What was audible of the speaker, from a time on: so many mono samples at 16 kHz."""


class Ears:
    """One microphone, by one thread. `trouble` is told, in a line, why echo cannot be cancelled; "" once it can."""

    def __init__(self, vad: VoiceActivity, reference: Reference, trouble: Callable[[str], None]) -> None:
        self.taker = UtteranceTaker(vad)
        self._reference = reference
        self._trouble = trouble
        self._canceller: EchoCanceller | None = None
        self._failed = False
        self._level_due_s = 0.0

    def block(
        self,
        samples: NDArray[np.float32],
        at_s: float,
        hearing: Hearing,
        phase: ReplyPhase,
        speaking_since_s: float,
    ) -> list[Heard]:
        """Take 512 samples at 16 kHz, the last of which was captured at `at_s`.

        What that brought, a block at a time: none while it is not known whether a sound is an echo, more afterwards.
        """
        canceller = self._wanted(hearing)
        blocks = [Cleaned(samples, at_s)] if canceller is None else canceller.process(samples, at_s)
        guarded = canceller is None and hearing.echo != "headphones"
        return [
            self.taker.frame(one.samples, one.end_at_s, hearing, phase, speaking_since_s, guarded=guarded)
            for one in blocks
        ]

    def level(self, at_s: float) -> EchoLevel | None:
        """The echo as it is now, ten times a second while there is one to be measured."""
        canceller = self._canceller
        if canceller is None or not canceller.active or at_s < self._level_due_s:
            return None
        self._level_due_s = at_s + _LEVEL_EVERY_S
        return EchoLevel(at_s=at_s, dbfs=canceller.echo_dbfs, suppressed_db=canceller.suppressed_db)

    def new_device(self) -> None:
        """Microphone or speaker is another one, or sound was lost: what was learnt of the room holds no more."""
        if self._canceller is not None:
            self._canceller.reset()

    def _wanted(self, hearing: Hearing) -> EchoCanceller | None:
        if hearing.echo != "cancel":
            self._canceller = None
            return None
        if self._canceller is None and not self._failed:
            try:
                self._canceller = EchoCanceller(self._reference)
            except ImportError as error:
                self._failed = True
                self._trouble(f"{error}; until then a voice over a reply has to be clear, and late")
        return self._canceller
