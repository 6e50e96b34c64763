"""What the user wants of conversations, done by the assistant's thread: begun anew, taken up again, kept or not."""

from __future__ import annotations

from collections.abc import Callable

from parlor_tui.assistant.inbox import AboutConversation
from parlor_tui.assistant.recording import Recording
from parlor_tui.assistant.talk import Talk
from parlor_tui.conversations.record import ConversationError, earlier
from parlor_tui.events import ConversationBegun, Event, Failed, now_s
from parlor_tui.settings import SettingsError, check

MOST_EARLIER_TURNS = 100
"""Of a conversation that is taken up again: as many as the core is told anew after it died."""


class Conversing:
    """One talk and its recording. `forget_input` drops what is being said, or was typed and waits."""

    def __init__(
        self, talk: Talk, recording: Recording, emit: Callable[[Event], None], forget_input: Callable[[], None]
    ) -> None:
        self._talk = talk
        self._recording = recording
        self._emit = emit
        self._forget_input = forget_input

    def take(self, asked: AboutConversation) -> None:
        """Do what was asked for; what cannot be is told as `Failed`."""
        match asked.wish:
            case "record":
                try:
                    check("conversations", "record", asked.text, "not changed")
                except SettingsError as error:
                    self._emit(Failed(at_s=now_s(), text=str(error)))
                else:
                    self._recording.set(asked.text)
            case "failed":
                self._recording.failed(asked.text)
            case _:
                self._begin(asked)

    def _begin(self, asked: AboutConversation) -> None:
        taken_up = None
        if asked.wish == "reopen":
            try:
                taken_up = self._recording.store.load(asked.text)
            except ConversationError as error:
                self._emit(Failed(at_s=now_s(), text=f"not reopened: {error}"))
                return
        self._forget_input()
        turns = earlier(taken_up, MOST_EARLIER_TURNS) if taken_up is not None else ()
        self._talk.begin_anew([(turn.said, turn.heard) for turn in turns])
        self._recording.begin(taken_up)
        self._emit(ConversationBegun(at_s=now_s(), asked_at_s=asked.at_s, name=asked.text, earlier=turns))
