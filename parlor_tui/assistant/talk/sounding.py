"""The reply that is made or played, and what is heard of it: when it begins, how loud it is, how it makes way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.events import AudioStarted, AudioStopped, Event, ReplyDone, ReplyYields, SpeakerLevel, now_s

_LEVEL_EVERY_S = 0.1
_TAIL_MS = 350
"""The silence behind a sentence, and half a word."""


@dataclass(slots=True)
class Reply:
    """The reply that is being made or played.

    `aloud` is the number of a text that is only said aloud: no reply to anything, and not remembered; `said_aloud`: all
    of it is here. `too_long`: its end found no room before the speaker.
    """

    turn: int
    said: str = ""
    text: str = ""
    response_id: str = ""
    item_id: str = ""
    done: ReplyDone | None = None
    audible: bool = False
    audible_at_s: float = 0.0
    eager_ms: float = 0.0
    remembered: bool = False
    yields: Literal["", "dipped", "held"] = ""
    aloud: int | None = None
    said_aloud: bool = False
    too_long: bool = False

    @property
    def whole(self) -> bool:
        """Nothing more of it will come."""
        return self.done is not None or self.said_aloud


class Sounding:
    """Follows what the speaker does with a reply, and tells of it. Used by the talk alone."""

    def __init__(self, emit: Callable[[Event], None], playback: Playback) -> None:
        self._emit = emit
        self._playback = playback
        self._level_due_s = 0.0

    def follow(self, reply: Reply, at_s: float) -> None:
        """Notice that it became audible, and tell how loud it is."""
        clock = self._playback.clock()
        if clock is not None and not reply.audible and clock.first_audible_at_s is not None:
            reply.audible, reply.audible_at_s = True, clock.first_audible_at_s
            self._emit(AudioStarted(at_s=clock.first_audible_at_s, turn=reply.turn))
        if clock is not None and reply.audible and at_s >= self._level_due_s:
            self._level_due_s = at_s + _LEVEL_EVERY_S
            played_ms = clock.played_samples * 1000 / SPEAKER_RATE_HZ
            self._emit(SpeakerLevel(at_s=at_s, turn=reply.turn, dbfs=clock.level_dbfs, played_ms=played_ms))

    def make_way(self, reply: Reply | None, how: Literal["dipped", "held", "resumed"]) -> None:
        """Have a reply that is heard make way for a voice, or go on after it."""
        if reply is None or not reply.audible:
            return
        if reply.yields == how or (how == "resumed" and not reply.yields):
            return
        reply.yields = "" if how == "resumed" else how
        {"dipped": self._playback.dip, "held": self._playback.hold, "resumed": self._playback.go_on}[how]()
        self._emit(ReplyYields(at_s=now_s(), turn=reply.turn, how=how))

    def said_it_all(self, reply: Reply | None) -> bool:
        """Whether nothing but the silence behind the last word of it is left: then "okay" is an answer to it."""
        return reply is not None and reply.audible and reply.whole and self._playback.left_ms() < _TAIL_MS

    def ended(self, reply: Reply, at_s: float, played_ms: float) -> None:
        """Nothing more of it will be heard: say so, if anything was."""
        if reply.audible:
            self._emit(AudioStopped(at_s=at_s, turn=reply.turn, played_ms=played_ms))
