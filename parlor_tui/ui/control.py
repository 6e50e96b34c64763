"""What the screen asks of the assistant. The screen knows this protocol and no implementation of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from parlor_tui.events import Event

Listener = Callable[[Event], None]
"""Takes the assistant's events, from any thread."""


class AssistantControl(Protocol):
    """The assistant as the screen drives it, from the thread that draws: every call but `stop` returns at once.

    A user is quick: `say`, `interrupt` and `set_muted` may come before `start`.
    """

    def start(self) -> None:
        """Open the devices and connect to the core in the background; trouble arrives as events."""

    def stop(self, timeout_s: float) -> None:
        """Stop everything, waiting at most `timeout_s`. Also fine when never started."""

    def say(self, text: str) -> None:
        """Take a typed turn, at any time; one that cannot be sent yet waits. A refusal arrives as `Failed`."""

    def interrupt(self) -> None:
        """Stop the reply that is being made or played."""

    def set_muted(self, muted: bool) -> None:
        """Close or open the microphone."""

    def talk_key(self) -> None:
        """Begin a turn, or end it at once; where the microphone is open all the time, end it or stop the reply."""

    def speak(self, text: str, voice: str = "") -> None:
        """Say `text` in `voice` ("": the settings' own) as no part of the conversation. A refusal is a `Failed`."""

    def get_model(self) -> None:
        """Get the model that was offered, or go on with it, while the talk goes on."""

    def cancel_model(self) -> None:
        """Stop getting it; what came is kept."""

    def decline_model(self) -> None:
        """Not now: it is not offered again, at later starts neither."""
