"""Keeps the talk if the user asks for it: from the assistant's events and sound to lines and files of a conversation.

Used by the assistant's thread; the disk is left to the writer's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, cast

from parlor_tui.assistant.keeping.wall_time import wall_time
from parlor_tui.conversations.record import Conversation, Mark, head_line, mark_line, turn_line
from parlor_tui.conversations.store import Store, picture_name, sound_name
from parlor_tui.conversations.writer import Writer, wav
from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ
from parlor_tui.events import (
    AudioStopped,
    Caption,
    CoreFound,
    Event,
    HeardText,
    Interrupted,
    MediaTaken,
    Notice,
    Ready,
    RecordingChanged,
    SpeechStopped,
    TurnCommitted,
    TurnDone,
    now_s,
)

Record = Literal["off", "text", "text+audio"]
_KNOWN_TURNS = 64
_LONGEST_SPEECH_BYTES = 120 * 2 * MIC_RATE_HZ
_LONGEST_REPLY_BYTES = 600 * 2 * SPEAKER_RATE_HZ
_CLOSE_S = 1.0
_NAMES_A_SECOND = 32
"""Of conversations that begin within one second, and may not be on the disk yet."""


@dataclass(slots=True)
class _Turn:
    """What is known of a turn. `number` is its own in the conversation; 0 as long as nothing of it is kept."""

    number: int = 0
    folder: Path = Path()
    said: str = ""
    speech: bytearray = field(default_factory=bytearray)
    reply: bytearray = field(default_factory=bytearray)
    response_id: str = ""
    picture: bytes = b""
    shown: bool = False
    played_ms: float | None = None


class Recording:
    """Follows one talk. `on_trouble` and `on_full` are called on the writer's thread: see there."""

    def __init__(
        self,
        folder: Path,
        record: str,
        sound_mb: int,
        emit: Callable[[Event], None],
        on_trouble: Callable[[str], None],
        on_full: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.store = Store(folder)
        self.record = cast(Record, record)
        self._most_sound_bytes = sound_mb * 1_000_000
        self._emit = emit
        self._writer = Writer(on_trouble, on_full)
        self._folder: Path | None = None
        self._given_names: deque[str] = deque(maxlen=_NAMES_A_SECOND)
        self._last_number = 0
        self._sound_bytes = 0
        self._too_much_sound = False
        self._turns: dict[int, _Turn] = {}
        self._model = ("", "")
        self._tuned: dict[str, Any] = {}

    @property
    def keeps_sound(self) -> bool:
        """Whether sound is wanted, and there is room for it."""
        return self.record == "text+audio" and not self._too_much_sound

    # --- what the user wants ------------------------------------------------------------------------------------------

    def tell(self) -> None:
        """Say what is kept."""
        name = self._folder.name if self._folder is not None and self.record != "off" else ""
        self._emit(RecordingChanged(at_s=now_s(), record=self.record, name=name))

    def set(self, record: str) -> None:
        """Keep so much from the next turn on."""
        self.record = cast(Record, record)
        self._writer.again()
        if record == "off":
            self._turns.clear()
        self.tell()

    def failed(self, why: str) -> None:
        """Nothing can be kept any more; the talk goes on."""
        self.record = "off"
        self._turns.clear()
        self._folder = None
        told = f"{why}; from here on nothing is kept. Once that is put right, switch recording on again"
        self._emit(Notice(at_s=now_s(), text=told, severity="warning"))
        self.tell()

    def begin(self, taken_up: Conversation | None = None, kept_sound_bytes: int = 0) -> None:
        """What follows is another conversation: a new one, or one that is taken up again and is added to.

        Of that one `kept_sound_bytes` of sound are there already.
        """
        self._folder, self._last_number, self._sound_bytes, self._too_much_sound = None, 0, 0, False
        if taken_up is not None:
            self._folder = self.store.folder / taken_up.name
            self._last_number = max((turn.number for turn in taken_up.turns), default=0)
            self._sound_bytes = kept_sound_bytes
            if self.record != "off":
                self._writer.append(self._folder, head_line(taken_up.began, *self._model))
        self.tell()

    def tuned(self, values: Mapping[str, Any]) -> None:
        """Settings were changed."""
        self._tuned |= values
        if self._folder is not None and self.record != "off":
            self._writer.append(self._folder, mark_line(Mark(self._last_number, _time(now_s()), values)))

    def close(self) -> None:
        """Write what waits, and end."""
        self._writer.close(_CLOSE_S)

    # --- what happens -------------------------------------------------------------------------------------------------

    def speech(self, turn: int, pcm16: bytes) -> None:
        """More of what the user says: 16-bit PCM at 16 kHz."""
        if self.keeps_sound and len(self._turn(turn).speech) < _LONGEST_SPEECH_BYTES:
            self._turn(turn).speech += pcm16

    def reply_sound(self, turn: int, response_id: str, pcm16: bytes) -> None:
        """More of a reply: 16-bit PCM at 24 kHz. That of another response takes the place of what there was."""
        if self.keeps_sound:
            known = self._turn(turn)
            if known.response_id != response_id:
                known.response_id, known.reply = response_id, bytearray()
            if len(known.reply) < _LONGEST_REPLY_BYTES:
                known.reply += pcm16

    def seen(self, turn: int, jpeg: bytes | None) -> None:
        """What the camera saw at the end of the turn; kept once the model was shown it."""
        if self.keeps_sound and jpeg is not None:
            self._turn(turn).picture = jpeg
            self._keep_picture(self._turn(turn))

    def on_event(self, event: Event) -> None:
        """Take one of the assistant's events."""
        match event:
            case CoreFound(profile=profile, model=model) | Ready(profile=profile, model=model):
                self._model = profile, model
            case _ if self.record == "off":
                pass
            case SpeechStopped(dropped=True):
                self._turns.pop(event.turn, None)
            case Caption(final=True):
                known = self._turn(event.turn)
                known.said = event.text
                if known.number:
                    self._tell_of(known, said=event.text)
            case TurnCommitted():
                self._committed(event)
            case MediaTaken(kind="picture"):
                self._turn(event.turn).shown = True
                self._keep_picture(self._turn(event.turn))
            case Interrupted() | AudioStopped():
                self._turn(event.turn).played_ms = event.played_ms
            case HeardText() if kept := self._kept(event.turn):
                self._tell_of(kept, heard=event.heard)
            case TurnDone() if kept := self._kept(event.turn):
                self._done(kept, event)
            case _:
                pass

    # --- inside -------------------------------------------------------------------------------------------------------

    def _turn(self, turn: int) -> _Turn:
        known = self._turns.get(turn)
        if known is None:
            known = self._turns[turn] = _Turn()
            for old in sorted(self._turns)[:-_KNOWN_TURNS]:
                del self._turns[old]
        return known

    def _kept(self, turn: int) -> _Turn | None:
        """The turn, if any of it is kept."""
        known = self._turns.get(turn)
        return known if known is not None and known.number else None

    def _tell_of(self, known: _Turn, **told: Any) -> None:
        self._writer.append(known.folder, turn_line(known.number, **told))

    def _committed(self, event: TurnCommitted) -> None:
        at = _time(event.at_s)
        if self._folder is None or not self._is_there(self._folder):
            self._begin_folder(at)
        if self._folder is None:
            return
        known = self._turn(event.turn)
        self._last_number += 1
        known.number, known.folder = self._last_number, self._folder
        self._tell_of(known, at=at, by="typed" if event.last_speech_at_s is None else "voice", said=known.said)
        self._save(known, sound_name(known.number, "user"), _whole_wav(known.speech, MIC_RATE_HZ))
        known.speech = bytearray()
        self._keep_picture(known)

    def _begin_folder(self, at: str) -> None:
        name = self.store.fresh_name(datetime.fromisoformat(at), self._given_names)
        self._given_names.append(name)
        self._folder = self.store.folder / name
        self._last_number = self._sound_bytes = 0
        tuned = mark_line(Mark(0, at, self._tuned)) if self._tuned else b""
        self._writer.begin(self._folder, head_line(at, *self._model) + tuned)
        self.tell()

    def _is_there(self, folder: Path) -> bool:
        """Whether the conversation was not deleted meanwhile. Of one that just began the folder is still to come."""
        return not self._writer.has_written(folder) or folder.is_dir()

    def _done(self, known: _Turn, event: TurnDone) -> None:
        told: dict[str, Any] = {"status": event.status}
        if event.heard and event.heard != known.said:
            told["said"] = known.said = event.heard
        if event.reply:
            told["reply"] = event.reply
        stages = {name: round(ms, 1) for name, ms in event.stages_ms.items()}
        self._tell_of(known, **told, stages_ms=stages, output_tokens=event.output_tokens)
        heard_bytes = len(known.reply)
        if known.played_ms is not None and event.status != "completed":
            heard_bytes = round(known.played_ms * SPEAKER_RATE_HZ / 1000) * 2
        self._save(known, sound_name(known.number, "reply"), _whole_wav(known.reply[:heard_bytes], SPEAKER_RATE_HZ))
        known.reply = bytearray()

    def _keep_picture(self, known: _Turn) -> None:
        if known.number and known.shown and known.picture:
            self._save(known, picture_name(known.number), known.picture)
            known.picture = b""

    def _save(self, known: _Turn, name: str, content: bytes) -> None:
        if not content or not self.keeps_sound:
            return
        if self._sound_bytes + len(content) > self._most_sound_bytes:
            self._too_much_sound = True
            limit = (
                f"{self._most_sound_bytes // 1_000_000} MB of sound are kept of this conversation; it goes on as text"
            )
            self._emit(Notice(at_s=now_s(), text=f"{limit} (setting conversations.sound_mb)", severity="warning"))
            return
        self._sound_bytes += len(content)
        self._writer.save(known.folder, name, content)


def _whole_wav(pcm16: bytearray, rate_hz: int) -> bytes:
    """A WAV file of what there is; nothing of nothing."""
    return wav(bytes(pcm16), rate_hz) if pcm16 else b""


def _time(at_s: float) -> str:
    """As a conversation writes it."""
    return wall_time(at_s).isoformat(timespec="seconds")
