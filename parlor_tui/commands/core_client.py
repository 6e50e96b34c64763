"""A core of one's own for a command: turns are sent to it whole, and what comes of each is taken together."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import MIC_RATE_HZ
from parlor_tui.events import (
    Caption,
    CaptionFinal,
    CoreError,
    CoreEvent,
    CoreFailed,
    CoreLoading,
    CoreNotice,
    CoreReady,
    InputTaken,
    MediaTaken,
    ReplyAudio,
    ReplyAudioArrived,
    ReplyDelta,
    ReplyDone,
    ReplyText,
    ReplyUnit,
    ReplyUnitReady,
    TurnCommitted,
    now_s,
)
from parlor_tui.link import client_events as say
from parlor_tui.link.client import Link
from parlor_tui.link.supervisor import Supervisor, core_command
from parlor_tui.observe.stages import LatencyObserver
from parlor_tui.pcm import pcm16_of
from parlor_tui.settings import Settings, log_file

_SILENCE_S = 120.0
"""Nothing from the core for this long means that nothing will come."""
_CAPTION_S = 3.0
"""So long after the reply its caption may come, from a model that hears by itself."""
_PIECE_BYTES = 64 * 1024


class CoreClientError(Exception):
    """The core or a turn does not work; one line. `missing` as for every error of a command."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


class NoCoreError(CoreClientError):
    """Nothing more will come of this core."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: `sound` (mono at 16 kHz) or `text`, and a JPEG if there is one."""

    turn: int
    sound: NDArray[np.float32] | None = None
    text: str = ""
    picture: bytes | None = None


@dataclass(slots=True)
class Answer:
    """What came of a turn. `pcm16` is the speech, mono at 24 kHz."""

    said: str = ""
    reply: str = ""
    status: str = ""
    reason: str = ""
    pcm16: bytearray = field(default_factory=bytearray)
    stages_ms: dict[str, float] = field(default_factory=dict)


class CoreClient:
    """One core, as `core_client` gives it. Used by one thread. `on_notice` takes what it says of itself, by lines."""

    def __init__(self, inbox: queue.Queue[Link | CoreEvent | str]) -> None:
        self._inbox = inbox
        self._link: Link | None = None

    def wait_until_ready(
        self, on_loading: Callable[[CoreLoading], None], on_notice: Callable[[str], None]
    ) -> CoreReady:
        """What it is, once it can answer. Raises CoreClientError."""
        while True:
            match self._next():
                case Link() as link:
                    self._link = link
                case CoreLoading() as loading:
                    on_loading(loading)
                case CoreNotice(text):
                    on_notice(text)
                case CoreFailed(message, missing):
                    raise NoCoreError(message, missing=missing)
                case CoreReady() as ready if self._link is not None:
                    return ready
                case _:
                    pass

    def tune(self, settings: Settings, profile: str) -> None:
        """Answer with these settings from the next turn on."""
        self._send(say.UpdateSession(input_rate_hz=MIC_RATE_HZ, tuning=settings.tuning(profile).values()))

    def ask(self, question: Question, on_notice: Callable[[str], None]) -> Answer:
        """Have one turn, from its first to its last event. Raises CoreClientError; after NoCoreError ask no more."""
        if question.picture is not None:
            self._send(say.CreateItem("user", image=question.picture))
        if question.sound is None:
            self._send(say.CreateItem("user", question.text))
        else:
            data = pcm16_of(question.sound)
            for start in range(0, len(data), _PIECE_BYTES):
                self._send(say.AppendAudio(data[start : start + _PIECE_BYTES]))
            self._send(say.CommitAudio())
        self._send(say.CreateResponse(question.turn))
        at_s = now_s()
        observer = LatencyObserver()
        last_speech_at_s = None if question.sound is None else at_s
        observer.on_event(TurnCommitted(at_s=at_s, turn=question.turn, last_speech_at_s=last_speech_at_s))
        answer = self._collect(question, observer, on_notice)
        answer.stages_ms = observer.stages_ms(question.turn)
        return answer

    def _collect(self, question: Question, observer: LatencyObserver, on_notice: Callable[[str], None]) -> Answer:
        answer, turn = Answer(said=question.text), question.turn
        done, captioned = False, question.sound is None
        while not (done and (captioned or answer.reason == "no_words")):
            try:
                event = self._next(_CAPTION_S if done else _SILENCE_S)
            except NoCoreError:
                if done:
                    break
                raise
            at_s = now_s()
            match event:
                case CaptionFinal(text=text):
                    answer.said, captioned = text, True
                    observer.on_event(Caption(at_s=at_s, turn=turn, text=text, final=True))
                case ReplyDelta(text=text):
                    observer.on_event(ReplyText(at_s=at_s, turn=turn, delta=text))
                case ReplyUnit(text=text):
                    observer.on_event(ReplyUnitReady(at_s=at_s, turn=turn, text=text))
                case ReplyAudio(pcm16=block):
                    answer.pcm16 += block
                    observer.on_event(ReplyAudioArrived(at_s=at_s, turn=turn, samples=len(block) // 2))
                case InputTaken(_, kind, took_ms, ago_ms):
                    observer.on_event(MediaTaken(at_s=at_s - ago_ms / 1000, turn=turn, kind=kind, took_ms=took_ms))
                case CoreNotice(text):
                    on_notice(text)
                case CoreError(message=message):
                    raise CoreClientError(message)
                case ReplyDone() if event.turn == turn:
                    answer.reply, answer.status, answer.reason, done = event.text, event.status, event.reason, True
                case _:
                    pass
        return answer

    def _next(self, timeout_s: float = _SILENCE_S) -> Link | CoreEvent:
        try:
            event = self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            raise NoCoreError(f"nothing came from the core for {timeout_s:.0f} s; see {log_file()}") from None
        if isinstance(event, str):
            raise NoCoreError(event)
        return event

    def _send(self, event: say.ClientEvent) -> None:
        if self._link is None:
            raise NoCoreError("the core is not linked")
        self._link.send(event)


@contextmanager
def core_client(settings: Settings, config: Path | None) -> Iterator[CoreClient]:
    """A core that is started now, and ended afterwards."""
    inbox: queue.Queue[Link | CoreEvent | str] = queue.Queue(8192)
    supervisor = Supervisor(
        core_command(settings, config, apart=True),
        log_file(),
        on_up=inbox.put,
        on_event=inbox.put,
        on_down=lambda reason, _again: inbox.put(reason),
    )
    try:
        supervisor.start()
        yield CoreClient(inbox)
    finally:
        supervisor.stop(1.0)
