"""The sound of one talk as it comes in, and the words in it. Runs in the event loop; the recogniser in its own pool."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import FinalCaption
from parlor_tui.core.inference import InferenceCore, one_line
from parlor_tui.core.input_audio import InputAudio
from parlor_tui.core.memory import Item
from parlor_tui.core.profiles import Parts
from parlor_tui.core.tasks import Tasks, new_id

_log = logging.getLogger(__name__)
_PARTIAL_EVERY_MS = 400
"""New audio that makes another partial caption worth its 60-100 ms of work."""
_UNWRITTEN = "(words that could not be written down)"
"""The caption of speech that only a model that hears could take in."""


class Listening:
    """Gathers sound until it is taken, and has it written down.

    `by_ear` says of the loaded models whether the one that answers takes the sound itself; `partly` is told the words
    so far and the item they will become; `failed` why there are none.
    """

    def __init__(
        self,
        core: InferenceCore,
        tasks: Tasks,
        by_ear: Callable[[Parts], bool],
        partly: Callable[[str, str], None],
        failed: Callable[[str], None],
    ) -> None:
        self.audio = InputAudio()
        self.item_id = new_id("item")
        self.language = ""
        self._core = core
        self._tasks = tasks
        self._by_ear = by_ear
        self._partly = partly
        self._failed = failed
        self._partial: asyncio.Task[None] | None = None
        self._open: dict[str, asyncio.Task[FinalCaption]] = {}

    def append(self, pcm16: bytes, *, pausing: bool) -> None:
        """Take the next piece, 16-bit little-endian mono PCM at the rate of `audio`. Raises TooLong.

        While the user is `pausing` there is nothing new to be read in it.
        """
        self.audio.append(pcm16)
        if not pausing and self._partial is None and self.audio.new_ms >= _PARTIAL_EVERY_MS:
            self._partial = self._tasks.spawn(self._caption_partial(self.item_id))

    def take(self) -> tuple[str, NDArray[np.float32]]:
        """The sound so far (mono, 16 kHz) and the id of the item that it becomes; the next one begins."""
        samples, _ = self.audio.take()
        item_id, self.item_id = self.item_id, new_id("item")
        return item_id, samples

    def clear(self) -> None:
        """Throw the sound so far away."""
        self.audio.clear()
        self.item_id = new_id("item")

    def caption(self, item: Item, samples: NDArray[np.float32]) -> asyncio.Task[FinalCaption]:
        """Have `samples` written down, as the text of `item`."""
        return self._tasks.spawn(self._caption(item, samples))

    def wait_for(self, item: Item, caption: asyncio.Task[FinalCaption], then: Callable[[], None]) -> None:
        """`words` waits for `caption` from now on; `then` is called once it is there, unless it was given up."""

        def over(_caption: asyncio.Task[FinalCaption]) -> None:
            self._open.pop(item.item_id, None)
            if not caption.cancelled():
                then()

        if caption.done():
            over(caption)
        else:
            self._open[item.item_id] = caption
            caption.add_done_callback(over)

    async def words(self) -> None:
        """Return once every caption that is waited for is there."""
        await asyncio.gather(*self._open.values(), return_exceptions=True)

    async def _caption(self, item: Item, samples: NDArray[np.float32]) -> FinalCaption:
        """Whatever fails is told, and leaves the item without words."""
        parts: Parts | None = None
        found = FinalCaption("")
        try:
            parts = await self._core.parts()
            if not self._by_ear(parts):
                item.audio_wav = None
            found = await self._written(parts, samples)
            self.language = found.language or self.language
        except Exception as error:  # noqa: BLE001 - any failure of the recogniser is told, and the talk goes on
            _log.exception("captions")
            if parts is not None and self._by_ear(parts):
                found = FinalCaption(_UNWRITTEN)
            self._failed(f"captions failed: {one_line(error)}")
        item.text = found.text
        return found

    async def _written(self, parts: Parts, samples: NDArray[np.float32]) -> FinalCaption:
        """What the recogniser makes of `samples`. Given up, it leaves none of them in the pool's queue."""
        held, language = [samples], self.language
        try:
            loop = asyncio.get_running_loop()
            write = lambda: parts.captioner.final(held[0], language)  # noqa: E731
            return await loop.run_in_executor(self._core.caption_pool, write)
        finally:
            held.clear()

    async def _caption_partial(self, item_id: str) -> None:
        try:
            parts = await self._core.parts()
            samples = self.audio.peek()
            loop = asyncio.get_running_loop()
            text = await loop.run_in_executor(self._core.caption_pool, parts.captioner.partial, samples, self.language)
            if text and item_id == self.item_id:
                self._partly(item_id, text)
        except Exception:  # noqa: BLE001 - a partial caption is a courtesy: the final one tells what is wrong
            _log.exception("partial caption")
        finally:
            self._partial = None
