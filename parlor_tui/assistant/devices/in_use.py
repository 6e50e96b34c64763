"""Has the talk played and heard with the devices that are there now. Used by the assistant's thread."""

from __future__ import annotations

from parlor_tui.assistant.devices.senses import Senses
from parlor_tui.assistant.ear.listening import Listening
from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.devices.base import Microphone, Speaker
from parlor_tui.hearing.turn import ReplyPhase

_RETRY_S = 2.0


class DevicesInUse:
    """Follows `senses`, which opens and loses devices."""

    def __init__(self, senses: Senses, playback: Playback, talk: Talk, listening: Listening) -> None:
        self._senses = senses
        self._playback = playback
        self._talk = talk
        self._listening = listening
        self._speaker: Speaker | None = None
        self._microphone: Microphone | None = None
        self._moves = 0
        self._retry_at_s = 0.0

    @property
    def wants_speech(self) -> bool:
        """Whether replies are to be spoken: there is a speaker, or there will be in a moment."""
        return self._playback.has_speaker or self._senses.speaker_coming

    @property
    def overruns(self) -> int:
        """How often the microphone lost sound so far; a file in its place loses none."""
        return getattr(self._microphone, "overruns", 0)

    def tick(self, at_s: float) -> None:
        """Try again what is not there, and take what is."""
        if at_s >= self._retry_at_s or self._senses.hurry:
            self._retry_at_s = at_s + _RETRY_S
            self._senses.retry(idle=self._talk.phase is ReplyPhase.NONE)
        self._follow()

    def _follow(self) -> None:
        speaker, microphone = self._senses.speaker, self._senses.microphone
        speaking = self._talk.phase is ReplyPhase.SPEAKING
        if speaker is not self._speaker and not (speaking and self._speaker is None):  # one that is back begins anew
            if speaking and speaker is not None:
                self._talk.interrupt("key")
            self._speaker = speaker
            self._playback.use(speaker)
            self._listening.new_device()
        if microphone is not self._microphone:
            self._microphone = microphone
            self._listening.abandon()
            self._listening.new_device()
        if self._senses.moves != self._moves:
            self._moves = self._senses.moves
            self._listening.new_device()
