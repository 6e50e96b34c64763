"""`parlor-tui --headless`: the whole live pipeline without a screen, one JSON object a line on stdout."""

from __future__ import annotations

import json
import math
import queue
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from parlor_tui.assistant import Assistant
from parlor_tui.assistant.demo.demo import Demo
from parlor_tui.devices.files import SOUND_SUFFIXES, means_file
from parlor_tui.devices.select import open_microphone
from parlor_tui.events import (
    AskedAgain,
    AudioStarted,
    AudioStopped,
    Caption,
    EagerCount,
    EchoLevel,
    Event,
    Failed,
    Governed,
    HeardText,
    InputOver,
    Interrupted,
    Loading,
    MediaTaken,
    ModelComing,
    ModelOffered,
    ModelOver,
    Notice,
    PauseJudged,
    Ready,
    ReplyText,
    ReplyYields,
    SpeechStarted,
    SpeechStopped,
    State,
    StateChanged,
    TurnCommitted,
    TurnDone,
    now_s,
)
from parlor_tui.settings import Settings

_QUIET_S = 1.2
"""After the microphone's file is over, this long without anything going on is the end."""
_WAITING_EVENTS = 4096
_STOP_S = 1.5
_ECHO_EVERY_S = 1.0


def run(settings: Settings, config: Path | None, demo: Demo | None = None) -> int:
    """Run until the microphone's file is over and all is quiet, or until SIGINT, SIGTERM or SIGHUP; the exit code.

    Raises DeviceError for a file that cannot stand in for the microphone: nobody could ever say anything.
    """
    lines = Lines(now_s())

    def shown(event: Event) -> list[str]:
        line = lines.of(event)
        return [] if line is None else [json.dumps(line, ensure_ascii=False)]

    return converse(settings, config, shown, demo=demo)


def converse(
    settings: Settings,
    config: Path | None,
    shown: Callable[[Event], list[str]],
    typing: Callable[[Assistant, Callable[[Event], None], Callable[[], None]], object] | None = None,
    demo: Demo | None = None,
) -> int:
    """Run the pipeline, print what `shown` makes of each event, and return the exit code.

    `typing` begins to read what is typed, if anything is: it gets the assistant, a way to have an event shown, and one
    to leave. The end of the input is the `InputOver` that it sends; without it, the end of the microphone's file.
    """
    if means_file(settings.devices.microphone, SOUND_SUFFIXES):
        open_microphone(settings.devices.microphone)
    events: queue.Queue[Event] = queue.Queue(_WAITING_EVENTS)
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and (name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN):  # not of nohup
            signal.signal(number, on_signal)

    def heard(event: Event) -> None:
        if typing is None or not isinstance(event, InputOver):
            events.put(event)

    assistant = Assistant(settings, config, heard, demo=demo)
    assistant.start()
    try:
        if typing is not None:
            typing(assistant, events.put, stop.set)
        lasting = typing is not None and sys.stdin is not None and sys.stdin.isatty()
        return _follow(events, stop, shown, _Ending(lasting=lasting))
    finally:
        assistant.stop(_STOP_S)


def _follow(
    events: queue.Queue[Event], stop: threading.Event, shown: Callable[[Event], list[str]], ending: _Ending
) -> int:
    while not stop.is_set():
        try:
            event = events.get(timeout=0.1)
        except queue.Empty:
            pass
        else:
            if lines := shown(event):
                sys.stdout.write("".join(f"{line}\n" for line in lines))
                sys.stdout.flush()
            ending.on_event(event)
        if (code := ending.code(now_s())) is not None:
            return code
    return 0


