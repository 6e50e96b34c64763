"""A text that is said aloud and is no part of the conversation: a sample of a voice, a reply once more."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.assistant.talk.sounding import Reply, Sounding
from parlor_tui.events import Event, Failed, SpeechOver, SpeechPiece, now_s
from parlor_tui.link.client_events import ClientEvent, SayAloud, StopSaying

NO_TURN = 0
"""Turns count from 1; what is said aloud outside of them plays as this."""


class SayingAloud:
    """Has the core say it, and plays what comes. Used by the talk alone."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        send: Callable[[ClientEvent], None],
        playback: Playback,
        sounding: Sounding,
    ) -> None:
        self._emit = emit
        self._send = send
        self._playback = playback
        self._sounding = sounding
        self._numbers = itertools.count(1)

    def begin(self, text: str, voice: str) -> Reply:
        """Have `text` said in `voice`, "" being that of the settings; nothing else may be playing."""
        number = next(self._numbers)
        self._playback.begin()
        self._playback.wake()
        self._send(SayAloud(number, text, voice))
        return Reply(NO_TURN, aloud=number)

    def take(self, reply: Reply | None, event: SpeechPiece | SpeechOver, at_s: float) -> None:
        """Take what the core says of it, if it is still what plays."""
        if reply is None or reply.aloud != event.number:
            return
        if isinstance(event, SpeechPiece):
            self._playback.add(event.pcm16)
            return
        reply.said_aloud = True
        if event.reason:
            self._emit(Failed(at_s=at_s, text=f"not said aloud: {event.reason}"))

    def stop(self, reply: Reply) -> None:
        """No more of it."""
        played_ms = self._playback.stop()
        if not reply.said_aloud:
            self._send(StopSaying())
        self._sounding.ended(reply, now_s(), played_ms)
