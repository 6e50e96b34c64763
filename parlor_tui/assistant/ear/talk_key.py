"""The talk key, where the microphone is not open all the time. Pure: time is passed in."""

from __future__ import annotations

from dataclasses import replace

from parlor_tui.settings import Hearing

LAST_SOUND_S = 0.25
"""So long after the key the microphone stays open: the sound of the last word is still on its way."""
_NO_END_MS = 3_600_000
"""The key ends a turn, however long a pause is."""


class TalkKey:
    """Whether the ear is open. Terminals tell of no key's release, so that one press opens and the next one closes."""

    def __init__(self) -> None:
        self._open = False
        self._closes_at_s: float | None = None

    @property
    def open(self) -> bool:
        """Whether what is said now counts."""
        return self._open

    def press(self, at_s: float) -> bool:
        """The key was pressed at `at_s`; whether that opened the ear."""
        if self._open and self._closes_at_s is None:
            self._closes_at_s = at_s + LAST_SOUND_S
            return False
        self._open, self._closes_at_s = True, None
        return True

    def shut(self) -> None:
        """Muted, no microphone, or hands-free from now on."""
        self._open, self._closes_at_s = False, None

    def closes(self, at_s: float) -> bool:
        """Whether the ear closes now, at `at_s`; said once."""
        if self._closes_at_s is None or at_s < self._closes_at_s:
            return False
        self.shut()
        return True


def until_the_key(hearing: Hearing) -> Hearing:
    """`hearing` where no pause ends a turn; replies are begun at a pause all the same."""
    return replace(hearing, end_of_turn="fixed", silence_ms=_NO_END_MS)