class _Ending:
    """When there is nothing more to come. `lasting`: whoever types can have a core tried again that did not come up."""

    def __init__(self, *, lasting: bool) -> None:
        self._lasting = lasting
        self._over = False
        self._state = State.LOADING
        self._failed: int | None = None
        self._quiet_since_s = 0.0

    def on_event(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case InputOver():
                self._over = True
                self._quiet_since_s = event.at_s
            case StateChanged(state=state):
                self._state = state
                self._quiet_since_s = event.at_s
            case Failed(missing=missing):
                self._failed = 3 if missing else 4
            case _:
                pass

    def code(self, at_s: float) -> int | None:
        """The exit code, once it is the end."""
        if self._state is State.ERROR and self._failed is not None and (self._over or not self._lasting):
            return self._failed
        quiet = self._state in (State.LISTENING, State.MUTED)
        if self._over and quiet and at_s - self._quiet_since_s >= _QUIET_S:
            return 0
        return None


class Lines:
    """What is printed of the events, in their order; times count from `began_s`. An echo is told once a second."""

    def __init__(self, began_s: float) -> None:
        self._began_s = began_s
        self._echo_due_s = -math.inf

    def of(self, event: Event) -> dict[str, Any] | None:
        """The object that is printed for `event`; None for one that is not."""
        if isinstance(event, EchoLevel):
            if event.at_s < self._echo_due_s:
                return None
            self._echo_due_s = event.at_s + _ECHO_EVERY_S
        return as_line(event, self._began_s)


def as_line(event: Event, began_s: float) -> dict[str, Any] | None:
    """`event` as the object that is printed for it; None for one that is not. `t_ms` counts from `began_s`."""

    def line(name: str, /, **fields: Any) -> dict[str, Any]:
        return {"t_ms": round((event.at_s - began_s) * 1000, 1), "event": name, **fields}

    match event:
        case Ready(profile=profile, model=model, load_ms=load_ms, hears=hears, sees=sees):
            return line("ready", profile=profile, model=model, load_ms=round(load_ms, 1), hears=hears, sees=sees)
        case SpeechStarted(turn=turn):
            return line("speech_started", turn=turn)
        case SpeechStopped(turn=turn, last_speech_at_s=last, dropped=dropped):
            return line(
                "speech_stopped", turn=turn, last_speech_t_ms=round((last - began_s) * 1000, 1), dropped=dropped
            )
        case PauseJudged(turn=turn, wait_ms=wait_ms, why=why, finished=finished):
            sounds = None if finished is None else round(finished, 3)
            return line("pause_judged", turn=turn, wait_ms=wait_ms, why=why, finished=sounds)
        case ReplyYields(turn=turn, how=how):
            return line("reply_yields", turn=turn, how=how)
        case EchoLevel(dbfs=dbfs, suppressed_db=suppressed_db):
            return line("echo_level", dbfs=round(dbfs, 1), suppressed_db=round(suppressed_db, 1))
        case EagerCount(hits=hits, dropped=dropped, saved_ms=saved_ms, wasted_ms=wasted_ms):
            return line(
                "eager_count",
                hits=hits,
                dropped=dropped,
                saved_ms=round(saved_ms, 1),
                wasted_ms=round(wasted_ms, 1),
            )
        case Caption(turn=turn, text=text, final=final):
            return line("caption", turn=turn, text=text, final=final)
        case TurnCommitted(turn=turn, last_speech_at_s=last):
            return line("turn_committed", turn=turn, source="typed" if last is None else "voice")
        case MediaTaken(turn=turn, kind=kind, took_ms=took_ms):
            return line("media_taken", turn=turn, kind=kind, took_ms=round(took_ms, 1))
        case ReplyText(turn=turn, delta=delta, final=final, whole=whole):
            return line("reply_text", turn=turn, delta=delta, final=final, **({"text": whole} if final else {}))
        case AskedAgain(turn=turn):
            return line("asked_again", turn=turn)
        case AudioStarted(turn=turn):
            return line("audio_started", turn=turn)
        case AudioStopped(turn=turn, played_ms=played_ms):
            return line("audio_stopped", turn=turn, played_ms=round(played_ms, 1))
        case Interrupted(turn=turn, by=by, played_ms=played_ms):
            return line("interrupted", turn=turn, by=by, played_ms=round(played_ms, 1))
        case TurnDone():
            return line(
                "turn_done",
                turn=event.turn,
                status=event.status,
                heard=event.heard,
                reply=event.reply,
                stages_ms=dict(event.stages_ms),
                output_tokens=event.output_tokens,
                eager_ms=round(event.eager_ms, 1),
            )
        case ModelOffered():
            return line("model_offered", **_fields(event))
        case ModelComing():
            return line("model_coming", **_fields(event))
        case ModelOver():
            return line("model_over", **_fields(event))
        case HeardText(turn=turn, heard=heard):
            return line("notice", severity="info", key="", text=f"of the reply was heard: {heard!r}", turn=turn)
        case Notice(text=text, severity=severity, key=key):
            return line("notice", severity=severity, key=key, text=text)
        case Governed():
            return line("governor", **_fields(event))
        case Loading(text=text, total_bytes=0):
            return line("notice", severity="info", key="loading", text=text)
        case Failed(text=text, missing=missing):
            return line("error", text=text, missing=missing)
        case _:
            return None


def _fields(event: ModelOffered | ModelComing | ModelOver | Governed) -> dict[str, Any]:
    """All of an event that is printed as it is."""
    return {name: value for name, value in asdict(event).items() if name != "at_s"}
