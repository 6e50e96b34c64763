"""No echo gets into the microphone, and nobody said so: a voice around the first reply stays whole."""

from __future__ import annotations

import numpy as np
import pytest

from parlor_tui.hearing.echo import EchoCanceller
from parlor_tui.hearing.echo_path import VoiceOrEcho
from parlor_tui.hearing.vad import FRAME_SAMPLES
from tests.hearing.echo_room import (
    BLOCK_S,
    DELAY,
    blocks,
    echo_of,
    hiss,
    loudness,
    probabilities,
    recorded,
    replies,
    run,
    spoken,
)
from tests.questions import QUESTIONS

REPLY_AT = FRAME_SAMPLES * 15
"""The first block in which `replies` sound."""
VOICES = {
    "recording, a sentence": lambda: recorded("finished-vm-incorrect"),
    "recording, a telephone menu": lambda: recorded("unfinished-if-correct-press"),
    "am_michael": lambda: spoken(QUESTIONS[1], "am_michael"),
    "bf_emma": lambda: spoken(QUESTIONS[4], "bf_emma"),
}


def headset(voice: np.ndarray, at: int, dbfs: float = -20.0) -> np.ndarray:
    """`voice` from the sample `at` on into a headset's microphone, while `replies` play."""
    microphone = 0.3 * hiss(len(replies()))
    voice = voice[: len(microphone) - at]
    microphone[at : at + len(voice)] += voice * (10 ** (dbfs / 20) / loudness(voice))
    return microphone


def lost_share(microphone: np.ndarray, cleaned: np.ndarray) -> float:
    """Of the blocks with speech in `microphone`, how many lost more than 3 dB."""
    passed = cleaned[DELAY:]
    said, heard = (np.mean(np.square(blocks(one)), axis=1) for one in (microphone[: len(passed)], passed))
    speech = said > said.max() / 1000
    return float(np.mean(heard[speech] < said[speech] / 2))


@pytest.mark.parametrize("offset_s", [-0.2, 0.0, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("voice", VOICES)
def test_a_voice_at_the_beginning_of_the_first_reply_stays_whole(voice: str, offset_s: float) -> None:
    microphone = headset(VOICES[voice](), REPLY_AT + round(offset_s * 16_000))
    done = run(microphone, replies(), jitter_s=0.004)
    assert lost_share(microphone, done.cleaned) <= 0.03
    kept_db = 20 * np.log10(np.linalg.norm(done.cleaned[DELAY:]) / np.linalg.norm(microphone))
    assert abs(kept_db) < 1.0
    assert not done.canceller.echo_seen
    first, alone = (np.flatnonzero(one >= 0.5)[0] for one in (done.probability, probabilities(microphone)))
    assert (first - alone) * BLOCK_S < 0.1


def test_a_voice_goes_on_when_the_reply_it_began_over_is_held() -> None:
    played = replies().copy()
    played[REPLY_AT + 8000 :] = 0.0
    microphone = headset(spoken(QUESTIONS[5], "am_adam"), REPLY_AT + 1600)
    assert lost_share(microphone, run(microphone, played).cleaned) <= 0.03


def test_no_block_is_withheld_for_longer_than_told_none_is_lost_and_their_times_follow_each_other() -> None:
    played, microphone = replies(), headset(recorded("finished-vm-incorrect"), REPLY_AT)
    canceller = EchoCanceller(lambda start_s, count: played[round(start_s * 16_000) :][:count])
    ends_at_s, latest_blocks = [], 0
    for number, block in enumerate(blocks(microphone[: len(played) - 2 * FRAME_SAMPLES]), 1):
        ends_at_s += [one.end_at_s for one in canceller.process(block, number * BLOCK_S)]
        latest_blocks = max(latest_blocks, number - len(ends_at_s))
    assert latest_blocks == VoiceOrEcho.AHEAD_BLOCKS
    assert ends_at_s == pytest.approx([n * BLOCK_S - canceller.delay_s for n in range(1, len(ends_at_s) + 1)])


def test_what_was_withheld_before_the_microphone_was_muted_is_not_told_after_it() -> None:
    played = replies()
    canceller = EchoCanceller(lambda start_s, count: np.resize(played[REPLY_AT:], count))
    for number in range(1, 21):
        told = canceller.process(headset(played, 0)[:FRAME_SAMPLES], number * BLOCK_S)
    assert told
    later = canceller.process(np.zeros(FRAME_SAMPLES, np.float32), 21 * BLOCK_S + 5.0)
    assert all(one.end_at_s > 21 * BLOCK_S for one in later)


@pytest.mark.parametrize(("delay_ms", "db"), [(20, -6), (400, -20), (150, -30)])
def test_an_echo_is_seen_and_from_then_on_nothing_is_withheld(delay_ms: int, db: float) -> None:
    echo = echo_of(replies(), delay_ms, db)
    done = run(echo + hiss(len(echo)), replies())
    assert done.canceller.echo_seen
    assert len(done.cleaned) == len(blocks(echo)) * FRAME_SAMPLES


def test_an_echo_is_told_from_the_voice_just_before_it() -> None:
    echo = echo_of(replies(), 150, -12)
    said = spoken("Yes.", "am_michael")
    said = said * np.float32(loudness(echo) / loudness(said))
    began = int(np.flatnonzero(np.abs(echo) > 0.01)[0])
    microphone = echo + hiss(len(echo))
    at = max(0, began - len(said))
    microphone[at:began] += said[-(began - at) :]
    done = run(microphone, replies())
    assert (done.probability[began // FRAME_SAMPLES + 12 :] < 0.5).all()
