"""What the screen asks of the assistant. The screen knows this protocol and no implementation of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from parlor_tui.events import DeviceKind, Event

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

    def tune(self, values: Mapping[str, Any]) -> None:
        """Change live settings at once: `{"section.key": value}`, None to have one as it was saved.

        `Tuned` says how everything is set then. A refusal arrives as `Failed`, with nothing changed.
        """

    def save_tuning(self) -> None:
        """Write the live settings that were changed into the settings file."""

    def tell_tuning(self) -> None:
        """Have a `Tuned` sent, with the presets that there are now."""

    def use_preset(self, name: str) -> None:
        """Change the live settings to those of a preset."""

    def keep_preset(self, name: str) -> None:
        """Keep the live settings as the user's own preset `name`."""

    def delete_preset(self, name: str) -> None:
        """Forget a preset of the user's own."""

    def new_conversation(self) -> None:
        """Stop the reply and forget the talk so far, at any time; `ConversationBegun` says when that is done."""

    def reopen(self, name: str) -> None:
        """The same, and remember the kept conversation `name` instead. A refusal arrives as `Failed`."""

    def set_recording(self, record: str) -> None:
        """Keep so much of the talk from the next turn on: `off`, `text`, `text+audio`; see `RecordingChanged`."""

    def get_model(self) -> None:
        """Get the model that was offered, or go on with it, while the talk goes on."""

    def cancel_model(self) -> None:
        """Stop getting it; what came is kept."""

    def decline_model(self) -> None:
        """Not now: it is not offered again, at later starts neither."""

    def use_device(self, kind: DeviceKind, name: str, *, remember: bool = True) -> None:
        """Use another device at once: `default`, `none`, a name, or a file's path; `DeviceUsed` says what came of it.

        One that cannot be used is a `Failed`, and what was in use stays. `remember`: write it into the settings file.
        """

    def watch_devices(self, wanted: bool) -> None:
        """Somebody is choosing: list devices soon and often (`DevicesChanged`), and open the microphone already."""

    def show_camera(self, wanted: bool) -> None:
        """Have `CameraFrame`s sent, or no longer."""

    def play_tone(self) -> None:
        """Play a short sound, to hear whether the speaker works. A refusal arrives as `Failed`."""
