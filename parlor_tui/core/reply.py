"""One reply: tokens -> units -> speech, overlapping, and cancelled at any moment."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from parlor_tui.core.inference import InferenceCore, one_line
from parlor_tui.core.limits import ReplyLimit
from parlor_tui.core.memory import Item, Memory, RollsOver, Spoken, Tokens
from parlor_tui.core.profiles import Parts
from parlor_tui.core.reply_voice import ReplyOptions, ReplyVoice
from parlor_tui.core.spare_memory import LOOK_EVERY_S, has_spare_memory
from parlor_tui.counts import Count, count
from parlor_tui.engines.base import ContextFull, EngineError, Generation, Message, Sampling
from parlor_tui.events import (
    CoreEvent,
    CoreNotice,
    InputTaken,
    ReplyAudio,
    ReplyDelta,
    ReplyDone,
    ReplyUnit,
    ReplyWords,
    Usage,
    now_s,
)
from parlor_tui.pcm import pcm16_of
from parlor_tui.settings import Tuning
from parlor_tui.speech.base import SAMPLE_RATE_HZ, Cancelled, Stop
from parlor_tui.speech.sentences import SentenceSplitter
from parlor_tui.speech.word_times import words

_log = logging.getLogger(__name__)
_BLOCK_SAMPLES = 2048
_TIMED_TOKENS = 100
"""An inference is timed up to here: one that writes more takes long because long replies were asked for."""
_S_PER_CHARACTER = 0.065
"""How long speech is: people say some fifteen characters in a second."""
Status = Literal["completed", "cancelled", "incomplete", "failed"]


class Preparation(Protocol):
    """What a reply waits for: the turn's words and pictures."""

    @property
    def language(self) -> str:
        """The language that the user was last heard in, "" if unknown."""

    async def words(self) -> None:
        """Return once every caption is there."""

    async def pictures(self) -> None:
        """Return once it is decided which pictures of the turn the model is shown."""


class _NoWords(Exception):  # noqa: N818 - nothing went wrong
    """What seemed to be speech held no words."""


def hears_itself(parts: Parts, tuning: Tuning) -> bool:
    """Whether the model takes the user's sound itself, rather than its caption."""
    return parts.engine.abilities.hears and tuning.hearing.mode == "native"


def sampling(tuning: Tuning, max_tokens: int) -> Sampling:
    """How the next token is drawn, by the settings."""
    answering = tuning.answering
    return Sampling(
        answering.temperature,
        answering.top_p,
        max_tokens,
        answering.top_k,
        answering.seed,
        tuning.seeing.image_tokens,
    )


def _offer(queue: asyncio.Queue[str | None], text: str) -> None:
    """Put `text` into `queue`, in which the last place is that of the end."""
    if queue.qsize() < queue.maxsize - 1:
        queue.put_nowait(text)
    else:
        count(Count.REPLY_PIECES_LOST)


def _end(queue: asyncio.Queue[str | None]) -> None:
    queue.put_nowait(None)


