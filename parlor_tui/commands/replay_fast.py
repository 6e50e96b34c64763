"""A conversation replayed as fast as the models can: its sounds go to the core as a whole, and nothing is played."""

from __future__ import annotations

import queue
from pathlib import Path

from parlor_tui.commands.replay_parts import Answer, Outcome, Replayed, Talk, Tell, changed, samples_of, then
from parlor_tui.conversations.export import in_order
from parlor_tui.conversations.record import ConversationError, Mark, Turn
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
Inbox = queue.Queue[Link | CoreEvent | str]


def replay(talk: Talk, settings: Settings, config: Path | None, outcome: Outcome, tell: Tell) -> None:
    """Have the conversation again, and add to `outcome` turn by turn. Raises ConversationError if it cannot go on."""
    inbox: Inbox = queue.Queue(8192)
    supervisor = Supervisor(
        core_command(settings, config),
        log_file(),
        on_up=inbox.put,
        on_event=inbox.put,
        on_down=lambda reason, _again: inbox.put(reason),
    )
    try:
        supervisor.start()
        link, ready = _wait_until_ready(inbox, outcome, tell)
        outcome.profile, outcome.model = ready.profile, ready.model
        tuning = settings.tuning(ready.profile).values()
        link.send(say.UpdateSession(input_rate_hz=MIC_RATE_HZ, tuning=tuning))
        for entry in in_order(talk.conversation):
            if isinstance(entry, Mark):
                settings, _ = changed(settings, entry, outcome.notes)
                link.send(say.UpdateSession(tuning=settings.tuning(ready.profile).values()))
            else:
                tell(f"turn {entry.number}")
                outcome.turns.append(_turn(talk, entry, link, inbox, outcome.notes))
    finally:
        supervisor.stop(1.0)


def _next(inbox: Inbox, timeout_s: float = _SILENCE_S) -> Link | CoreEvent:
    try:
        event = inbox.get(timeout=timeout_s)
    except queue.Empty:
        raise ConversationError(f"nothing came from the core for {timeout_s:.0f} s; see {log_file()}") from None
    if isinstance(event, str):
        raise ConversationError(event)
    return event


def _wait_until_ready(inbox: Inbox, outcome: Outcome, tell: Tell) -> tuple[Link, CoreReady]:
    link: Link | None = None
    told = ""
    while True:
        match _next(inbox):
            case Link() as link:
                pass
            case CoreLoading(text) if text != told:
                told = text
                tell(text)
            case CoreNotice(text):
                outcome.notes.append(text)
            case CoreFailed(message, missing):
                raise ConversationError(message, missing=missing)
            case CoreReady() as ready if link is not None:
                return link, ready
            case _:
                pass


def _turn(talk: Talk, turn: Turn, link: Link, inbox: Inbox, notes: list[str]) -> Replayed:
    wav = talk.sounds(turn.number, "user")
    picture = talk.picture(turn.number)
    if picture is not None:
        link.send(say.CreateItem("user", image=picture))
    if wav is None:
        link.send(say.CreateItem("user", turn.said))
    else:
        sound = pcm16_of(samples_of(wav, turn.number))
        for start in range(0, len(sound), _PIECE_BYTES):
            link.send(say.AppendAudio(sound[start : start + _PIECE_BYTES]))
        link.send(say.CommitAudio())
    link.send(say.CreateResponse(turn.number))
    at_s = now_s()
    observer = LatencyObserver()
    observer.on_event(TurnCommitted(at_s=at_s, turn=turn.number, last_speech_at_s=None if wav is None else at_s))
    now = _collect(inbox, observer, turn, turn.said if wav is None else None, notes)
    return Replayed(turn.number, wav is not None, then(turn), now)


def _collect(inbox: Inbox, observer: LatencyObserver, turn: Turn, said: str | None, notes: list[str]) -> Answer | None:
    """What comes of a turn; `said` are its words if they are known already."""
    done: ReplyDone | None = None
    while done is None or said is None:
        if done is not None and done.reason == "no_words":
            return None
        try:
            event = _next(inbox, _SILENCE_S if done is None else _CAPTION_S)
        except ConversationError:
            if done is None:
                raise
            break
        at_s, number = now_s(), turn.number
        match event:
            case CaptionFinal(text=text):
                said = text
                observer.on_event(Caption(at_s=at_s, turn=number, text=text, final=True))
            case ReplyDelta(text=text):
                observer.on_event(ReplyText(at_s=at_s, turn=number, delta=text))
            case ReplyUnit(text=text):
                observer.on_event(ReplyUnitReady(at_s=at_s, turn=number, text=text))
            case ReplyAudio(pcm16=block):
                observer.on_event(ReplyAudioArrived(at_s=at_s, turn=number, samples=len(block) // 2))
            case InputTaken(_, kind, took_ms, ago_ms):
                taken = MediaTaken(at_s=at_s - ago_ms / 1000, turn=number, kind=kind, took_ms=took_ms)
                observer.on_event(taken)
            case CoreNotice(text):
                notes.append(text)
            case CoreError(message=message):
                notes.append(f"turn {number}: {message}")
                return None
            case ReplyDone() if event.turn == number:
                done = event
            case _:
                pass
    stages_ms = {name: ms for name, ms in observer.stages_ms(turn.number).items() if name != "endpoint"}
    return Answer(said or "", done.text, done.status, stages_ms)
