"""`parlor-tui ask`: one turn without a screen, through the same core as the screen's."""

from __future__ import annotations

import json
import queue
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.devices.base import MIC_RATE_HZ
from parlor_tui.devices.opencv import read_picture
from parlor_tui.devices.sound_file import WavRecording, read_sound
from parlor_tui.events import (
    Caption,
    CaptionFinal,
    CoreError,
    CoreEvent,
    CoreFailed,
    CoreHello,
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
from parlor_tui.hearing.vad import FRAME_SAMPLES, open_vad
from parlor_tui.link import client_events as say
from parlor_tui.link.client import Link
from parlor_tui.link.supervisor import Supervisor, core_command
from parlor_tui.link.wire import OUTPUT_RATE_HZ
from parlor_tui.observe.stages import LatencyObserver
from parlor_tui.pcm import pcm16_of, samples_of
from parlor_tui.settings import Settings, log_file

LONGEST_QUESTION_S = 110.0
_SILENCE_S = 120.0
"""Nothing from the core for this long means that nothing will come."""
_PIECE_BYTES = 64 * 1024
_TURN = 1


class AskError(Exception):
    """The turn did not work; one line. `missing` as for every error of a command."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


@dataclass(slots=True)
class Answer:
    """What came of the turn."""

    profile: str = ""
    heard: str = ""
    reply: str = ""
    status: str = ""
    reason: str = ""
    pcm16: bytearray = field(default_factory=bytearray)
    notices: list[str] = field(default_factory=list)


def run(
    settings: Settings,
    config: Path | None,
    *,
    wav: Path | None,
    text: str | None,
    image: Path | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Ask, and print the answer; the exit code. Raises AskError and DeviceError, each one line."""
    sound = _question(wav) if wav is not None else None
    if text is not None and not text.strip():
        raise AskError("--text is empty: give the question")
    picture = read_picture(image) if image is not None else None
    if out is not None and out.suffix.lower() not in (".wav", ".wave"):
        raise AskError(f"{out}: the reply is saved as WAV: give --out a name that ends in .wav")
    if out is not None and not out.expanduser().parent.is_dir():
        raise AskError(f"{out}: cannot be written: there is no folder {out.parent}", missing=True)
    inbox: queue.Queue[Link | CoreEvent | str] = queue.Queue(8192)
    supervisor = Supervisor(
        core_command(settings, config),
        log_file(),
        on_up=inbox.put,
        on_event=inbox.put,
        on_down=lambda reason, _again: inbox.put(reason),
    )
    observer = LatencyObserver()
    try:
        supervisor.start()
        notices: list[str] = []
        link, profile = _wait_until_ready(inbox, notices)
        _ask(link, settings, profile, sound, text, picture, observer)
        answer = _collect(inbox, observer, Answer(profile=profile, heard=text or "", notices=notices))
    finally:
        supervisor.stop(1.0)
    _show(answer, observer, as_json)
    if out is not None:
        _save(out, answer)
    return 0


def _question(wav: Path) -> NDArray[np.float32]:
    """The sound of the file, which must hold speech."""
    sound = read_sound(wav, LONGEST_QUESTION_S)
    vad = open_vad()
    blocks = (sound[i : i + FRAME_SAMPLES] for i in range(0, len(sound) - FRAME_SAMPLES + 1, FRAME_SAMPLES))
    if not any(vad.probability(block) >= 0.5 for block in blocks):
        raise AskError(f"{wav}: no speech found in it: give a recording of somebody who speaks")
    return sound


def _wait_until_ready(inbox: queue.Queue[Link | CoreEvent | str], notices: list[str]) -> tuple[Link, str]:
    link: Link | None = None
    profile = ""
    with _ProgressLine() as progress:
        while True:
            match _next(inbox):
                case Link() as link:
                    pass
                case str(reason):
                    raise AskError(reason)
                case CoreHello(profile=profile):
                    pass
                case CoreLoading(text, done_bytes, total_bytes):
                    progress.show(text, done_bytes, total_bytes)
                case CoreNotice(text):
                    _note(text, notices)
                case CoreFailed(message, missing):
                    raise AskError(message, missing=missing)
                case CoreReady(profile=profile) if link is not None:
                    return link, profile
                case _:
                    pass


def _next(inbox: queue.Queue[Link | CoreEvent | str]) -> Link | CoreEvent | str:
    try:
        return inbox.get(timeout=_SILENCE_S)
    except queue.Empty:
        raise AskError(f"nothing came from the core for {_SILENCE_S:.0f} s; see {log_file()}") from None


def _ask(
    link: Link,
    settings: Settings,
    profile: str,
    sound: NDArray[np.float32] | None,
    text: str | None,
    picture: bytes | None,
    observer: LatencyObserver,
) -> None:
    link.send(say.UpdateSession(input_rate_hz=MIC_RATE_HZ, tuning=settings.tuning(profile).values()))
    if picture is not None:
        link.send(say.CreateItem("user", image=picture))
    if sound is not None:
        data = pcm16_of(sound)
        for start in range(0, len(data), _PIECE_BYTES):
            link.send(say.AppendAudio(data[start : start + _PIECE_BYTES]))
        link.send(say.CommitAudio())
    else:
        link.send(say.CreateItem("user", text or ""))
    link.send(say.CreateResponse(_TURN))
    at_s = now_s()
    last = at_s if sound is not None else None
    observer.on_event(TurnCommitted(at_s=at_s, turn=_TURN, last_speech_at_s=last))


def _collect(inbox: queue.Queue[Link | CoreEvent | str], observer: LatencyObserver, answer: Answer) -> Answer:
    while True:
        event = _next(inbox)
        at_s = now_s()
        match event:
            case str(reason):
                raise AskError(reason)
            case CaptionFinal(text=text):
                answer.heard = text
                observer.on_event(Caption(at_s=at_s, turn=_TURN, text=text, final=True))
            case ReplyDelta(text=text):
                observer.on_event(ReplyText(at_s=at_s, turn=_TURN, delta=text))
            case ReplyUnit(text=text):
                observer.on_event(ReplyUnitReady(at_s=at_s, turn=_TURN, text=text))
            case ReplyAudio(pcm16=block):
                answer.pcm16 += block
                observer.on_event(ReplyAudioArrived(at_s=at_s, turn=_TURN, samples=len(block) // 2))
            case InputTaken(_, kind, took_ms, ago_ms):
                taken = MediaTaken(at_s=at_s - ago_ms / 1000, turn=_TURN, kind=kind, took_ms=took_ms)
                observer.on_event(taken)
            case CoreNotice(text):
                _note(text, answer.notices)
            case CoreError(message=message):
                raise AskError(message)
            case ReplyDone():
                answer.reply, answer.status, answer.reason = event.text, event.status, event.reason
                return answer
            case _:
                pass


def _note(text: str, notices: list[str]) -> None:
    notices.append(text)
    print(f"parlor-tui: {text}", file=sys.stderr)


def _save(out: Path, answer: Answer) -> None:
    recording = WavRecording(out)
    recording.add(samples_of(answer.pcm16))
    recording.close()


def _show(answer: Answer, observer: LatencyObserver, as_json: bool) -> None:
    if answer.status == "failed":
        raise AskError(f"no answer: {answer.reason}")
    if answer.reason == "no_words":
        raise AskError("no words were understood in it: speak up, or give --text")
    if as_json:
        result: dict[str, Any] = {
            "heard": answer.heard,
            "reply": answer.reply,
            "profile": answer.profile,
            "audio_seconds": round(len(answer.pcm16) / 2 / OUTPUT_RATE_HZ, 3),
            "stages_ms": observer.stages_ms(_TURN),
            "notices": answer.notices,
        }
        print(json.dumps(result, ensure_ascii=False))
    else:
        print(f"you     {answer.heard}\nparlor  {answer.reply}")


class _ProgressLine:
    """What the core loads, on stderr: a bar on a terminal, a line for each new thing elsewhere."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        console = Console(stderr=True)
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), DownloadColumn(), console=console, transient=True
        )
        self._task = self._progress.add_task("starting", total=None)
        self._last = ""

    def __enter__(self) -> _ProgressLine:
        if self._live:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._progress.stop()

    def show(self, text: str, done_bytes: int, total_bytes: int) -> None:
        """Show one step."""
        if self._live:
            self._progress.update(self._task, description=text, completed=done_bytes, total=total_bytes or None)
        elif total_bytes and text != self._last:
            print(f"parlor-tui: {text} ({total_bytes / 1e6:.0f} MB)", file=sys.stderr)
        self._last = text