class Reply:
    """A reply while it is made. After ReplyDone nothing more of it is emitted but what the model took in.

    One that is `unheard` at first works on a branch of the talk's memory, and makes no more speech than the first unit
    before `release`.
    """

    def __init__(
        self,
        core: InferenceCore,
        memory: Memory,
        emit: Callable[[CoreEvent], None],
        options: ReplyOptions,
        preparation: Preparation,
        response_id: str,
        item_id: str,
        turn: int,
        *,
        unheard: bool = False,
    ) -> None:
        self.response_id = response_id
        self.item_id = item_id
        self.turn = turn
        self._core = core
        self._memory = memory
        self._send = emit
        self._options = options
        self._preparation = preparation
        self._stop = Stop()
        self._item = Item(item_id, "assistant")
        memory.add(self._item)  # at once: a client may truncate a reply of which there is no word yet
        self._limit = ReplyLimit(options.tuning.answering.max_tokens)
        self._written_s: tuple[float, float] | None = None
        self._unit_samples = 0
        self._done = False
        self._cancelled: Callable[[], None] | None = None
        self._worthless = False
        self._told: tuple[object, ...] | None = None
        self._is_heard = not unheard
        self._released = asyncio.Event()
        self._released_s = now_s()
        if not unheard:
            self._released.set()
        self._tokens: Tokens = lambda _message: 0

    @property
    def options(self) -> ReplyOptions:
        """How it is made."""
        return self._options

    @property
    def done(self) -> bool:
        """Nothing more comes of it."""
        return self._done

    def answers(self, memory: Memory) -> bool:
        """Whether it is still a reply to the talk as it is in `memory`, and worth hearing."""
        return not self._worthless and not self._stop.stopped and self._told in (None, memory.told())

    def release(self, memory: Memory) -> None:
        """It was asked for: it belongs to `memory` from now on, and is spoken to its end."""
        self._memory = memory
        memory.add(self._item)
        self._is_heard = True
        self._released_s = now_s()
        self._released.set()
        if self._done:
            self._over()

    def cancel(self) -> None:
        """End it now; the client hears so at once, whatever the models still do."""
        self._stop.stop()
        self._item.ended_early = True
        self._finish("cancelled", "client_cancelled")
        self._released.set()
        if self._cancelled is not None:
            self._cancelled()

    def when_cancelled(self, then: Callable[[], None]) -> None:
        """Call `then` once it is cancelled; at once if it was."""
        self._cancelled = then
        if self._stop.stopped:
            then()

    def refuse(self, reason: str, code: str) -> None:
        """End it before it began; `code` tells programs why."""
        self._finish("failed", reason, code=code)

    async def make(self) -> None:
        """Make the reply, from the conversation as it is now, to its end."""
        if self._stop.stopped:
            return
        try:
            parts = await self._core.parts()
            self._tokens = parts.engine.tokens
            native = hears_itself(parts, self._options.tuning) and self._asked_by_ear()
            if not native:
                await self._preparation.words()
            if self._stop.stopped:
                return
            await self._preparation.pictures()
            if self._stop.stopped:
                return
            if not native and self._nothing_said():
                self._finish("cancelled", "no_words")
                return
            try:
                await self._run(parts, await self._prompt_when_possible(parts, native))
            except ContextFull:
                await self._released.wait()
                await self._preparation.words()  # sound takes more room than its caption
                await self._run(parts, self._prompt(parts, native=False, tight=True))
        except _NoWords:
            self._stop.stop()
            self._finish("cancelled", "no_words")
        except EngineError as error:
            await self._fail(error)
        except Exception as error:  # noqa: BLE001 - whatever a native library raises ends this reply, not the core
            _log.exception("reply")
            await self._fail(error)

    async def _fail(self, error: Exception) -> None:
        """Tell why there is no answer.

        For want of memory this process ends at the next look, and another one is asked: unless there is some again.
        """
        if not has_spare_memory():
            await asyncio.sleep(2 * LOOK_EVERY_S)
        self._finish("failed", one_line(error))

    async def _prompt_when_possible(self, parts: Parts, native: bool) -> list[Message]:
        try:
            return self._prompt(parts, native)
        except RollsOver:
            await self._released.wait()  # which the talk itself may do, but no branch of it
            return self._prompt(parts, native)

    def _asked_by_ear(self) -> bool:
        """Whether the words of the turn need not be waited for: the model takes its sound, or it was typed."""
        asked = self._memory.before(self.item_id)
        return not asked or asked[-1].audio_wav is not None or bool(asked[-1].text)

    def _nothing_said(self) -> bool:
        """Whether there is nothing to answer; a last item without words is forgotten, but not what was asked before."""
        asked = self._memory.before(self.item_id)
        last = asked[-1] if asked else None
        if last is not None and last.role == "user" and not last.remembered and not last.shown:
            self._memory.remove(last.item_id)
            asked = asked[:-1]
            return not asked or asked[-1].role != "user" or not asked[-1].counts
        return not any(item.counts for item in asked)

    def _prompt(self, parts: Parts, native: bool, *, tight: bool = False) -> list[Message]:
        opening = list(parts.opening(self._options.tuning.answering.preset, self._options.instructions))
        if not native:
            self._memory.forget_sounds()
        self._told = self._memory.told(self.item_id)
        context_tokens = self._options.caps.context_tokens(parts.engine.context_tokens)
        most = self._limit.hard_tokens
        return self._memory.prompt(opening, context_tokens, most, parts.engine.tokens, before=self.item_id, tight=tight)

    async def _run(self, parts: Parts, messages: list[Message]) -> None:
        loop = asyncio.get_running_loop()
        # A piece and a unit are a token at least each, and behind them comes the end. Neither waits: the text is
        # told as it is written, however far behind the voice is.
        most_pieces = self._limit.hard_tokens + 2
        pieces: asyncio.Queue[str | None] = asyncio.Queue(most_pieces)
        units: asyncio.Queue[str | None] = asyncio.Queue(most_pieces)
        enough = False
        timed_until_s: float | None = None

        def on_text(piece: str) -> bool:
            nonlocal enough, timed_until_s
            at_s = now_s()
            self._written_s = (self._written_s[0] if self._written_s else at_s, at_s)
            taken, more = self._limit.take(piece)
            if self._limit.tokens == _TIMED_TOKENS:
                timed_until_s = at_s
            if taken:
                loop.call_soon_threadsafe(_offer, pieces, taken)
            enough = not more
            return more

        def on_taken(kind: Literal["sound", "picture"], took_ms: float, at_s: float) -> None:
            told = InputTaken(self.turn, kind, took_ms, max(0.0, now_s() - at_s) * 1000)
            with contextlib.suppress(RuntimeError):  # the core is being closed
                loop.call_soon_threadsafe(self._send, told)

        def generate() -> Generation:
            began_s = now_s()
            most = min(self._limit.hard_tokens, parts.engine.context_tokens // 2)
            try:
                return parts.engine.generate(
                    messages,
                    sampling(self._options.tuning, most),
                    on_text,
                    lambda: self._stop.stopped,
                    reply_key=self._item.key,
                    on_taken=on_taken,
                )
            finally:
                told = partial(self._core.inferred, whole=not self._stop.stopped)
                loop.call_soon_threadsafe(told, (timed_until_s or now_s()) - began_s)
                loop.call_soon_threadsafe(_end, pieces)

        generation = loop.run_in_executor(self._core.engine_pool, generate)
        speech = asyncio.ensure_future(self._speak(parts, units))
        try:
            await self._write(pieces, units)
            ended = await generation
            self._item.ended_early = self._item.ended_early or enough
            await speech
        except BaseException as error:
            if not isinstance(error, ContextFull):
                self._stop.stop()
            speech.cancel()
            await asyncio.gather(speech, generation, return_exceptions=True)
            raise
        cached = ended.usage.cached_tokens
        usage = Usage(ended.usage.input_tokens, max(ended.usage.output_tokens, self._limit.tokens), cached)
        if ended.finish == "length":
            self._finish("incomplete", "max_output_tokens", usage)
        else:
            self._finish("completed", "", usage)

    async def _write(self, pieces: asyncio.Queue[str | None], units: asyncio.Queue[str | None]) -> None:
        """Take the text as it comes, tell it, and hand it to the voice unit by unit."""
        splitter = SentenceSplitter()
        while (piece := await pieces.get()) is not None and not self._stop.stopped:
            if not self._item.text:
                piece = piece.lstrip()
                if not piece:
                    continue
                # A model that hears has not waited for the captions; before it is heard itself, they tell whether there
                # were any words.
                await self._preparation.words()
                if self._stop.stopped:
                    break
                if self._nothing_said():
                    raise _NoWords
            self._item.text += piece
            self._emit(ReplyDelta(self.response_id, self.item_id, piece))
            for unit in splitter.feed(piece):
                _offer(units, unit)
        for unit in splitter.finish():
            _offer(units, unit)
        _end(units)

    async def _speak(self, parts: Parts, units: asyncio.Queue[str | None]) -> None:
        voice = ReplyVoice(self._core, parts, self._options, self._stop, lambda notice: self._emit(CoreNotice(notice)))
        rest = ""
        while (unit := rest or await units.get()) is not None:
            if any(spoken.samples for spoken in self._item.spoken):
                await self._released.wait()  # one unit is enough to begin with
            if self._is_heard:
                voice.heard_from(self._released_s)
            if self._stop.stopped:
                return
            unit, rest = voice.next_part(unit)
            self._emit(ReplyUnit(self.response_id, self.item_id, unit))
            began_samples = sum(spoken.samples for spoken in self._item.spoken)
            self._item.spoken.append(Spoken(unit, 0))
            self._unit_samples = 0
            try:
                said = await voice.say(unit, self._preparation.language, self._tell_speech)
            except Cancelled:
                return
            self._item.spoken[-1] = Spoken(unit, len(said.samples))
            if ends := await voice.word_ends(unit, said):
                self._item.spoken[-1] = Spoken(unit, len(said.samples), ends)
                self._emit(self._words(unit, began_samples, ends))

    def _tell_speech(self, samples: NDArray[np.float32]) -> None:
        """A piece of the unit that is being spoken. How long that will be in all is a guess until it is there."""
        unit = self._item.spoken[-1].text
        self._unit_samples += len(samples)
        guess = round(len(unit) * _S_PER_CHARACTER * SAMPLE_RATE_HZ)
        self._item.spoken[-1] = Spoken(unit, max(guess, self._unit_samples))
        pcm16 = pcm16_of(samples)
        for start in range(0, len(pcm16), 2 * _BLOCK_SAMPLES):
            self._emit(ReplyAudio(self.response_id, self.item_id, pcm16[start : start + 2 * _BLOCK_SAMPLES]))

    def _words(self, unit: str, began_samples: int, ends: tuple[int, ...]) -> ReplyWords:
        places = [last for _, last in words(unit)]
        ends_ms = [round((began_samples + end) * 1000 / SAMPLE_RATE_HZ, 1) for end in ends]
        return ReplyWords(self.response_id, self.item_id, unit, tuple(zip(places, ends_ms, strict=True)))

    def _emit(self, event: CoreEvent) -> None:
        if not self._done:
            self._send(event)

    def _finish(self, status: Status, reason: str = "", usage: Usage | None = None, code: str = "") -> None:
        first_s, last_s = self._written_s or (0.0, 0.0)
        used = replace(usage or Usage(output_tokens=self._limit.tokens), writing_ms=round((last_s - first_s) * 1000, 1))
        text = self._item.text.strip()
        self._worthless = status == "failed" or reason == "no_words"
        self._emit(ReplyDone(self.response_id, self.item_id, self.turn, status, text, reason, used, code))
        self._done = True
        if self._is_heard:
            self._over()

    def _over(self) -> None:
        if self._worthless:
            self._nothing_said()
        self._memory.answered(self.item_id, self._tokens)
