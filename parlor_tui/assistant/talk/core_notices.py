"""What cores have to say of themselves, told to the user once."""

from __future__ import annotations

from collections.abc import Callable

from parlor_tui.events import Event, Notice

_KEPT = 64


class CoreNotices:
    """A core that takes the place of another says of itself what is known already: that is not told again."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._told: set[str] = set()
        self._told_before: set[str] = set()

    def said(self, text: str, at_s: float) -> None:
        """Tell it, unless a core before has told the same; that counts once."""
        if text in self._told_before:
            self._told_before.discard(text)
        else:
            self._emit(Notice(at_s=at_s, text=text))
        if len(self._told) < _KEPT:
            self._told.add(text)

    def core_lost(self) -> None:
        """What follows is another core's."""
        self._told_before, self._told = self._told_before | self._told, set()
