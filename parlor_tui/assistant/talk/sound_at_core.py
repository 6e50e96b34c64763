"""The sound of the turn that is being said, as the core has it. Used by the talk alone."""

from __future__ import annotations

from collections.abc import Callable

from parlor_tui.assistant.talk.memories import Memories
from parlor_tui.link.client_events import AppendAudio, ClearAudio, ClientEvent, CommitAudio


class SoundAtCore:
    """What the core let go of is told anew. `memories` gives the talk's, which are others once it begins anew."""

    def __init__(self, send: Callable[[ClientEvent], None], memories: Callable[[], Memories]) -> None:
        self._send = send
        self._memories = memories
        self._is_lost = False

    def add(self, turn: int, pcm16: bytes) -> None:
        """More was said in the turn; the memories have it already."""
        if self._is_lost:
            self._send_all(turn)
        else:
            self._send(AppendAudio(pcm16))

    def commit(self, turn: int) -> None:
        """The turn is over."""
        if self._is_lost:
            self._send_all(turn)
        self._send(CommitAudio())

    def clear(self) -> None:
        """It was no turn."""
        self._is_lost = False
        self._send(ClearAudio())

    def lost(self) -> None:
        """The core has let go of what it was sent."""
        self._is_lost = True

    def core_lost(self) -> None:
        """Another core has nothing yet."""
        self._is_lost = False

    def _send_all(self, turn: int) -> None:
        self._is_lost = False
        self._send(ClearAudio())
        for piece in self._memories().sound(turn):
            self._send(piece)
