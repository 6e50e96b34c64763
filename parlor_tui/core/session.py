"""One client's conversation: its audio, its memory and the reply that is being made.

Everything here runs in the event loop; the models run in the core's pools. What happens is told through `emit`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import FinalCaption
from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.input_audio import InputAudio, TooLong, heard_wav
from parlor_tui.core.input_timeout import LONGEST_WAIT_S, InputTimeout
from parlor_tui.core.items import Items
from parlor_tui.core.listening import Listening
from parlor_tui.core.memory import Item, Memory
from parlor_tui.core.pauses import Pauses
from parlor_tui.core.replies import Replies
from parlor_tui.core.reply import hears_itself
from parlor_tui.core.reply_voice import ReplyOptions
from parlor_tui.core.seeing import Seeing
from parlor_tui.core.tasks import Tasks, new_id
from parlor_tui.core.turn_preparation import TurnPreparation
from parlor_tui.counts import Count, count
from parlor_tui.events import (
    CaptionPartial,
    CoreError,
    CoreEvent,
    InputCleared,
    InputCommitted,
    Role,
    SessionUpdated,
)
from parlor_tui.settings import Tuning
from parlor_tui.sight.frames import PictureError, check_picture

Emit = Callable[[CoreEvent], None]

_SHORTEST_COMMIT_MS = 100
"""Audio shorter than this poisons what follows in models that hear (measured by others on Gemma 4)."""


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
        self._tasks = Tasks()
        self.listening = Listening(
            core,
            self._tasks,
            lambda parts: hears_itself(parts, self.tuning),
            self._heard_partly,
            lambda why: self.refuse("input_audio_transcription_failed", why, None),
        )
        self._items = Items(self._memory, self.listening, emit, self.refuse)
        self._replies = Replies(core, self.session_id, self._memory, self._tasks, emit, self.refuse)
        self._seeing = Seeing(core, self._memory, emit)
        self.pauses = Pauses(
            core,
            self._memory,
            self.listening,
            self._tasks,
            emit,
            self._view,
            lambda ahead: self._prepared(lambda: ahead.item.text, ahead.caption),
            self._replies.make,
        )
        self._timeout = InputTimeout(
            self._tasks,
            lambda: self.listening.audio.samples_count > 0,
            lambda: core.loaded is None or self._tasks.are_many or self.pauses.ahead is not None,
            self._drop_unfinished,
        )

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
        if input_rate_hz is not None and input_rate_hz != self.input_rate_hz:
            if self.listening.audio.samples_count:
                self.refuse("invalid_value", "the audio format cannot change while audio is waiting", event_id)
                return
            self.listening.audio = InputAudio(input_rate_hz)
        self.tuning = self.tuning.with_values(tuning or {}, "session")
        self.instructions = self.instructions if instructions is None else instructions
        self.speak = self.speak if speak is None else speak
        self._emit(SessionUpdated())

    @property
    def input_rate_hz(self) -> int:
        """Rate of the audio that the client sends."""
        return self.listening.audio.rate_hz

    def append(self, pcm16: bytes, event_id: str | None = None) -> None:
        """Take the next piece of the user's speech: 16-bit little-endian mono PCM at the session's input rate."""
        try:
            self.listening.append(pcm16, pausing=self.pauses.ahead is not None)
            self._timeout.came()
        except TooLong as error:
            count(Count.AUDIO_REFUSED)
            self.refuse("input_audio_buffer_full", str(error), event_id)

    def clear(self) -> None:
        """Throw away the audio that was sent since the last commit."""
        self.resumed()
        self.listening.clear()
        self._emit(InputCleared())

    def paused(self, turn: int, pause: int, *, answer: bool) -> None:
        """The user fell silent, maybe for good: judge what was said so far, and if `answer` begin to reply, unheard."""
        self._timeout.came()
        if self._tasks.are_many:
            return  # the silence alone ends the turn
        self.pauses.paused(turn, pause, answer=answer, replying=self._replies.is_making)

    def resumed(self) -> None:
        """The user goes on: what was begun at the pause is worth nothing."""
        self._timeout.came()
        self.pauses.resumed()

    def commit(self, event_id: str | None = None) -> None:
        """Make the audio sent so far a message of the user's; at a pause that lasts, what there was of it then."""
        if not self._long_enough(self.listening.audio, event_id) or self._is_behind(event_id):
            return
        item_id, samples = self.listening.take()
        self._emit(InputCommitted(item_id))
        ahead = self.pauses.commit()
        if ahead is None:
            self._items.add_spoken(*self._captioned(item_id, samples), len(samples), None, event_id)
        else:
            self._items.add_spoken(ahead.item, ahead.caption, len(ahead.samples), None, event_id)

    def add_audio_item(
        self, pcm16: bytes, *, item_id: str | None = None, after: str | None = None, event_id: str | None = None
    ) -> None:
        """Add a spoken message as a whole: 16-bit little-endian mono PCM at the session's input rate."""
        audio = InputAudio(self.input_rate_hz)
        try:
            audio.append(pcm16)
        except TooLong as error:
            self.refuse("invalid_value", str(error), event_id, "item.content")
            return
        if self._long_enough(audio, event_id) and not self._is_behind(event_id):
            samples = audio.take()[0]
            captioned = self._captioned(item_id or new_id("item"), samples)
            self._items.add_spoken(*captioned, len(samples), after, event_id)

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
            if self._is_behind(event_id):
                return
            try:
                check_picture(picture)
            except PictureError as error:
                self.refuse("invalid_value", str(error), event_id, "item.content")
                return
        item = Item(item_id or new_id("item"), role, text, picture)
        if self._items.add(item, after, event_id) and picture is not None:
            self._tasks.spawn(self._seeing.take(item, self._view(), frame=frame, busy=self._replies.is_making))

    def delete(self, item_id: str, event_id: str | None = None) -> None:
        """Forget an item."""
        if self._items.delete(item_id, event_id):
            self._seeing.forget(item_id)

    def truncate(self, item_id: str, audio_end_ms: int, event_id: str | None = None) -> None:
        """Remember only what was heard of a reply."""
        self._items.truncate(item_id, audio_end_ms, event_id)

    def respond(self, turn: int, event_id: str | None = None, *, speak: bool | None = None) -> None:
        """Make a reply to what was said so far. `turn` comes back with it; `speak` False makes text alone."""
        if self._replies.refuses_another(event_id):
            return
        options = self._view() if speak is None else replace(self._view(), speak=speak)
        self._seeing.turn_over()
        if speak in (None, self.speak) and (begun := self.pauses.use(turn)) is not None:
            self._replies.go_on_with(begun)
            return
        self.pauses.drop_committed()
        self._replies.begin(turn, options, lambda item_id: self._prepared(lambda: self._memory.turn_words(item_id)))

    def cancel(self, response_id: str | None = None, event_id: str | None = None) -> None:
        """End the reply that is being made. What it had said is remembered until `truncate` says what was heard."""
        if self._replies.cancel(response_id, event_id):
            self._seeing.give_up()

    def say_aloud(self, number: int, text: str, voice: str, event_id: str | None = None) -> None:
        """Say a text that is no part of the conversation. It ends the one before."""
        self._replies.say_aloud(number, text, self._view(), voice, event_id)

    def stop_saying(self) -> None:
        """No more of the text that is said aloud, if there is one."""
        self._replies.stop_saying()

    def refuse(self, code: str, message: str, event_id: str | None, param: str | None = None) -> None:
        """Tell the client that a request of its cannot be carried out."""
        self._emit(CoreError(code, message, param, event_id))

    async def close(self) -> None:
        """Stop everything; the client is gone."""
        self._replies.close()
        self.pauses.close()
        await self._tasks.close()

    # --- work ---------------------------------------------------------------------------------------------------------

    def _drop_unfinished(self) -> None:
        """Audio was sent, and nothing more was heard of it: the client has forgotten it, and it is no turn."""
        count(Count.INPUT_TIMEOUTS)
        self.refuse(
            "input_timeout",
            f"{self.listening.audio.duration_ms:.0f} ms of audio were dropped: nothing followed for "
            f"{LONGEST_WAIT_S:g} s; go on sending, commit or clear it in time",
            None,
        )
        self.clear()

    def _is_behind(self, event_id: str | None) -> bool:
        """Whether so much waits to be read, looked at or written down that no more is taken; which is told."""
        if self._tasks.are_many:
            count(Count.SERVER_BUSY)
            self.refuse("server_busy", "much of what was sent before still waits; try again in a moment", event_id)
        return self._tasks.are_many

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

    def _captioned(self, item_id: str, samples: NDArray[np.float32]) -> tuple[Item, asyncio.Task[FinalCaption]]:
        item = Item(item_id, "user", audio_wav=heard_wav(samples, self.tuning.hearing.native_s))
        return item, self.listening.caption(item, samples)

    def _heard_partly(self, item_id: str, text: str) -> None:
        self._emit(CaptionPartial(item_id, text))
        self._tasks.spawn(self._seeing.heard(text, self._view(), busy=self._replies.is_making))

    def _prepared(self, said: Callable[[], str], caption: asyncio.Task[FinalCaption] | None = None) -> TurnPreparation:
        return TurnPreparation(self.listening, self._settle_pictures, said, caption)

    async def _settle_pictures(self, said: Callable[[], str], words: Callable[[], Awaitable[None]]) -> None:
        await self._seeing.settle(self._view(), said, words)

    def _view(self) -> ReplyOptions:
        caps = self._core.caps
        return ReplyOptions(caps.tuning(self.tuning), self.instructions, self.speak, caps)
