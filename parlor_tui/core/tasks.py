"""The work of one talk that goes on in the event loop, held so that it can be ended; and names for what it makes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


_MANY = 128
"""A user has ten under way at most."""


class Tasks:
    """Tasks that are under way."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Begin `work`."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @property
    def are_many(self) -> bool:
        """So many are under way that no client should ask for more."""
        return len(self._tasks) >= _MANY

    async def close(self) -> None:
        """End all, and wait until they have ended."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def new_id(prefix: str) -> str:
    """A fresh id such as `item_5f3c...`."""
    return f"{prefix}_{secrets.token_hex(8)}"
