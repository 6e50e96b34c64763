"""Whose turn it is, and why, as data: events in, one line and the speaker's side out. Nothing here draws."""

from __future__ import annotations

from typing import Literal

from parlor_tui.events import (
    AudioStarted,
    AudioStopped,
    EagerCount,
    EchoLevel,
    Event,
    Interrupted,
    MicLevel,
    PauseJudged,
    ReplyYields,
    SpeakerLevel,
    SpeechStarted,
    SpeechStopped,
    Tuned,
    TurnCommitted,
)
from parlor_tui.ui.pauses import ended_words, pause_words

Yields = Literal["dipped", "held"]
YIELDS_WORDS = {
    "dipped": "quieter: somebody speaks",
    "held": "held: listening to you; it goes on if this is no turn",
    "resumed": "goes on: that was no turn",
}
NO_TURN = "no turn: too short, or without words"


class Exchange:
    """Follows turn-taking. `apply` takes every event, in order.

    `note` is what happens between the two, or why the last turn ended; `yields`, how the reply makes way at the moment.
    `speaker_dbfs` and `echo` are None while nothing of a reply sounds, `eager` before the first count. A microphone
    block from `speech_probability` on is speech.
    """

    def __init__(self, speech_probability: float) -> None:
        self.note = ""
        self.yields: Yields | None = None
        self.speaker_dbfs: float | None = None
        self.echo: EchoLevel | None = None
        self.eager: EagerCount | None = None
        self._speech_probability = speech_probability
        self._playing: int | None = None
        self._pause: PauseJudged | None = None
        self._pausing = False

    @property
    def lasts(self) -> bool:
        """Whether `note` tells of something that is going on, rather than of what was."""
        return self._pausing or self.yields is not None

    def apply(self, event: Event) -> None:
        """Take one event over; those that do not concern turn-taking change nothing."""
        match event:
            case MicLevel():
                if self._pausing and event.speech_probability >= self._speech_probability:
                    self._tell("")  # the user goes on
            case SpeechStarted() if self._playing is None:
                self._tell("")
            case TurnCommitted(last_speech_at_s=None):
                self._tell("")
            case PauseJudged():
                self._tell(pause_words(event))
                self._pause, self._pausing = event, True
            case SpeechStopped():
                self._stopped(event)
            case ReplyYields() if event.turn == self._playing:
                self._make_way(event)
            case AudioStarted():
                self._silent()
                self._playing = event.turn
            case Interrupted() | AudioStopped() if event.turn == self._playing:
                self._silent()
            case SpeakerLevel() if event.turn == self._playing and self.yields != "held":
                self.speaker_dbfs = event.dbfs
            case EchoLevel() if self._playing is not None and self.yields != "held":
                self.echo = event
            case EagerCount():
                self.eager = event
            case Tuned(values=values):
                self._speech_probability = values.get("hearing.vad_threshold", self._speech_probability)

    def _tell(self, note: str) -> None:
        self.note, self._pausing = note, False

    def _stopped(self, event: SpeechStopped) -> None:
        if not event.dropped:
            judged = self._pause if self._pause is not None and self._pause.turn == event.turn else None
            self._tell(ended_words(event, judged))
        elif self._playing is None:
            self._tell(NO_TURN)

    def _make_way(self, event: ReplyYields) -> None:
        self._tell(YIELDS_WORDS[event.how])
        self.yields = None if event.how == "resumed" else event.how
        if self.yields == "held":
            self.speaker_dbfs = self.echo = None

    def _silent(self) -> None:
        if self.note in YIELDS_WORDS.values():
            self._tell("")
        self._playing = self.yields = self.speaker_dbfs = self.echo = None
