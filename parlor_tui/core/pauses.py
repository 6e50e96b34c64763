"""The user's pauses in one conversation: each is judged, and a reply to what was said so far may be begun, unheard.

Runs in the event loop. A reply that turns out to be the right one is handed on by `use`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from parlor_tui.core.eager import Ahead, Gate
from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.input_audio import heard_wav
from parlor_tui.core.listening import Listening
from parlor_tui.core.memory import Item, Memory
from parlor_tui.core.reply import Preparation, Reply
from parlor_tui.core.reply_voice import ReplyOptions
from parlor_tui.core.tasks import Tasks, new_id
from parlor_tui.events import CaptionPartial, CoreEvent, ReplyCreated, ReplyReady, TurnJudged, now_s

_log = logging.getLogger(__name__)
LONGEST_PAUSE_S = 15.0
"""The settings allow a pause of ten seconds."""


class Pauses:
    """`options` are those of a reply begun now, `prepared` is what one to a pause waits for, `make` makes it."""

    def __init__(
        self,
        core: InferenceCore,
        memory: Memory,
        listening: Listening,
        tasks: Tasks,
        emit: Callable[[CoreEvent], None],
        options: Callable[[], ReplyOptions],
        prepared: Callable[[Ahead], Preparation],
        make: Callable[[Reply], Coroutine[Any, Any, None]],
    ) -> None:
        self._core = core
        self._memory = memory
        self._listening = listening
        self._tasks = tasks
        self._emit = emit
        self._options = options
        self._prepared = prepared
        self._make = make
        self.ahead: Ahead | None = None
        self._committed: Ahead | None = None
        self._forgetting: asyncio.Task[None] | None = None

    def paused(self, turn: int, pause: int, *, answer: bool, replying: bool) -> None:
        """The user fell silent, maybe for good: judge what was said so far, and if `answer` begin to reply, unheard.

        While a reply is being made (`replying`) none is begun.
        """
        ahead = self.ahead
        if ahead is None or ahead.pause != pause:
            self.resumed()
            samples = self._listening.audio.peek()
            native_s = self._options().tuning.hearing.native_s
            item = Item(self._listening.item_id, "user", audio_wav=heard_wav(samples, native_s))
            caption = self._listening.caption(item, samples)
            ahead = self.ahead = Ahead(turn, pause, item, samples, caption)
            if self._forgetting is not None:
                self._forgetting.cancel()
            self._forgetting = self._tasks.spawn(self._forget(ahead))
        may_begin = self._options().tuning.hearing.eager_ms > 0 and not replying and self._core.admission.has_place
        if answer and may_begin and ahead.reply is None:
            self._begin(ahead)
        self._tasks.spawn(self._judge(ahead, listen=answer))

    def resumed(self) -> None:
        """The user goes on: what was begun at the pause is worth nothing."""
        ahead, self.ahead = self.ahead, None
        if ahead is not None:
            ahead.caption.cancel()
            ahead.drop(self._emit)

    def commit(self) -> Ahead | None:
        """The turn is over: the pause at which it ended, if there was one."""
        self.drop_committed()
        self._committed, self.ahead = self.ahead, None
        return self._committed

    def use(self, turn: int) -> Reply | None:
        """Let the reply that was begun at the pause be heard, if there is one and it still answers the talk."""
        ahead = self._committed
        if ahead is None or ahead.reply is None or ahead.gate is None or not ahead.reply.answers(self._memory):
            return None
        if ahead.reply.options != self._options():  # the settings changed meanwhile
            return None
        self._committed = None
        reply = ahead.reply
        reply.turn = turn
        speak = reply.options.speak
        self._emit(ReplyCreated(reply.response_id, reply.item_id, turn, speak, round(ahead.ran_ms, 1)))
        reply.release(self._memory)
        ahead.gate.open()
        return reply

    def drop_committed(self) -> None:
        """What was begun at the end of the turn is not wanted."""
        ahead, self._committed = self._committed, None
        if ahead is not None:
            ahead.drop(self._emit)

    def close(self) -> None:
        """The client is gone."""
        self.resumed()
        self.drop_committed()
        self._core.unheard.discard(self._give_way)

    def _begin(self, ahead: Ahead) -> None:
        """Begin to reply on a branch of the talk, behind a gate."""
        branch = self._memory.branch()
        branch.add(ahead.item)
        options = self._options()
        ahead.gate = Gate(self._emit, lambda: self._emit(ReplyReady(ahead.turn, ahead.pause)), spoken=options.speak)
        ahead.began_s = now_s()
        ids = new_id("resp"), new_id("item")
        prepared = self._prepared(ahead)
        ahead.reply = Reply(self._core, branch, ahead.gate, options, prepared, *ids, ahead.turn, unheard=True)
        self._tasks.spawn(self._make(ahead.reply))
        self._core.unheard.add(self._give_way)

    def _give_way(self) -> None:
        """Somebody asks for a reply, and every place is taken: one that was not asked for makes room."""
        for ahead in (self.ahead, self._committed):
            if ahead is not None:
                ahead.drop(self._emit)

    async def _forget(self, ahead: Ahead) -> None:
        """Who falls silent and says no more of it keeps neither a place of the core's nor the sound for ever."""
        await asyncio.sleep(LONGEST_PAUSE_S)
        if self.ahead is ahead:
            self.resumed()

    async def _judge(self, ahead: Ahead, *, listen: bool) -> None:
        """Tell what is known of a pause: its words, and (`listen`) whether they sound like the end."""
        try:
            found = await asyncio.shield(ahead.caption)
            if found.text and self.ahead is ahead:
                self._emit(CaptionPartial(ahead.item.item_id, found.text))
            finished: float | None = None
            judge = (await self._core.parts()).end_of_turn
            if listen and judge is not None and found.text and self.ahead is ahead:
                loop = asyncio.get_running_loop()
                finished = await loop.run_in_executor(self._core.judge_pool, judge.finished, ahead.samples)
        except Exception:  # noqa: BLE001 - the edge of a task: without a judgement the silence alone ends the turn
            _log.exception("end of turn")
            return
        if self.ahead is ahead:
            language = found.language or self._listening.language
            self._emit(TurnJudged(ahead.turn, ahead.pause, found.text, language, finished, ahead.answering))
