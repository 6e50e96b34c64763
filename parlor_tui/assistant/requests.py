"""What is asked of the assistant from other threads: each call puts one message into the inbox, and returns at once."""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Mapping
from typing import Any

from parlor_tui.assistant.inbox import (
    AboutConversation,
    AboutModel,
    AboutTuning,
    Block,
    FromCore,
    Input,
    Interrupt,
    Mute,
    PlayTone,
    Say,
    ShowCamera,
    Speak,
    TalkKey,
    Tune,
    UseDevice,
    WatchDevices,
)
from parlor_tui.assistant.overflow import Overflow
from parlor_tui.events import DeviceKind, now_s

_log = logging.getLogger(__name__)
_INBOX = 2048


class Requests:
    """The inbox, and the calls that fill it. `refuse` is told, in a line, what could not be taken."""

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._inbox: queue.Queue[Input] = queue.Queue(_INBOX)
        self._refuse = refuse
        self._overflow = Overflow()

    def say(self, text: str) -> None:
        """Take a typed turn, at any time; one that cannot be sent yet waits. A refusal arrives as `Failed`."""
        self._request(Say(text))

    def interrupt(self) -> None:
        """Stop the reply that is being made or played."""
        self._request(Interrupt())

    def set_muted(self, muted: bool) -> None:
        """Close or open the microphone."""
        self._request(Mute(muted))

    def talk_key(self) -> None:
        """Begin a turn, or end it at once; where the microphone is open all the time, end it or stop the reply."""
        self._request(TalkKey(now_s()))

    def speak(self, text: str, voice: str = "") -> None:
        """Say `text` in `voice` ("": the settings' own) as no part of the conversation. A refusal is a `Failed`."""
        self._request(Speak(text, voice))

    def tune(self, values: Mapping[str, Any]) -> None:
        """Change live settings at once: `{"section.key": value}`, None to have one as it was saved.

        `Tuned` says how everything is set then. A refusal arrives as `Failed`, with nothing changed.
        """
        self._request(Tune(values))

    def save_tuning(self) -> None:
        """Write the live settings that were changed into the settings file."""
        self._request(AboutTuning("save"))

    def tell_tuning(self) -> None:
        """Have a `Tuned` sent, with the presets that there are now."""
        self._request(AboutTuning("tell"))

    def use_preset(self, name: str) -> None:
        """Change the live settings to those of a preset."""
        self._request(AboutTuning("use", name))

    def keep_preset(self, name: str) -> None:
        """Keep the live settings as the user's own preset `name`."""
        self._request(AboutTuning("keep", name))

    def delete_preset(self, name: str) -> None:
        """Forget a preset of the user's own."""
        self._request(AboutTuning("delete", name))

    def use_device(self, kind: DeviceKind, name: str, *, remember: bool = True) -> None:
        """Use another device at once: `default`, `none`, a name, or a file's path; `DeviceUsed` says what came of it.

        One that cannot be used is a `Failed`, and what was in use stays. `remember`: write it into the settings file.
        """
        self._request(UseDevice(kind, name, remember))

    def watch_devices(self, wanted: bool) -> None:
        """Somebody is choosing: list devices soon and often (`DevicesChanged`), and open the microphone already."""
        self._request(WatchDevices(wanted))

    def show_camera(self, wanted: bool) -> None:
        """Have `CameraFrame`s sent, or no longer."""
        self._request(ShowCamera(wanted))

    def play_tone(self) -> None:
        """Play a short sound, to hear whether the speaker works. A refusal arrives as `Failed`."""
        self._request(PlayTone())

    def get_model(self) -> None:
        """Get the model that was offered, or go on with it, while the talk goes on; then the core starts with it."""
        self._request(AboutModel("get"))

    def cancel_model(self) -> None:
        """Stop getting it; what came is kept."""
        self._request(AboutModel("cancel"))

    def decline_model(self) -> None:
        """Not now: it is not offered again, at later starts neither."""
        self._request(AboutModel("decline"))

    def new_conversation(self) -> None:
        """Stop the reply and forget the talk so far; `ConversationBegun` says when that is done."""
        self._request(AboutConversation("new", now_s()))

    def reopen(self, name: str) -> None:
        """The same, and remember the kept conversation `name` instead. A refusal arrives as `Failed`."""
        self._request(AboutConversation("reopen", now_s(), name))

    def set_recording(self, record: str) -> None:
        """Keep so much of the talk from the next turn on: `off`, `text` or `text+audio`."""
        self._request(AboutConversation("record", now_s(), record))

    def _put(self, message: Input) -> None:
        """Called by device and link threads. Sound that finds no room is dropped, everything else waits up to 2 s.

        What is dropped is counted, and told.
        """
        if isinstance(message, Block):
            try:
                self._inbox.put_nowait(message)
            except queue.Full:
                self._overflow.add(blocks=1)
            return
        try:
            self._inbox.put(message, timeout=2.0)
        except queue.Full:
            of_core = isinstance(message, FromCore)
            self._overflow.add(of_core=of_core, others=not of_core)
            _log.error("the inbox is full: %s dropped", type(message).__name__)

    def _request(self, message: Input) -> None:
        """Called by the thread that draws, which must not wait."""
        try:
            self._inbox.put_nowait(message)
        except queue.Full:
            self._refuse("the assistant does not keep up; try again in a moment")
