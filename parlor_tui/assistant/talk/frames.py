"""What the camera saw in the turn that is being said, on its way to the core."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from parlor_tui.link.client_events import ClientEvent, CreateItem, DeleteItem


class Frames:
    """The frames that were sent for one turn; true if there are any. Used by the talk alone."""

    def __init__(self, send: Callable[[ClientEvent], None]) -> None:
        self._send = send
        self._item_ids: list[str] = []
        self._numbers = itertools.count(1)

    def __bool__(self) -> bool:
        """Whether any was sent for this turn."""
        return bool(self._item_ids)

    def show(self, turn: int, frame_jpeg: bytes | None) -> None:
        """Send one, if there is one."""
        if frame_jpeg is not None:
            item_id = f"frame_{turn}_{next(self._numbers)}"
            self._item_ids.append(item_id)
            self._send(CreateItem("user", image=frame_jpeg, item_id=item_id, frame=True))

    def turn_over(self) -> None:
        """The next one belongs to another turn."""
        self._item_ids = []

    def take_back(self) -> None:
        """The turn was none: have the core forget what it was sent for it."""
        for item_id in self._item_ids:
            self._send(DeleteItem(item_id))
        self._item_ids = []
