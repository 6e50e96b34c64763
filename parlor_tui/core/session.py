"""One client's conversation: its audio, its memory and the reply that is being made.

Everything here runs in the event loop; the models run in the core's pools. What happens is told through `emit`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import SAMPLE_RATE_HZ as CAPTION_RATE_HZ
from parlor_tui.core.inference import Busy, InferenceCore, one_line
from parlor_tui.core.input_audio import InputAudio, TooLong, spoken_wav
from parlor_tui.core.memory import Item, Memory
from parlor_tui.core.profiles import Parts
from parlor_tui.core.reply import Reply, ReplyOptions, hears_itself
from parlor_tui.core.seeing import Seeing
from parlor_tui.events import (
    CaptionFinal,
    CaptionPartial,
    CoreError,
    CoreEvent,
    InputCleared,
    InputCommitted,
    ItemAdded,
    ItemDeleted,
    ItemTruncated,
    ReplyCreated,
    Role,
    SessionUpdated,
)
from parlor_tui.settings import Tuning
from parlor_tui.sight.frames import PictureError, check_picture
from parlor_tui.speech.base import SAMPLE_RATE_HZ as SPEECH_RATE_HZ

Emit = Callable[[CoreEvent], None]

_log = logging.getLogger(__name__)
_PARTIAL_EVERY_MS = 400
"""New audio that makes another partial caption worth its 60-100 ms of work."""
_SHORTEST_COMMIT_MS = 100
"""Audio shorter than this poisons what follows in models that hear (measured by others on Gemma 4)."""
_UNWRITTEN = "(words that could not be written down)"
"""The caption of speech that only a model that hears could take in."""


def new_id(prefix: str) -> str:
    """A fresh id such as `item_5f3c...`."""
    return f"{prefix}_{secrets.token_hex(8)}"


class Session:
    """A conversation. Its methods raise nothing: what is wrong with a request is told as a CoreError.

    Each method takes `event_id`, the client's own id of its request, which an error names again.
    """

    def __init__(self, core: InferenceCore, emit: Emit, tuning: Tuning) -> None:
        self.session_id = new_id("sess")
        self.tuning = tuning
        self.instructions = ""
        self.speak = True
        self._core = core
        self._emit = emit
        self._memory = Memory()
        self._audio = InputAudio()
        self._pending_item_id = new_id("item")
        self._partial: asyncio.Task[None] | None = None
        self._captions: dict[str, asyncio.Task[None]] = {}
        self._reply: Reply | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.language = ""
        self._seeing = Seeing(core, self._memory, emit)

    # --- requests -----------------------------------------------------------------------------------------------------

    def update(
        self,
        *,
        input_rate_hz: int | None = None,
        instructions: str | None = None,
        speak: bool | None = None,
        tuning: Mapping[str, Any] | None = None,
        event_id: str | None = None,
    ) -> None:
        """Take new settings, `tuning` by their `section.key`, from the next reply on. None leaves a value as it is."""
        if input_rate_hz is not None and input_rate_hz != self._audio.rate_hz:
            if self._audio.samples_count:
                self.refuse("invalid_value", "the audio format cannot change while audio is waiting", event_id)
                return
            self._audio = InputAudio(input_rate_hz)
        self.tuning = self.tuning.with_values(tuning or {}, "session")
        self.instructions = self.instructions if instructions is None else instructions
        self.speak = self.speak if speak is None else speak
        self._emit(SessionUpdated())

    @property
    def input_rate_hz(self) -> int:
        """Rate of the audio that the client sends."""
        return self._audio.rate_hz

    def append(self, pcm16: bytes, event_id: str | None = None) -> None:
        """Take the next piece of the user's speech: 16-bit little-endian mono PCM at the session's input rate."""
        try:
            self._audio.append(pcm16)
        except TooLong as error:
            self.refuse("input_audio_buffer_full", str(error), event_id)
            return
        if self._partial is None and self._audio.new_ms >= _PARTIAL_EVERY_MS:
            self._partial = self._spawn(self._caption_partial(self._pending_item_id))

    def clear(self) -> None:
        """Throw away the audio that was sent since the last commit."""
        self._audio.clear()
        self._pending_item_id = new_id("item")
        self._emit(InputCleared())

    def commit(self, event_id: str | None = None) -> None:
        """Make the audio sent so far a message of the user's."""
        if not self._long_enough(self._audio, event_id):
            return
        samples, _ = self._audio.take()
        item_id = self._pending_item_id
        self._pending_item_id = new_id("item")
        self._emit(InputCommitted(item_id))
        self._add_spoken(Item(item_id, "user"), samples, None, event_id)

    def add_audio_item(
        self, pcm16: bytes, *, item_id: str | None = None, after: str | None = None, event_id: str | None = None
    ) -> None:
        """Add a spoken message as a whole: 16-bit little-endian mono PCM at the session's input rate."""
        audio = InputAudio(self._audio.rate_hz)
        try:
            audio.append(pcm16)
        except TooLong as error:
            self.refuse("invalid_value", str(error), event_id, "item.content")
            return
        if self._long_enough(audio, event_id):
            self._add_spoken(Item(item_id or new_id("item"), "user"), audio.take()[0], after, event_id)

    def add_item(
        self,
        role: Role,
        text: str,
        *,
        item_id: str | None = None,
        after: str | None = None,
        picture: bytes | None = None,
        frame: bool = False,
        event_id: str | None = None,
    ) -> None:
        """Add a written message, a picture, or (to restore a conversation) an earlier reply.

        `frame`: the picture is what the camera happens to see, and is shown to the model as the settings have it.
        """
        if picture is not None:
            try:
                check_picture(picture)
            except PictureError as error:
                self.refuse("invalid_value", str(error), event_id, "item.content")
                return
        item = Item(item_id or new_id("item"), role, text, picture)
        previous = self._memory.last_id() if after is None else after
        if not self._remember(item, after, event_id):
            return
        if picture is not None:
            self._spawn(self._seeing.take(item, self._view(), frame=frame, busy=self._reply is not None))
        self._emit(ItemAdded(item.item_id, role, text, done=False, previous_item_id=previous))
        self._emit(ItemAdded(item.item_id, role, text, done=True, previous_item_id=previous))

    def delete(self, item_id: str, event_id: str | None = None) -> None:
        """Forget an item."""
        try:
            self._memory.remove(item_id)
        except KeyError:
            self.refuse("item_delete_invalid_item_id", f"there is no item {item_id}", event_id, "item_id")
        else:
            self._seeing.forget(item_id)
            self._emit(ItemDeleted(item_id))

    def truncate(self, item_id: str, audio_end_ms: int, event_id: str | None = None) -> None:
        """Remember only what was heard of a reply."""
        try:
            heard = self._memory.truncate(item_id, audio_end_ms, SPEECH_RATE_HZ)
        except KeyError:
            self.refuse("item_not_found", f"there is no item {item_id}", event_id, "item_id")
        except ValueError as error:
            self.refuse("invalid_value", str(error), event_id, "item_id")
        else:
            self._emit(ItemTruncated(item_id, audio_end_ms, heard))

    def respond(self, turn: int, event_id: str | None = None, *, speak: bool | None = None) -> None:
        """Make a reply to what was said so far. `turn` comes back with it; `speak` False makes text alone."""
        if self._reply is not None:
            self.refuse(
                "conversation_already_has_active_response",
                f"the reply {self._reply.response_id} is still being made; cancel it first",
                event_id,
            )
            return
        options = self._view() if speak is None else replace(self._view(), speak=speak)
        reply = Reply(self._core, self._memory, self._emit, options, self, new_id("resp"), new_id("item"), turn)
        self._reply = reply
        self._emit(ReplyCreated(reply.response_id, reply.item_id, turn, options.speak))

        async def make() -> None:
            try:
                async with self._core.place():
                    await reply.make()
            except Busy as error:
                reply.refuse(str(error))
            finally:
                if self._reply is reply:
                    self._reply = None

        self._spawn(make())

    def cancel(self, response_id: str | None = None, event_id: str | None = None) -> None:
        """End the reply that is being made. What it had said is remembered until `truncate` says what was heard."""
        reply = self._reply
        if reply is None or response_id not in (None, reply.response_id):
            self.refuse("response_cancel_not_active", "no such reply is being made", event_id)
            return
        self._reply = None
        reply.cancel()
        self._seeing.give_up()

    def refuse(self, code: str, message: str, event_id: str | None, param: str | None = None) -> None:
        """Tell the client that a request of its cannot be carried out."""
        self._emit(CoreError(code, message, param, event_id))

    async def close(self) -> None:
        """Stop everything; the client is gone."""
        if self._reply is not None:
            self._reply.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- work ---------------------------------------------------------------------------------------------------------

    def _long_enough(self, audio: InputAudio, event_id: str | None) -> bool:
        if audio.duration_ms >= _SHORTEST_COMMIT_MS:
            return True
        self.refuse(
            "input_audio_buffer_commit_empty",
            f"there is too little audio to commit: {audio.duration_ms:.0f} ms, "
            f"at least {_SHORTEST_COMMIT_MS} ms are needed",
            event_id,
        )
        return False

    def _add_spoken(self, item: Item, samples: NDArray[np.float32], after: str | None, event_id: str | None) -> None:
        previous = self._memory.last_id() if after is None else after
        item.audio_wav = spoken_wav(samples)
        if not self._remember(item, after, event_id):
            return
        self._emit(ItemAdded(item.item_id, "user", "", done=False, previous_item_id=previous))

        async def caption() -> None:
            parts: Parts | None = None
            try:
                parts = await self._core.parts()
                if not hears_itself(parts, self.tuning):
                    item.audio_wav = None
                loop = asyncio.get_running_loop()
                found = await loop.run_in_executor(
                    self._core.caption_pool, parts.captioner.final, samples, self.language
                )
                item.text = found.text
                self.language = found.language or self.language
            except Exception as error:  # noqa: BLE001 - any failure of the recogniser is told, and the talk goes on
                _log.exception("captions")
                if parts is not None and hears_itself(parts, self.tuning):
                    item.text = _UNWRITTEN
                self.refuse("input_audio_transcription_failed", f"captions failed: {one_line(error)}", event_id)
            self._emit(CaptionFinal(item.item_id, item.text, len(samples) * 1000 / CAPTION_RATE_HZ))
            self._emit(ItemAdded(item.item_id, "user", item.text, done=True, previous_item_id=previous))
            self._captions.pop(item.item_id, None)

        self._captions[item.item_id] = self._spawn(caption())

    def _remember(self, item: Item, after: str | None, event_id: str | None) -> bool:
        if any(item.item_id == known.item_id for known in self._memory.items):
            self.refuse("item_already_exists", f"there is an item {item.item_id} already", event_id, "item.id")
            return False
        try:
            self._memory.add(item, after)
        except KeyError:
            self.refuse("item_not_found", f"there is no item {after}", event_id, "previous_item_id")
            return False
        return True

    async def _caption_partial(self, item_id: str) -> None:
        try:
            parts = await self._core.parts()
            samples = self._audio.peek()
            loop = asyncio.get_running_loop()
            text = await loop.run_in_executor(self._core.caption_pool, parts.captioner.partial, samples, self.language)
            if text and item_id == self._pending_item_id:
                self._emit(CaptionPartial(item_id, text))
                self._spawn(self._seeing.heard(text, self._view(), busy=self._reply is not None))
        except Exception:  # noqa: BLE001 - a partial caption is a courtesy: the final one tells what is wrong
            _log.exception("partial caption")
        finally:
            self._partial = None

    async def words(self) -> None:
        """See Preparation."""
        await asyncio.gather(*self._captions.values(), return_exceptions=True)

    async def pictures(self, reply_id: str) -> None:
        """See Preparation."""
        await self._seeing.settle(reply_id, self._view(), self.words)

    def _view(self) -> ReplyOptions:
        return ReplyOptions(self.tuning, self.instructions, self.speak)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
