"""What a reply to a turn waits for in its session: captions, and which pictures are shown. See `reply.Preparation`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from parlor_tui.captions.base import FinalCaption
from parlor_tui.core.listening import Listening

Settle = Callable[[Callable[[], str], Callable[[], Awaitable[None]]], Awaitable[None]]
"""Decides which pictures are shown, given the words so far and a way to wait for all of them."""


class TurnPreparation:
    """For one reply. `said` tells the words of its turn; `caption` is one that is not committed yet."""

    def __init__(
        self,
        listening: Listening,
        settle: Settle,
        said: Callable[[], str],
        caption: asyncio.Task[FinalCaption] | None = None,
    ) -> None:
        self._listening = listening
        self._settle = settle
        self._said = said
        self._caption = caption

    @property
    def language(self) -> str:
        """See Preparation."""
        return self._listening.language

    async def words(self) -> None:
        """See Preparation."""
        await self._listening.words()
        if self._caption is not None:
            await asyncio.wait((self._caption,))

    async def pictures(self) -> None:
        """See Preparation."""
        await self._settle(self._said, self.words)
