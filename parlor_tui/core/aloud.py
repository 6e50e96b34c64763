"""A text that is said aloud and is no part of the conversation: a sample of a voice, a reply once more."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parlor_tui.core.inference import InferenceCore, one_line
from parlor_tui.core.reply_voice import ReplyOptions, ReplyVoice
from parlor_tui.events import CoreEvent, CoreNotice, SpeechOver, SpeechPiece
from parlor_tui.pcm import pcm16_of
from parlor_tui.speech.base import Cancelled, Stop
from parlor_tui.speech.sentences import SentenceSplitter

_log = logging.getLogger(__name__)
LONGEST_CHARS = 8000
_BLOCK_SAMPLES = 4096


class Aloud:
    """One such text. What it becomes is told through `emit`: SpeechPiece after SpeechPiece, SpeechOver once.

    After `cancel` nothing more is told.
    """

    def __init__(self, core: InferenceCore, emit: Callable[[CoreEvent], None], options: ReplyOptions) -> None:
        self._core = core
        self._send = emit
        self._options = options
        self._stop = Stop()

    async def say(self, number: int, text: str, voice: str) -> None:
        """Say `text` in `voice`; "" is the voice of the settings."""
        tuning = self._options.tuning
        if voice:
            tuning = replace(tuning, speaking=replace(tuning.speaking, voice=voice))
        options = replace(self._options, tuning=tuning, speak=True)
        try:
            parts = await self._core.parts()
            speaker = ReplyVoice(self._core, parts, options, self._stop, lambda notice: self._emit(CoreNotice(notice)))
            splitter = SentenceSplitter()
            said = False
            for unit in [*splitter.feed(text), *splitter.finish()]:
                made = await speaker.say(unit, "", lambda samples: self._tell(number, samples))
                said = said or bool(made.speech_samples)
            self._emit(SpeechOver(number, "" if said else "there is nothing in it that can be said"))
        except Cancelled:
            return
        except Exception as error:  # noqa: BLE001 - whatever a native library raises ends this text, not the core
            _log.exception("aloud")
            self._emit(SpeechOver(number, one_line(error)))

    def cancel(self) -> None:
        """No more of it."""
        self._stop.stop()

    def _tell(self, number: int, samples: NDArray[np.float32]) -> None:
        pcm16 = pcm16_of(samples)
        for start in range(0, len(pcm16), 2 * _BLOCK_SAMPLES):
            self._emit(SpeechPiece(number, pcm16[start : start + 2 * _BLOCK_SAMPLES]))

    def _emit(self, event: CoreEvent) -> None:
        if not self._stop.stopped:
            self._send(event)
