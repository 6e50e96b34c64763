"""What is sent to the core of what is said, over the first reply into a headset that nobody declared as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parlor_tui.assistant.ear.ears import Ears
from parlor_tui.assistant.ear.utterance import Heard
from parlor_tui.hearing.turn import Begin, Commit, ReplyPhase
from parlor_tui.hearing.vad import FRAME_SAMPLES, SAMPLE_RATE_HZ, open_vad
from parlor_tui.settings import Settings
from tests.hearing.echo_room import BLOCK_S, blocks, echo_of, hiss, loudness, recorded, replies

REPLY_AT = SAMPLE_RATE_HZ // 2
HEARING = Settings().tuning("lite").hearing
SILENCE = np.zeros(SAMPLE_RATE_HZ, np.float32)


def heard_of(microphone: np.ndarray, echo: str = "cancel") -> list[Heard]:
    """All that came of `microphone` while `replies` were spoken."""
    played = replies()

    def reference(start_s: float, count: int) -> np.ndarray:
        at = round((start_s - 100.0) * SAMPLE_RATE_HZ) + np.arange(count)
        known = (at >= 0) & (at < len(played))
        return np.where(known, played[np.clip(at, 0, len(played) - 1)], 0).astype(np.float32)

    told: list[str] = []
    ears = Ears(open_vad(), reference, told.append)
    heard: list[Heard] = []
    for number, block in enumerate(blocks(microphone), 1):
        speaking = number * FRAME_SAMPLES > REPLY_AT
        phase = ReplyPhase.SPEAKING if speaking else ReplyPhase.NONE
        heard += ears.block(block, 100.0 + number * BLOCK_S, replace(HEARING, echo=echo), phase, 100.5)
    assert not told
    return heard


def sent(heard: list[Heard]) -> np.ndarray:
    return np.frombuffer(b"".join(one.pcm16 for one in heard), "<i2").astype(np.float32) / 32767


@pytest.mark.parametrize("offset_s", [-0.1, 0.1, 0.5])
def test_the_words_are_sent_whole(offset_s: float) -> None:
    voice = recorded("finished-vm-incorrect") * np.float32(0.5)
    at = REPLY_AT + round(offset_s * SAMPLE_RATE_HZ)
    microphone = np.concatenate([0.3 * hiss(len(replies())), SILENCE])
    microphone[at : at + len(voice)] += voice
    heard = heard_of(microphone)
    actions = [action for one in heard for action in one.actions]
    assert [type(action) for action in actions if isinstance(action, Begin | Commit)] == [Begin, Commit]
    missing_db = 20 * np.log10(np.linalg.norm(sent(heard)) / np.linalg.norm(voice))
    assert abs(missing_db) < 0.5
    declared = sent(heard_of(microphone, echo="headphones"))
    assert len(sent(heard)) == pytest.approx(len(declared), abs=3 * FRAME_SAMPLES)
    first = next(action for action in actions if isinstance(action, Commit)).last_speech_at_s
    assert first == pytest.approx(100.0 + (at + len(voice)) / SAMPLE_RATE_HZ, abs=0.2)


def test_of_an_echo_nothing_is_sent() -> None:
    echo = echo_of(replies(), 60, -12)
    heard = heard_of(echo + hiss(len(echo)))
    assert not any(one.actions for one in heard)
    assert not sent(heard).size
    assert loudness(echo) > 0.01, "it would have been speech"


def test_without_a_canceller_a_block_is_told_of_at_once() -> None:
    played = replies()
    for echo in ("headphones", "off"):
        assert len(heard_of(hiss(len(played)), echo)) == len(blocks(played))
