"""The voice of one reply: which voice, how the words are said, how long they take. Runs in the event loop."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from parlor_tui.core.governor import Caps
from parlor_tui.core.inference import InferenceCore, one_line
from parlor_tui.core.profiles import Parts
from parlor_tui.events import now_s
from parlor_tui.settings import Tuning
from parlor_tui.speech import readings
from parlor_tui.speech.base import SAMPLE_RATE_HZ, SpeechError, Stop
from parlor_tui.speech.boundaries import language_of_text
from parlor_tui.speech.pace import Pace, parts_of
from parlor_tui.speech.phonemes import phonemes
from parlor_tui.speech.spoken_text import spoken_text
from parlor_tui.speech.voices import choose_voice, language_of, sounds_english
from parlor_tui.speech.word_times import pauses, word_ends

_log = logging.getLogger(__name__)
_PAUSE_MS = {"sentence": 180, "clause": 60}
"""Silence behind a unit: the voice's own is trimmed, and people breathe."""


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """How a reply is made. `instructions` take the place of the preset's, if there are any.

    `speak` False makes text alone. `caps` are heeded in `tuning` already, but not in the engine's context.
    """

    tuning: Tuning
    instructions: str = ""
    speak: bool = True
    caps: Caps = field(default_factory=Caps)


@dataclass(frozen=True, slots=True)
class Said:
    """The speech of a unit, mono at 24 kHz, with the silence behind it; empty if nothing of the unit can be said.

    `speech_samples` is its length without that silence, `spoken` what was given to `voice`.
    """

    samples: NDArray[np.float32]
    speech_samples: int = 0
    spoken: str = ""
    voice: str = ""


_NOTHING = Said(np.zeros(0, np.float32))


class ReplyVoice:
    """Speaks unit after unit. `notice` is told, once each, what the user should know of how they are spoken."""

    def __init__(
        self, core: InferenceCore, parts: Parts, options: ReplyOptions, stop: Stop, notice: Callable[[str], None]
    ) -> None:
        self._core = core
        self._voice = parts.voice
        self._speaking = options.tuning.speaking
        self._speak = options.speak
        self._stop = stop
        self._notice = notice
        self._told: set[str] = set()
        self._pace = Pace()

    def heard_from(self, at_s: float) -> None:
        """What was said so far is played from `at_s` on. To be told once or again and again."""
        self._pace.heard_from(at_s)

    def next_part(self, unit: str) -> tuple[str, str]:
        """What of `unit` to say first: all of it, or a clause where more would come too late; and the rest."""
        return parts_of(unit) if self._speak and self._pace.too_late(len(unit), now_s()) else (unit, "")

    async def say(self, unit: str, spoken_to: str, on_samples: Callable[[NDArray[np.float32]], None]) -> Said:
        """Speak `unit`: `on_samples` is given its speech piece by piece as it is made, the silence behind it included.

        It is spoken in the language of its words; `spoken_to` is the one the user speaks, "" if unknown. Raises
        Cancelled once the reply was stopped.
        """
        if not self._speak:
            return _NOTHING
        # English is what every voice can speak at a pinch, and what a recogniser without languages hears. Nor need the
        # model answer in the language that it was spoken to.
        language = "" if spoken_to == "en" or sounds_english(unit) else spoken_to
        spoken = spoken_text(unit, language_of_text(unit, language))
        if not spoken:
            return _NOTHING
        choice = choose_voice(
            spoken, self._speaking.voice, self._voice.voices, language or None, kanji=readings.found()
        )
        self._tell(choice.notice)
        if choice.voice is None:
            return _NOTHING
        began_s = now_s()
        speech = await self._make(spoken, choice.voice, on_samples)
        if not len(speech):
            return _NOTHING
        at_s = now_s()
        pause_ms = _PAUSE_MS["sentence" if re.search(r"[.!?。！？…]\W*$", spoken) else "clause"]
        pause = np.zeros(pause_ms * SAMPLE_RATE_HZ // 1000, np.float32)
        on_samples(pause)
        samples = np.concatenate((speech, pause))
        self._pace.made(len(unit), at_s - began_s, len(samples) / SAMPLE_RATE_HZ, at_s)
        return Said(samples, len(speech), spoken, choice.voice)

    async def _make(
        self, spoken: str, voice: str, on_samples: Callable[[NDArray[np.float32]], None]
    ) -> NDArray[np.float32]:
        loop = asyncio.get_running_loop()

        made = [np.zeros(0, np.float32)]

        def make() -> None:
            for piece in self._voice.pieces(spoken, voice, self._speaking.speed, self._stop):
                made.append(piece)
                loop.call_soon_threadsafe(on_samples, piece)

        try:
            await loop.run_in_executor(self._core.voice_pool, make)
        except SpeechError as error:  # what was said up to there was said
            self._notice(one_line(error))
        return np.concatenate(made)

    async def word_ends(self, unit: str, said: Said) -> tuple[int, ...]:
        """The sample at which each word of `unit` has been said; empty if nothing was."""
        if not said.speech_samples:
            return ()

        def find() -> tuple[int, ...]:
            speech = said.samples[: said.speech_samples]
            language = language_of(said.voice)
            return word_ends(unit, said.spoken, len(speech), lambda text: phonemes(text, language), pauses(speech))

        try:
            return await asyncio.get_running_loop().run_in_executor(self._core.voice_pool, find)
        except SpeechError as error:  # they are a help: without them the words count as spoken evenly
            _log.warning("word times: %s", error)
            return ()

    def _tell(self, notice: str) -> None:
        if notice and notice not in self._told:
            self._told.add(notice)
            self._notice(notice)
