# ruff: noqa: ARG002 - the protocols tell more than a simulation needs
"""The parts of a core that only take time: the product's own engine over a simulated library, captions, voice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlor_tui.bench.costs.costs import NAME, Costs
from parlor_tui.bench.costs.library import Simulated
from parlor_tui.bench.costs.machine import Machine
from parlor_tui.bench.costs.script import Script, speech_s, words
from parlor_tui.captions.base import FinalCaption
from parlor_tui.core.loading import warm_up
from parlor_tui.core.profiles import OnProgress, Parts, Profile
from parlor_tui.engines.backends import Backends
from parlor_tui.engines.litert import LiteRt
from parlor_tui.settings import Settings
from parlor_tui.speech.base import SAMPLE_RATE_HZ as SPOKEN_RATE_HZ
from parlor_tui.speech.base import Cancelled, Stop

MODEL = f"Gemma 4 E2B, simulated ({NAME})"
PROFILE = Profile("gemma", MODEL, demo_grade=False, prompting="instructions")

_VOICES = ("af_heart", "af_bella", "am_michael", "bf_emma", "bm_george")
_SEED_SPEED = 1.1
"""The speed at which the lengths of audio were published."""
_PITCH_HZ = 150
_SYLLABLES_HZ = 4
_EDGE_LEVEL = 0.005
_EDGE_PER_S = 40.0
"""It begins and ends just above -40 dBFS, and swells and dies away at this rate: audible, and without a click."""


class SimulatedCaptions:
    """See `captions.base.Captioner`. Its words are as many as were said, and not those."""

    name = f"captions, simulated ({NAME})"

    def __init__(self, costs: Costs, machine: Machine, script: Script) -> None:
        self._costs = costs
        self._machine = machine
        self._script = script

    def partial(self, samples: NDArray[np.float32], talk_language: str = "") -> str:
        """See Captioner."""
        self._machine.work("captions", "caption", self._costs.caption_s)
        return words(speech_s(samples), whole=False)

    def final(self, samples: NDArray[np.float32], talk_language: str = "") -> FinalCaption:
        """See Captioner."""
        asked_s = self._machine.now_s()
        text = words(speech_s(samples), whole=self._script.whole(samples))
        self._machine.work("captions", "caption", self._costs.caption_s, ready_s=asked_s)
        return FinalCaption(text, "en" if text else "")


class SimulatedEndOfTurn:
    """See `hearing.smart_turn.EndOfTurnModel`. It is always right about the utterances of the script."""

    def __init__(self, costs: Costs, machine: Machine, script: Script) -> None:
        self._costs = costs
        self._machine = machine
        self._script = script

    def finished(self, samples: NDArray[np.float32]) -> float:
        """See EndOfTurnModel."""
        asked_s = self._machine.now_s()
        whole = self._script.whole(samples)
        self._machine.work("end_of_turn", "judge", self._costs.end_of_turn_s, ready_s=asked_s)
        return 0.98 if whole else 0.02


class SimulatedVoice:
    """See `speech.base.Voice`: a hum with syllables, audible from its first sample to its last."""

    name = f"Kokoro-82M, simulated ({NAME})"
    voices = _VOICES

    def __init__(self, costs: Costs, machine: Machine) -> None:
        self._costs = costs
        self._machine = machine

    def synthesise(self, text: str, voice: str, speed: float, stop: Stop) -> NDArray[np.float32]:
        """See Voice. A call that was begun cannot be stopped on the way."""
        asked_s = self._machine.now_s()
        audio_s = self._costs.spoken_s(len(text)) * _SEED_SPEED / speed
        samples = hum(audio_s)
        work_s = self._costs.voice_base_s + self._costs.voice_per_s * audio_s
        done_s = self._machine.work("gpu", "speak", work_s, ready_s=asked_s, unwanted=lambda: stop.stopped)
        if done_s is None or stop.stopped:
            raise Cancelled
        return samples

    def pieces(self, text: str, voice: str, speed: float, stop: Stop) -> Iterator[NDArray[np.float32]]:
        """See Voice. MLX makes a unit as a whole."""
        yield self.synthesise(text, voice, speed, stop)


def hum(length_s: float) -> NDArray[np.float32]:
    """About `length_s` of a voice-like sound (mono, 24 kHz): a syllable four times a second, audible to both ends."""
    period = SPOKEN_RATE_HZ // _PITCH_HZ
    at_s = np.arange(round(length_s * _PITCH_HZ) * period + 1) / SPOKEN_RATE_HZ
    phase = 2 * np.pi * _PITCH_HZ * at_s
    tone = sum((np.cos(phase * k) / k for k in range(2, 7)), np.cos(phase))
    envelope = 0.11 - 0.07 * np.cos(2 * np.pi * _SYLLABLES_HZ * at_s)
    edge = _EDGE_LEVEL + _EDGE_PER_S * np.minimum(at_s, at_s[-1] - at_s)
    return np.ascontiguousarray(np.minimum(envelope, edge) * tone, dtype=np.float32)


def parts(settings: Settings, costs: Costs, script: Script, machine: Machine | None = None) -> Parts:
    """A core's parts. One `machine` is behind all of them."""
    shared = machine or Machine()
    engine = LiteRt(
        Path("simulated.litertlm"),
        MODEL,
        backends=Backends("gpu", "gpu", "cpu"),
        context_tokens=settings.core.context_tokens,
        slots=settings.core.max_requests,
        library=Simulated(costs, shared),
    )
    return Parts(
        PROFILE,
        engine,
        SimulatedCaptions(costs, shared, script),
        SimulatedVoice(costs, shared),
        (f"every model is simulated: it only takes the time of {NAME}",),
        SimulatedEndOfTurn(costs, shared, script),
    )


@dataclass(frozen=True, slots=True)
class SimulatedLoader:
    """See `core.loading.Loader`."""

    settings: Settings
    costs: Costs
    script: Script

    def __call__(self, progress: OnProgress, cancelled: threading.Event) -> Parts:
        """See Loader."""
        progress(f"simulating the models ({NAME})", 0, 0)
        made = parts(self.settings, self.costs, self.script)
        warm_up(made)
        return made
