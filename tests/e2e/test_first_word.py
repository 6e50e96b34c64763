"""No first word is lost: what is sent to the core is compared, sample by sample, with what was spoken."""

from __future__ import annotations

import queue
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from parlor_tui.assistant.ear.utterance import UtteranceTaker
from parlor_tui.devices.select import open_microphone
from parlor_tui.devices.sound_file import read_sound
from parlor_tui.hearing.turn import Commit, ReplyPhase
from parlor_tui.hearing.vad import open_vad
from parlor_tui.settings import Hearing
from tests.questions import QUESTIONS, VOICES, question_wav
from tests.rig import Rig

RATE_HZ = 16_000


class Taken:
    """What the hearing sends, utterance by utterance, while blocks come from a microphone."""

    def __init__(self) -> None:
        self.blocks: queue.Queue[tuple[NDArray[np.float32], float]] = queue.Queue(4096)
        self._taker = UtteranceTaker(open_vad())

    def next_utterance(self, timeout_s: float) -> NDArray[np.float32]:
        sent = bytearray()
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            samples, at_s = self.blocks.get(timeout=timeout_s)
            heard = self._taker.frame(samples, at_s, Hearing(), ReplyPhase.NONE, 0.0)
            sent += heard.pcm16
            if any(isinstance(action, Commit) for action in heard.actions):
                return np.frombuffer(bytes(sent), "<i2").astype(np.float32) / 32768
            if not self._taker.in_speech:
                sent.clear()
        raise AssertionError(f"no utterance in {timeout_s} s")


def missing_start_ms(source: NDArray[np.float32], sent: NDArray[np.float32]) -> float:
    """How much of the beginning of the audible `source` is not in `sent`."""
    audible = np.flatnonzero(np.abs(source) > 0.01)
    source = source[audible[0] : audible[-1] + 1]
    size = 1 << (len(source) + len(sent)).bit_length()
    spectrum = np.fft.rfft(sent, size) * np.conj(np.fft.rfft(source, size))
    match = np.fft.irfft(spectrum, size)
    lag = int(np.argmax(match))
    lag = lag - size if lag > size // 2 else lag
    overlap = sent[max(0, lag) : max(0, lag) + len(source)]
    like = np.corrcoef(overlap, source[: len(overlap)] if lag >= 0 else source[-lag : -lag + len(overlap)])[0, 1]
    assert like > 0.9, f"what was sent is not what was spoken: correlation {like:.2f}"
    return max(0.0, -lag * 1000 / RATE_HZ)


def test_utterances_of_every_voice_through_the_microphone_arrive_from_their_first_sample(rig: Rig) -> None:
    taken = Taken()
    microphone = open_microphone("default")
    assert microphone is not None
    microphone.start(lambda samples, at_s: taken.blocks.put((samples, at_s)), lambda _reason: None)
    try:
        for question, voice in zip(QUESTIONS[:2] + QUESTIONS[3:5], VOICES, strict=True):
            wav = question_wav(question, voice)
            time.sleep(0.3)
            rig.speak(wav)
            assert missing_start_ms(read_sound(wav, 60), taken.next_utterance(10)) == 0
    finally:
        microphone.stop()


@pytest.mark.parametrize("before_s", [0.0, 0.02, 0.1, 0.5, 3.0])
def test_speech_from_any_moment_of_a_file_arrives_from_its_first_sample(before_s: float) -> None:
    wav = question_wav(QUESTIONS[0], before_s=before_s, after_s=1.0)
    samples = read_sound(wav, 60)
    taken = Taken()
    for start in range(0, len(samples) - 511, 512):
        taken.blocks.put((samples[start : start + 512], (start + 512) / RATE_HZ))
    assert missing_start_ms(samples, taken.next_utterance(10)) == 0


def test_two_utterances_close_together_share_no_sound() -> None:
    first, second = (read_sound(question_wav(question), 60) for question in QUESTIONS[:2])
    gap = np.zeros(int(0.65 * RATE_HZ), np.float32)
    samples = np.concatenate([first, gap, second, np.zeros(RATE_HZ, np.float32)])
    taken = Taken()
    for start in range(0, len(samples) - 511, 512):
        taken.blocks.put((samples[start : start + 512], (start + 512) / RATE_HZ))
    sent = [taken.next_utterance(10) for _ in range(2)]
    assert sum(map(len, sent)) <= len(samples)
    assert missing_start_ms(second, sent[1]) == 0
