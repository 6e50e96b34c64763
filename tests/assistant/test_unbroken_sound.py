"""Between the beginning of an utterance and its end the core hears of it with every block, however long its pauses."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from parlor_tui.assistant.ear.utterance import UtteranceTaker
from parlor_tui.hearing.turn import Begin, Commit, Drop, ReplyPhase
from parlor_tui.settings import Hearing

BLOCK_S = 512 / 16_000
PATIENT = Hearing(silence_ms=5000, finished_ms=5000, unfinished_ms=10_000, end_of_turn="fixed", max_utterance_s=120)


class Scripted:
    """Hears voices and silences of so many seconds, one after the other."""

    def __init__(self, stretches_s: list[float]) -> None:
        self._voice = [
            number % 2 == 0 for number, length_s in enumerate(stretches_s) for _ in range(round(length_s / BLOCK_S))
        ]
        self.blocks = len(self._voice)
        self._at = iter(self._voice)

    def probability(self, _samples: NDArray[np.float32]) -> float:
        return 0.9 if next(self._at, False) else 0.0

    def reset(self) -> None:
        """Nothing is remembered."""


@settings(max_examples=40)
@given(st.lists(st.floats(0.1, 4.9), min_size=1, max_size=8), st.sampled_from([PATIENT, Hearing()]))
def test_a_pause_is_sound_too(stretches_s: list[float], hearing: Hearing) -> None:
    scripted = Scripted(stretches_s)
    taker, begun, block = UtteranceTaker(scripted), False, np.zeros(512, np.float32)
    for number in range(scripted.blocks + 200):
        heard = taker.frame(block, (number + 1) * BLOCK_S, hearing, ReplyPhase.NONE, 0.0)
        begun = begun or any(isinstance(action, Begin) for action in heard.actions)
        over = any(isinstance(action, Commit | Drop) for action in heard.actions)
        assert heard.pcm16 or not begun, "no block of an utterance is kept from the core"
        begun = begun and not over
    assert not begun, "and every utterance ends"
