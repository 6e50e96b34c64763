"""A talk without devices, with all that it said to the core and to its listeners."""

from __future__ import annotations

import numpy as np

from parlor_tui.assistant.ear.utterance import Heard
from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.events import (
    Event,
    ReplyAudio,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    ReplyUnit,
    ReplyYields,
    TurnDone,
)
from parlor_tui.hearing.turn import Action, Begin, Commit, Confirm, Pause, Sure
from parlor_tui.link.client_events import (
    CancelResponse,
    ClientEvent,
    CommitAudio,
    CreateItem,
    CreateResponse,
    PauseAudio,
    ResumeAudio,
    TruncateItem,
)
from parlor_tui.observe.stages import LatencyObserver
from tests.assistant.loudspeaker import Loudspeaker


class Terminal:
    """A talk, with all that it said to the core and to its listeners; heard only with a loudspeaker."""

    def __init__(self, loudspeaker: Loudspeaker | None = None) -> None:
        self.sent: list[ClientEvent] = []
        self.events: list[Event] = []
        playback = Playback()
        playback.use(loudspeaker)
        self.talk = Talk(self.events.append, self.sent.append, playback, LatencyObserver())

    def hear(self, *actions: Action) -> None:
        self.talk.heard(Heard(-20.0, 0.9, actions, b"\0\0"), 1.0, lambda: None)

    def speak(self) -> None:
        for action in (Begin(), Confirm(), Sure(), Pause(1, 1.0), Commit(1.0)):
            self.hear(action)

    def begin_to_answer(self, turn: int, text: str, seconds: float = 1.0) -> None:
        response, item = f"resp_{turn}", f"item_{turn}"
        self.talk.core_said(ReplyCreated(response, item, turn))
        self.talk.core_said(ReplyDelta(response, item, text))
        self.talk.core_said(ReplyUnit(response, item, text))
        self.talk.core_said(ReplyAudio(response, item, tone(seconds)))
        self.talk.tick(hold=False)

    def yields(self) -> list[str]:
        return [event.how for event in self.events if isinstance(event, ReplyYields)]

    def answer(self, turn: int, text: str) -> None:
        response, item = f"resp_{turn}", f"item_{turn}"
        self.talk.core_said(ReplyCreated(response, item, turn))
        self.talk.core_said(ReplyDelta(response, item, text))
        self.talk.core_said(ReplyDone(response, item, turn, "completed", text))
        self.talk.tick(hold=False)

    def turns_done(self) -> list[tuple[int, str]]:
        return [(event.turn, event.status) for event in self.events if isinstance(event, TurnDone)]

    def requests(self) -> list[str]:
        kinds = (CreateResponse, CancelResponse, CommitAudio, CreateItem, PauseAudio, ResumeAudio, TruncateItem)
        return [type(event).__name__ for event in self.sent if isinstance(event, kinds)]


def tone(seconds: float) -> bytes:
    """16-bit little-endian mono PCM at 24 kHz."""
    return (0.3 * np.sin(np.arange(int(seconds * 24_000)) / 5) * 32767).astype("<i2").tobytes()


def level(sound: np.ndarray) -> float:
    return float(np.abs(sound[len(sound) // 2 :]).max())


def spoken_over(*, answer: str = "One two three four five.") -> tuple[Terminal, Loudspeaker]:
    """A reply of one second, 200 ms of which were heard."""
    loudspeaker = Loudspeaker()
    terminal = Terminal(loudspeaker)
    terminal.talk.typed("Count.", None)
    terminal.begin_to_answer(1, answer)
    loudspeaker.play(200)
    terminal.talk.tick(hold=False)
    terminal.sent.clear()
    return terminal, loudspeaker
