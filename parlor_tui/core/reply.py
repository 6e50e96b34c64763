"""One reply: tokens -> units -> speech, overlapping, and cancelled at any moment."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parlor_tui.core.inference import InferenceCore, one_line
from parlor_tui.core.limits import ReplyLimit
from parlor_tui.core.memory import Item, Memory
from parlor_tui.core.profiles import Parts
from parlor_tui.engines.base import EngineError, Generation, Message, Sampling
from parlor_tui.events import CoreEvent, CoreNotice, ReplyAudio, ReplyDelta, ReplyDone, ReplyUnit, Usage
from parlor_tui.speech.base import SAMPLE_RATE_HZ, Cancelled, SpeechError, Stop
from parlor_tui.speech.sentences import SentenceSplitter
from parlor_tui.speech.spoken_text import spoken_text

_log = logging.getLogger(__name__)
_BLOCK_SAMPLES = 2048
_PAUSE_MS = {"sentence": 180, "clause": 60}
"""Silence behind a unit: the voice's own is trimmed, and people breathe."""

Status = Literal["completed", "cancelled", "incomplete", "failed"]


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """How replies are made; `speak` False makes text alone."""

    voice: str
    speed: float
    temperature: float
    top_p: float
    max_tokens: int
    instructions: str = ""
    speak: bool = True


class Reply:
    """A reply while it is made. Nothing is emitted after ReplyDone."""

    def __init__(
        self,
        core: InferenceCore,
        memory: Memory,
        emit: Callable[[CoreEvent], None],
        options: ReplyOptions,
        response_id: str,
        item_id: str,
        turn: int,
    ) -> None:
        self.response_id = response_id
        self.item_id = item_id
        self.turn = turn
        self._core = core
        self._memory = memory
        self._send = emit
        self._options = options
        self._stop = Stop()
        self._item = Item(item_id, "assistant")
        memory.add(self._item)  # at once: a client may truncate a reply of which there is no word yet
        self._limit = ReplyLimit(options.max_tokens)
        self._done = False

    def cancel(self) -> None:
        """End it now; the client hears so at once, whatever the models still do."""
        self._stop.stop()
        self._finish("cancelled", "client_cancelled")

    def refuse(self, reason: str) -> None:
        """End it before it began."""
        self._finish("failed", reason)

    async def make(self) -> None:
        """Make the reply, from the conversation as it is now, to its end."""
        if self._stop.stopped:
            return
        try:
            parts = await self._core.parts()
            asked = [item for item in self._memory.items if item is not self._item]
            if not any(item.remembered for item in asked):
                self._finish("cancelled", "no_words")
                return
            if asked[-1].role == "user" and not asked[-1].remembered:
                self._memory.remove(asked[-1].item_id)
                self._finish("cancelled", "no_words")
                return
            await self._run(parts, self._prompt(parts))
        except EngineError as error:
            self._finish("failed", one_line(error))
        except Exception as error:  # noqa: BLE001 - whatever a native library raises ends this reply, not the core
            _log.exception("reply")
            self._finish("failed", one_line(error))

    def _prompt(self, parts: Parts) -> list[Message]:
        opening = list(parts.prompt.messages())
        if self._options.instructions:
            opening = [Message("system", self._options.instructions), *opening[1:]]
        return self._memory.messages(opening, parts.engine.context_tokens, self._limit.hard_tokens)

    async def _run(self, parts: Parts, messages: list[Message]) -> None:
        loop = asyncio.get_running_loop()
        # Bounded by the hard limit of tokens, and each unit is at least one token.
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        units: asyncio.Queue[str | None] = asyncio.Queue()

        def on_text(piece: str) -> bool:
            if self._stop.stopped or not self._limit.takes(piece):
                return False
            loop.call_soon_threadsafe(pieces.put_nowait, piece)
            return True

        def generate() -> Generation:
            most = min(self._limit.hard_tokens, parts.engine.context_tokens // 2)
            sampling = Sampling(self._options.temperature, self._options.top_p, most)
            try:
                return parts.engine.generate(messages, sampling, on_text)
            finally:
                loop.call_soon_threadsafe(pieces.put_nowait, None)

        generation = loop.run_in_executor(self._core.engine_pool, generate)
        speech = asyncio.ensure_future(self._speak(parts, units))
        splitter = SentenceSplitter()
        try:
            while (piece := await pieces.get()) is not None:
                if not self._item.text:
                    piece = piece.lstrip()
                    if not piece:
                        continue
                self._item.text += piece
                self._emit(ReplyDelta(self.response_id, self.item_id, piece))
                for unit in splitter.feed(piece):
                    units.put_nowait(unit)
            for unit in splitter.finish():
                units.put_nowait(unit)
            units.put_nowait(None)
            ended = await generation
            await speech
        except BaseException:
            self._stop.stop()
            speech.cancel()
            await asyncio.gather(speech, return_exceptions=True)
            raise
        cached = ended.usage.cached_tokens
        usage = Usage(ended.usage.input_tokens, max(ended.usage.output_tokens, self._limit.tokens), cached)
        if ended.finish == "length":
            self._finish("incomplete", "max_output_tokens", usage)
        else:
            self._finish("completed", "", usage)

    async def _speak(self, parts: Parts, units: asyncio.Queue[str | None]) -> None:
        loop = asyncio.get_running_loop()
        voice = self._options.voice
        if self._options.speak and voice not in parts.voice.voices:
            voice = parts.voice.voices[0]
            self._emit(CoreNotice(f"there is no voice {self._options.voice!r} here; {voice} speaks instead"))
        while (unit := await units.get()) is not None:
            if self._stop.stopped:
                return
            self._emit(ReplyUnit(self.response_id, self.item_id, unit))
            spoken = spoken_text(unit) if self._options.speak else ""
            samples: NDArray[np.float32] = np.zeros(0, np.float32)
            if spoken:
                try:
                    samples = await loop.run_in_executor(
                        self._core.voice_pool,
                        parts.voice.synthesise,
                        spoken,
                        voice,
                        self._options.speed,
                        self._stop,
                    )
                except Cancelled:
                    return
                except SpeechError as error:
                    self._emit(CoreNotice(one_line(error)))
            if len(samples):
                pause_ms = _PAUSE_MS["sentence" if re.search(r"[.!?。！？…]\W*$", spoken) else "clause"]
                samples = np.append(samples, np.zeros(pause_ms * SAMPLE_RATE_HZ // 1000, np.float32))
            self._item.spoken.append((unit, len(samples)))
            pcm16 = (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
            for start in range(0, len(pcm16), 2 * _BLOCK_SAMPLES):
                self._emit(ReplyAudio(self.response_id, self.item_id, pcm16[start : start + 2 * _BLOCK_SAMPLES]))

    def _emit(self, event: CoreEvent) -> None:
        if not self._done:
            self._send(event)

    def _finish(self, status: Status, reason: str = "", usage: Usage | None = None) -> None:
        used = usage or Usage(output_tokens=self._limit.tokens)
        text = self._item.text.strip()
        self._emit(ReplyDone(self.response_id, self.item_id, self.turn, status, text, reason, used))
        self._done = True
