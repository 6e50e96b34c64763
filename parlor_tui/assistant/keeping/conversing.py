"""What the user wants of conversations, done by the assistant's thread: begun anew, taken up again, kept or not.

A kept conversation is read on a thread of its own: the disk may take its time, and the talk goes on meanwhile. What is
typed until it is there belongs to it, and waits; a disk that does not answer is given up on.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from parlor_tui.assistant.inbox import AboutConversation, ConversationRead
from parlor_tui.assistant.keeping.recording import Recording
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.conversations.record import Conversation, ConversationError, earlier
from parlor_tui.conversations.store import sound_bytes
from parlor_tui.events import ConversationBegun, Event, Failed, Notice, now_s
from parlor_tui.settings import SettingsError, check

MOST_EARLIER_TURNS = 100
"""Of a conversation that is taken up again: as many as the core is told anew after it died."""
READING_AT_MOST = 3
"""Threads that a disk may hang; more are not begun."""
LONGEST_READING_S = 5.0
_TYPED_WAITING = 20


class Conversing:
    """One talk and its recording. `forget_input` drops what is being said, or was typed and waits.

    `put` takes what was read into the inbox, `say` a typed turn.
    """

    def __init__(
        self,
        talk: Talk,
        recording: Recording,
        emit: Callable[[Event], None],
        forget_input: Callable[[], None],
        put: Callable[[ConversationRead], None],
        say: Callable[[str], None],
    ) -> None:
        self._talk = talk
        self._recording = recording
        self._emit = emit
        self._forget_input = forget_input
        self._put = put
        self._say = say
        self._awaited: AboutConversation | None = None
        self._awaited_until_s = 0.0
        self._typed: deque[str] = deque()
        self._reading = threading.Semaphore(READING_AT_MOST)

    def take(self, asked: AboutConversation | ConversationRead) -> None:
        """Do what was asked for; what cannot be is told as `Failed`."""
        match asked:
            case ConversationRead():
                self._read(asked)
            case AboutConversation("record"):
                try:
                    check("conversations", "record", asked.text, "not changed")
                except SettingsError as error:
                    self._emit(Failed(at_s=now_s(), text=str(error)))
                else:
                    self._recording.set(asked.text)
            case AboutConversation("failed"):
                self._recording.failed(asked.text)
            case AboutConversation("full"):
                waits = f"{asked.text}; what is said waits for room: make some, and it is kept" if asked.text else ""
                self._emit(Notice(at_s=now_s(), text=waits, severity="warning", key="disk"))
            case AboutConversation("reopen"):
                self._reopen(asked)
            case _:
                self._typed.clear()
                self._begin(asked)

    def tick(self, at_s: float) -> None:
        """Wait no longer for what is not read in time: what comes of it later counts for nothing."""
        if self._awaited is None or at_s < self._awaited_until_s:
            return
        asked, self._awaited = self._awaited, None
        goes_on = "; what was typed goes on in this conversation" if self._typed else ""
        self._emit(Failed(at_s=at_s, text=f"not reopened: {asked.text}: the disk does not answer{goes_on}"))
        self._say_what_was_typed()

    def waits(self, text: str) -> bool:
        """Whether the typed turn `text` waits for a conversation that is being read; it is said once that is there."""
        if self._awaited is None:
            return False
        if len(self._typed) >= _TYPED_WAITING:
            self._emit(Failed(at_s=now_s(), text="not taken: too much is waiting for the conversation already"))
        else:
            self._typed.append(text)
        return True

    def _reopen(self, asked: AboutConversation) -> None:
        self._typed.clear()
        if not self._reading.acquire(blocking=False):
            self._emit(Failed(at_s=now_s(), text=f"not reopened: {self._recording.store.folder}: the disk hangs"))
            return
        self._awaited, self._awaited_until_s = asked, now_s() + LONGEST_READING_S
        threading.Thread(target=self._load, args=(asked,), name="read conversation", daemon=True).start()

    def _load(self, asked: AboutConversation) -> None:
        """On a thread of its own."""
        store = self._recording.store
        try:
            talk = store.load(asked.text)
            read = ConversationRead(asked, talk, sound_bytes(store.folder / talk.name))
        except ConversationError as error:
            read = ConversationRead(asked, None, why=str(error))
        except Exception as error:  # noqa: BLE001 - edge of a thread: what is typed waits for it
            read = ConversationRead(asked, None, why=f"{asked.text}: cannot be read ({type(error).__name__})")
        finally:
            self._reading.release()
        self._put(read)

    def _read(self, read: ConversationRead) -> None:
        if read.asked is not self._awaited:
            return  # something else was asked for since
        if read.talk is None:
            self._awaited = None
            self._emit(Failed(at_s=now_s(), text=f"not reopened: {read.why}"))
        else:
            self._begin(read.asked, read.talk, read.sound_bytes)
        self._say_what_was_typed()

    def _say_what_was_typed(self) -> None:
        while self._typed:
            self._say(self._typed.popleft())

    def _begin(self, asked: AboutConversation, taken_up: Conversation | None = None, kept_sound_bytes: int = 0) -> None:
        self._awaited = None
        self._forget_input()
        turns = earlier(taken_up, MOST_EARLIER_TURNS) if taken_up is not None else ()
        self._talk.begin_anew([(turn.said, turn.heard) for turn in turns])
        self._recording.begin(taken_up, kept_sound_bytes)
        self._emit(ConversationBegun(at_s=now_s(), asked_at_s=asked.at_s, name=asked.text, earlier=turns))
