"""Troubles that last: each is told once, and that it is over."""

from __future__ import annotations

from collections.abc import Callable

from parlor_tui.events import Event, Notice, now_s


class Troubles:
    """What was told last of each trouble, by its key. One thread."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._told: dict[str, str] = {}

    def tell(self, text: str, key: str, error: bool = False) -> None:
        """The trouble `key` is `text` now; "" is that it is over."""
        if self._told.get(key, "") == text:
            return
        self._told[key] = text
        self._emit(Notice(at_s=now_s(), text=text, severity="error" if error else "warning", key=key))
