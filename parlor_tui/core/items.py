"""The items of one conversation as its client asks for them: added, captioned, deleted, cut to what was heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from parlor_tui.captions.base import SAMPLE_RATE_HZ as CAPTION_RATE_HZ
from parlor_tui.captions.base import FinalCaption
from parlor_tui.core.listening import Listening
from parlor_tui.core.memory import Item, Memory
from parlor_tui.events import CaptionFinal, CoreEvent, ItemAdded, ItemDeleted, ItemTruncated
from parlor_tui.speech.base import SAMPLE_RATE_HZ as SPEECH_RATE_HZ


class Refuse(Protocol):
    """Tells the client that a request of its cannot be carried out."""

    def __call__(self, code: str, message: str, event_id: str | None, param: str | None = None) -> None:
        """`code` is for programs, `message` one line for people; `event_id` and `param` name what is refused."""


class Items:
    """What is asked of `memory`. Nothing is raised: each request is answered through `emit`, or by `refuse`."""

    def __init__(self, memory: Memory, listening: Listening, emit: Callable[[CoreEvent], None], refuse: Refuse) -> None:
        self._memory = memory
        self._listening = listening
        self._emit = emit
        self._refuse = refuse

    def add(self, item: Item, after: str | None, event_id: str | None) -> bool:
        """Add a written message, or a picture, behind the item `after` (None: the last one); whether it was."""
        previous = self._memory.last_id() if after is None else after
        if not self._remember(item, after, event_id):
            return False
        for done in (False, True):
            self._emit(ItemAdded(item.item_id, item.role, item.text, done=done, previous_item_id=previous))
        return True

    def add_spoken(
        self,
        item: Item,
        caption: asyncio.Task[FinalCaption],
        samples_count: int,
        after: str | None,
        event_id: str | None,
    ) -> None:
        """Add what was said in `samples_count` samples at 16 kHz, whose words `caption` brings."""
        previous = self._memory.last_id() if after is None else after
        if not self._remember(item, after, event_id):
            return
        self._emit(ItemAdded(item.item_id, "user", "", done=False, previous_item_id=previous))

        def tell() -> None:
            self._emit(CaptionFinal(item.item_id, item.text, samples_count * 1000 / CAPTION_RATE_HZ))
            self._emit(ItemAdded(item.item_id, "user", item.text, done=True, previous_item_id=previous))

        self._listening.wait_for(item, caption, tell)

    def delete(self, item_id: str, event_id: str | None) -> bool:
        """Forget an item; whether there was one."""
        try:
            self._memory.remove(item_id)
        except KeyError:
            self._refuse("item_delete_invalid_item_id", f"there is no item {item_id}", event_id, "item_id")
            return False
        self._emit(ItemDeleted(item_id))
        return True

    def truncate(self, item_id: str, audio_end_ms: int, event_id: str | None) -> None:
        """Remember only what was heard of a reply."""
        try:
            heard = self._memory.truncate(item_id, audio_end_ms, SPEECH_RATE_HZ)
        except KeyError:
            self._refuse("item_not_found", f"there is no item {item_id}", event_id, "item_id")
        except ValueError as error:
            self._refuse("invalid_value", str(error), event_id, "item_id")
        else:
            self._emit(ItemTruncated(item_id, audio_end_ms, heard))

    def _remember(self, item: Item, after: str | None, event_id: str | None) -> bool:
        if any(item.item_id == known.item_id for known in self._memory.items):
            self._refuse("item_already_exists", f"there is an item {item.item_id} already", event_id, "item.id")
            return False
        try:
            self._memory.add(item, after)
        except KeyError:
            self._refuse("item_not_found", f"there is no item {after}", event_id, "previous_item_id")
            return False
        return True
