"""The reply of one conversation that is being made, one at a time; and what is said aloud besides."""

from __future__ import annotations

from collections.abc import Callable

from parlor_tui.core.admission import Busy
from parlor_tui.core.aloud import LONGEST_CHARS, Aloud
from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.items import Refuse
from parlor_tui.core.memory import Memory
from parlor_tui.core.reply import Preparation, Reply
from parlor_tui.core.reply_voice import ReplyOptions
from parlor_tui.core.tasks import Tasks, new_id
from parlor_tui.events import CoreEvent, ReplyCreated


class Replies:
    """Replies of `core` to what is in `memory`, for the client `client` (its name in the line for a place)."""

    def __init__(
        self,
        core: InferenceCore,
        client: str,
        memory: Memory,
        tasks: Tasks,
        emit: Callable[[CoreEvent], None],
        refuse: Refuse,
    ) -> None:
        self._core = core
        self._client = client
        self._memory = memory
        self._tasks = tasks
        self._emit = emit
        self._refuse = refuse
        self._reply: Reply | None = None
        self._aloud: Aloud | None = None

    @property
    def is_making(self) -> bool:
        """Whether a reply that was asked for is being made."""
        return self._reply is not None

    def refuses_another(self, event_id: str | None) -> bool:
        """Whether one is being made already; if so the request is refused."""
        if self._reply is None:
            return False
        self._refuse(
            "conversation_already_has_active_response",
            f"the reply {self._reply.response_id} is still being made; cancel it first",
            event_id,
        )
        return True

    def go_on_with(self, begun: Reply) -> None:
        """One that was begun at a pause, unheard, is the reply."""
        self._reply = None if begun.done else begun

    def begin(self, turn: int, options: ReplyOptions, prepared: Callable[[str], Preparation]) -> None:
        """Make a reply to the talk so far; `prepared` gets the id of its item. `turn` comes back with it."""
        item_id = new_id("item")
        preparation = prepared(item_id)
        reply = Reply(self._core, self._memory, self._emit, options, preparation, new_id("resp"), item_id, turn)
        self._reply = reply
        self._emit(ReplyCreated(reply.response_id, reply.item_id, turn, options.speak))
        self._tasks.spawn(self.make(reply))

    async def make(self, reply: Reply) -> None:
        """Wait for a place, and make it."""
        try:
            with self._core.ask_for_place(self._client) as place:
                reply.when_cancelled(place.give_up)
                if await self._core.granted(place):
                    await reply.make()
        except Busy as error:
            reply.refuse(str(error), "server_busy")
        finally:
            if self._reply is reply:
                self._reply = None

    def cancel(self, response_id: str | None, event_id: str | None) -> bool:
        """End the reply that is being made (None: whichever it is); whether there was one."""
        reply = self._reply
        if reply is None or response_id not in (None, reply.response_id):
            self._refuse("response_cancel_not_active", "no such reply is being made", event_id)
            return False
        self._reply = None
        reply.cancel()
        return True

    def say_aloud(self, number: int, text: str, options: ReplyOptions, voice: str, event_id: str | None) -> None:
        """Say a text that is no part of the conversation. It ends the one before."""
        if len(text) > LONGEST_CHARS:
            self._refuse("invalid_value", f"text is said aloud up to {LONGEST_CHARS} characters", event_id, "text")
            return
        self.stop_saying()
        self._aloud = Aloud(self._core, self._emit, options)
        self._tasks.spawn(self._aloud.say(number, text, voice))

    def stop_saying(self) -> None:
        """No more of the text that is said aloud, if there is one."""
        if self._aloud is not None:
            self._aloud.cancel()
            self._aloud = None

    def close(self) -> None:
        """The client is gone."""
        if self._reply is not None:
            self._reply.cancel()
        self.stop_saying()
