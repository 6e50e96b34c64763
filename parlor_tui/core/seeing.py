"""Which of a talk's pictures the model is shown, and when; what one that cannot see is told of them instead."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from parlor_tui.core.inference import InferenceCore, one_line
from parlor_tui.core.memory import Item, Memory
from parlor_tui.core.profiles import Parts
from parlor_tui.core.reply import sampling
from parlor_tui.core.reply_voice import ReplyOptions
from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.opencv import rgb_of
from parlor_tui.engines.base import EngineError
from parlor_tui.events import CoreEvent, CoreNotice, InputTaken, ItemDeleted
from parlor_tui.sight.asking import asks_to_look
from parlor_tui.sight.describe import describe
from parlor_tui.sight.policy import FramePolicy, FrameSignature, decide, signature
from parlor_tui.sight.reading import ReadingError

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Pending:
    """A picture of which it is not yet decided whether the model is shown it."""

    item: Item
    look: FrameSignature


class Seeing:
    """The pictures of one talk. To be used from the event loop; the work runs in the core's pools."""

    def __init__(self, core: InferenceCore, memory: Memory, emit: Callable[[CoreEvent], None]) -> None:
        self._core = core
        self._memory = memory
        self._emit = emit
        self._pending: _Pending | None = None
        self._shown: _Pending | None = None
        self._shown_this_turn = False
        self._forgotten: set[str] = set()
        self._given_up = False
        self._cannot_see_told = False
        # Taken in order: what is decided about a picture waits until the one before it was shown.
        self._lock = asyncio.Lock()

    async def take(self, item: Item, view: ReplyOptions, *, frame: bool, busy: bool) -> None:
        """A picture came. Unless it is a `frame` of the camera's it is shown in any case.

        `busy`: a reply is being made; the engine is left alone until that is over.
        """
        async with self._lock:
            self._given_up = False
            try:
                parts = await self._core.parts()
                if item.item_id in self._forgotten:
                    self._forgotten.discard(item.item_id)
                elif not frame:
                    await self._show(parts, item)
                elif view.tuning.seeing.policy == "off":
                    self._drop(item)
                else:
                    await self._take_frame(parts, item, view, busy)
            except Exception as error:  # noqa: BLE001 - the edge of a task: whatever is wrong with a picture, the talk goes on
                _log.exception("a picture")
                self._emit(CoreNotice(f"a picture could not be looked at: {one_line(error)}"))

    async def heard(self, words: str, view: ReplyOptions, *, busy: bool) -> None:
        """While the user speaks, this is what they seem to have said so far."""
        if self._pending is None or not asks_to_look(words):
            return
        async with self._lock:
            try:
                await self._consider(await self._core.parts(), words, view, busy)
            except Exception:  # noqa: BLE001 - the edge of a task: the turn itself looks again, and tells what is wrong
                _log.exception("a picture")

    async def settle(self, view: ReplyOptions, said: Callable[[], str], words: Callable[[], Awaitable[None]]) -> None:
        """A turn may be over: what is undecided is decided now, by what was `said`, waiting for `words` if need be."""
        async with self._lock:
            await self._settle(view, said, words)

    def turn_over(self) -> None:
        """The turn is over: what comes now is shown with the next one."""
        self._shown_this_turn = False

    def forget(self, item_id: str) -> None:
        """The item is not part of the talk any more."""
        if self._pending is not None and self._pending.item.item_id == item_id:
            self._pending = None
        if self._lock.locked():  # it may be looked at just now
            self._forgotten.add(item_id)

    def give_up(self) -> None:
        """Nobody waits for the picture that is being looked at: the reply that it was for was cancelled."""
        self._given_up = True

    async def _settle(self, view: ReplyOptions, said: Callable[[], str], words: Callable[[], Awaitable[None]]) -> None:
        if self._pending is None:
            return
        parts = await self._core.parts()
        if self._policy(parts, view) == "on_request":
            await words()
        # The reply is about to show it, together with the rest of the turn.
        await self._consider(parts, said(), view, busy=True)
        if self._pending is not None:
            self._drop(self._pending.item)
            self._pending = None

    async def _take_frame(self, parts: Parts, item: Item, view: ReplyOptions, busy: bool) -> None:
        if self._pending is not None:
            self._drop(self._pending.item)
            self._pending = None
        if item.image_jpeg is None:  # its turn is over already
            return
        loop = asyncio.get_running_loop()
        try:
            look = await loop.run_in_executor(None, _look_of, item.image_jpeg)
        except DeviceError as error:
            self._drop(item)
            self._emit(CoreNotice(one_line(error)))
            return
        if item.item_id not in self._forgotten:
            self._pending = _Pending(item, look)
            await self._consider(parts, "", view, busy)

    async def _consider(self, parts: Parts, words: str, view: ReplyOptions, busy: bool) -> None:
        """Show the pending picture if the settings, what it shows or the `words` say so."""
        pending = self._pending
        if pending is None:
            return
        before = self._still_known()
        policy = self._policy(parts, view)
        if self._shown_this_turn and before is not None:
            if not asks_to_look(words):
                return  # a turn pays for one look, unless its words ask for another
            policy, words = "when_changed", ""
        if not decide(policy, pending.look, before, words).show:
            return
        self._pending = None
        self._shown = pending
        self._shown_this_turn = True
        await self._show(parts, pending.item)
        if parts.engine.abilities.primes and view.tuning.seeing.prime and not busy:
            await self._prime(parts, pending.item, view)

    def _policy(self, parts: Parts, view: ReplyOptions) -> FramePolicy:
        """A model that cannot see pays for each description with words in its prompt: it gets them on request alone."""
        if not parts.engine.abilities.sees and view.tuning.seeing.policy != "off":
            return "on_request"
        return cast("FramePolicy", view.tuning.seeing.policy)

    def _still_known(self) -> FrameSignature | None:
        """The picture that the model saw last, if the talk still holds it."""
        shown = self._shown
        if shown is None or shown.item.rolled or shown.item not in self._memory.items:
            return None
        return shown.look

    async def _show(self, parts: Parts, item: Item) -> None:
        if parts.engine.abilities.sees:
            item.shown = True
            return
        if not self._cannot_see_told:
            self._cannot_see_told = True
            self._emit(CoreNotice(f"{parts.engine.name} cannot see: it is told of pictures in words, and roughly"))
        loop = asyncio.get_running_loop()
        try:
            told = await loop.run_in_executor(None, _told_of, item.image_jpeg or b"")
        except DeviceError as error:
            self._emit(CoreNotice(one_line(error)))
            told = ""
        item.text = " ".join(part for part in (item.text, told) if part)
        item.image_jpeg = None

    async def _prime(self, parts: Parts, item: Item, view: ReplyOptions) -> None:
        """Have the model look while the user still speaks."""
        opening = parts.opening(view.tuning.answering.preset, view.instructions)
        engine = parts.engine
        reply_tokens = view.tuning.answering.max_tokens
        context_tokens = view.caps.context_tokens(engine.context_tokens)
        messages = self._memory.prompt(opening, context_tokens, reply_tokens, engine.tokens)
        if messages[-1].key != item.key:
            return  # more of the turn is there already, and goes to the model together with the picture
        loop = asyncio.get_running_loop()
        try:
            took_ms = await loop.run_in_executor(
                self._core.engine_pool,
                engine.prime,
                messages,
                sampling(view.tuning, 1),
                lambda: self._given_up or item.item_id in self._forgotten,
            )
        except EngineError as error:  # the reply shows it then, and says what is wrong
            _log.warning("priming: %s", error)
            return
        if took_ms:
            self._core.inferred(took_ms / 1000, whole=False)
            self._emit(InputTaken(-1, "picture", took_ms, 0.0))

    def _drop(self, item: Item) -> None:
        with contextlib.suppress(KeyError):  # deleted meanwhile
            self._memory.remove(item.item_id)
            self._emit(ItemDeleted(item.item_id))


def _look_of(jpeg: bytes) -> FrameSignature:
    return signature(rgb_of(jpeg))


def _told_of(jpeg: bytes) -> str:
    """The picture in words, with what is written in it where that can be read."""
    frame_rgb = rgb_of(jpeg)
    try:
        return describe(frame_rgb, read=True)
    except ReadingError as error:
        if not error.missing:
            _log.warning("%s", error)
        return describe(frame_rgb)
