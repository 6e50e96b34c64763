"""What the core does without while its machine is in trouble, as the user is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from parlor_tui.events import CoreGoverned, Event, Governed, Notice, now_s

KEY = "governor"


class Governance:
    """Tells what the core's governor does, until that is over or the core is gone. One thread."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._governed = False

    def core_said(self, event: CoreGoverned) -> None:
        """Take one event of the core's."""
        self._governed = event.level > 0
        at_s = now_s()
        self._emit(Governed(at_s=at_s, **asdict(event)))
        self._emit(Notice(at_s=at_s, text=in_words(event), severity="warning", key=KEY))

    def core_lost(self) -> None:
        """Another core begins with all there is."""
        if self._governed:
            self.core_said(CoreGoverned(0))


def in_words(event: CoreGoverned) -> str:
    """`hot (91 °C): smaller pictures, no eager replies`; empty once all is as it was."""
    if not event.level:
        return ""
    told = f"{', '.join(event.reasons)}: {', '.join(event.reduced)}"
    return f"{told}; {event.advice}" if event.advice else told
