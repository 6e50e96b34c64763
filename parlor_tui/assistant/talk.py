"""The talk itself: turns, replies, interruptions. One thread; it owns no device and no process, only what they say.

Sound, link and listener are handed in, so that everything here is a reaction to one event at a time.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from parlor_tui.assistant.memories import Memories
from parlor_tui.assistant.playback import Playback
from parlor_tui.assistant.utterance import Heard
from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.events import (
    AudioStarted,
    AudioStopped,
    Caption,
    CaptionFinal,
    CaptionPartial,
    CoreError,
    CoreEvent,
    CoreNotice,
    EagerCount,
    EagerDropped,
    Event,
    Failed,
    HeardText,
    InputCommitted,
    InputTaken,
    Interrupted,
    ItemTruncated,
    MediaTaken,
    Notice,
    ReplyAudio,
    ReplyAudioArrived,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    ReplyText,
    ReplyTimed,
    ReplyUnit,
    ReplyUnitReady,
    ReplyWords,
    ReplyYields,
    SpeakerLevel,
    SpeechOver,
    SpeechPiece,
    SpeechStarted,
    SpeechStopped,
    TurnCommitted,
    TurnDone,
    TurnJudged,
    TurnStatus,
    now_s,
)
from parlor_tui.hearing.short_words import is_backchannel, is_noise
from parlor_tui.hearing.turn import Begin, Commit, Confirm, Drop, Pause, ReplyPhase, Resume, Settle, Stir, Sure
from parlor_tui.link import client_events as say
from parlor_tui.observe.stages import LatencyObserver

_HARMLESS_CODES = ("response_cancel_not_active", "item_delete_invalid_item_id")
"""A cancel that crosses the end of its reply on the way finds nothing to cancel; a frame may be gone already."""
_LEVEL_EVERY_S = 0.1
_KEPT_NOTICES = 64
_TAIL_MS = 350
"""The silence behind a sentence, and half a word."""

NO_TURN = 0
"""Turns count from 1; what is said aloud outside of them plays as this."""


class Tap(Protocol):
    """Takes the sound and the pictures of turns, as 16-bit PCM at 16 kHz (speech) and 24 kHz, and as JPEG."""

    def speech(self, turn: int, pcm16: bytes) -> None:
        """More of what the user says."""

    def reply_sound(self, turn: int, response_id: str, pcm16: bytes) -> None:
        """More of a reply."""

    def seen(self, turn: int, jpeg: bytes | None) -> None:
        """What the camera saw at the end of the turn."""


Send = Callable[[say.ClientEvent], None]
Emit = Callable[[Event], None]


@dataclass(slots=True)
class _Reply:
    """The reply that is being made or played."""

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
    """The number of a text that is only said aloud: no reply to anything, and not remembered."""
    said_aloud: bool = False

    @property
    def whole(self) -> bool:
        """Nothing more of it will come."""
        return self.done is not None or self.said_aloud


@dataclass(slots=True)
class _Cut:
    """A reply that was interrupted, until the core has said what was heard of it."""

    turn: int
    played_ms: float
    said: str
    item_id: str = ""
    truncated: bool = False


@dataclass(slots=True)
class _Captions:
    """Which turn a caption of the core's belongs to."""

    uncommitted: deque[int] = field(default_factory=deque)
    turn_of_item: dict[str, int] = field(default_factory=dict)


class Talk:
    """Reacts to what was heard, typed and answered."""

    def __init__(self, emit: Emit, send: Send, playback: Playback, observer: LatencyObserver) -> None:
        self._emit = emit
        self._send = send
        self._playback = playback
        self._observer = observer
        self.memories = Memories()
        self.tap: Tap | None = None
        self._forgotten_turn = 0
        self._turn = 0
        self._utterance: int | None = None
        self._frames: list[str] = []
        self._frame_numbers = itertools.count(1)
        self._reply: _Reply | None = None
        self._cuts: dict[int, _Cut] = {}
        self._captions = _Captions()
        self._said: dict[int, str] = {}
        self._aloud_numbers = itertools.count(1)
        self._level_due_s = 0.0
        self._told: set[str] = set()
        self._told_before: set[str] = set()
        self._eager = EagerCount(at_s=0.0, hits=0, dropped=0, saved_ms=0.0, wasted_ms=0.0)

    # --- what the user does -------------------------------------------------------------------------------------------

    @property
    def phase(self) -> ReplyPhase:
        """What the assistant does at the moment."""
        if self._reply is None:
            return ReplyPhase.NONE
        return ReplyPhase.SPEAKING if self._reply.audible else ReplyPhase.THINKING

    @property
    def speaking_since_s(self) -> float:
        """When the reply became audible."""
        return self._reply.audible_at_s if self._reply is not None else 0.0

    def heard(self, heard: Heard, at_s: float, frame_jpeg: Callable[[], bytes | None]) -> None:
        """Take what one microphone block brought. `frame_jpeg` gives the camera's newest frame, if there is one."""
        for action in heard.actions:
            if isinstance(action, Begin):
                self._utterance = self._next_turn()
                self._emit(SpeechStarted(at_s=at_s, turn=self._utterance))
                self._yield("dipped")
                if self._reply is None:  # the core may look while the user speaks, once no reply is under way
                    self._show(frame_jpeg())
        if heard.pcm16 and self._utterance is not None:
            self.memories.add_sound(self._utterance, heard.pcm16)
            if self.tap is not None:
                self.tap.speech(self._utterance, heard.pcm16)
            self._send(say.AppendAudio(heard.pcm16))
        for action in heard.actions:
            match action:
                case Stir():
                    self._yield("dipped")
                case Settle():
                    self._yield("resumed")
                case Confirm():
                    self._yield("held")
                case Sure():
                    if self.phase is ReplyPhase.SPEAKING:  # what nobody heard yet waits for the words
                        self.interrupt("voice")
                    if not self._frames:
                        self._show(frame_jpeg())
                case Pause(number):
                    self._show(frame_jpeg())
                    self._pause(number)
                case Resume():
                    self._send(say.ResumeAudio())
                case Drop(last):
                    self.drop(last, at_s)
                case Commit(last):
                    self._commit(last, at_s, frame_jpeg)
                case _:
                    pass

    def drop(self, last_speech_at_s: float, at_s: float) -> None:
        """What seemed to be speech was none, or is not wanted: forget it."""
        turn, self._utterance = self._utterance, None
        if turn is None:
            return
        if turn == self._turn:
            self._turn -= 1
        self.memories.close(turn)
        self._send(say.ClearAudio())
        for item_id in self._frames:
            self._send(say.DeleteItem(item_id))
        self._frames = []
        self._yield("resumed")
        self._emit(SpeechStopped(at_s=at_s, turn=turn, last_speech_at_s=last_speech_at_s, dropped=True))

    def judged(self, judged: TurnJudged) -> bool:
        """Take what the core makes of a pause; whether what was said up to it is meant as a turn.

        Over a reply it may be none: a cough, or a sound of listening. If it is one, the reply gives way.
        """
        if self._reply is None or judged.turn != self._utterance:
            return True
        murmur = is_backchannel(judged.text, judged.language)
        if is_noise(judged.text) or (murmur and not self._said_it_all()):
            return False
        self.interrupt("voice")
        self._pause(judged.pause)
        return True

    def typed(self, text: str, frame_jpeg: bytes | None) -> None:
        """A typed turn. It stops a reply that is under way."""
        self.interrupt("turn")
        turn = self._next_turn()
        opened = self.memories.open(turn)
        opened.text, opened.image, opened.committed = text, frame_jpeg, True
        if self.tap is not None:
            self.tap.seen(turn, frame_jpeg)
        self._said[turn] = text
        self._emit(Caption(at_s=now_s(), turn=turn, text=text, final=True))
        self._show(frame_jpeg)
        self._frames = []
        self._send(say.CreateItem("user", text))
        self._ask(turn, None)

    def say_aloud(self, text: str, voice: str) -> None:
        """Have `text` said in `voice`; it is no part of the conversation. It stops a reply that is under way."""
        if not self._playback.has_speaker:
            self._emit(Failed(at_s=now_s(), text="nothing can be said aloud: there is no speaker"))
            return
        self.interrupt("turn")
        number = next(self._aloud_numbers)
        self._playback.begin()
        self._playback.wake()
        self._reply = _Reply(NO_TURN, aloud=number)
        self._send(say.SayAloud(number, text, voice))

    def interrupt(self, by: Literal["voice", "key", "turn"]) -> None:
        """Stop the reply, whether it is still being made or already heard. Without a reply it does nothing."""
        reply = self._reply
        if reply is None:
            return
        if reply.aloud is not None:
            self._stop_saying(reply)
            return
        at_s = now_s()
        played_ms = self._playback.stop()
        self._reply = None
        self._cuts[reply.turn] = cut = _Cut(reply.turn, played_ms, reply.said, reply.item_id)
        if reply.done is None:
            self._send(say.CancelResponse())
        self._truncate(cut)
        self._emit(Interrupted(at_s=at_s, turn=reply.turn, by=by, played_ms=played_ms))
        if reply.audible:
            self._emit(AudioStopped(at_s=at_s, turn=reply.turn, played_ms=played_ms))
        went_on = not reply.audible and by == "voice"
        self._over(reply, "joined" if went_on else "interrupted", reply.text)

    # --- what the core says -------------------------------------------------------------------------------------------

    def core_said(self, event: CoreEvent) -> None:
        """Take one event of the core's. Those of replies that are no longer wanted are let go by."""
        at_s = now_s()
        match event:
            case InputCommitted(item_id):
                if self._captions.uncommitted:
                    self._captions.turn_of_item[item_id] = self._captions.uncommitted.popleft()
            case CaptionPartial(item_id, text):
                turn = self._captions.turn_of_item.get(item_id, self._utterance)
                if turn is not None:
                    self._emit(Caption(at_s=at_s, turn=turn, text=text, final=False))
            case CaptionFinal(item_id, text):
                turn = self._captions.turn_of_item.pop(item_id, None)
                if turn is not None:
                    self._caption_final(turn, text, at_s)
            case EagerDropped(_, ran_ms):
                self._eager = replace(
                    self._eager, at_s=at_s, dropped=self._eager.dropped + 1, wasted_ms=self._eager.wasted_ms + ran_ms
                )
                self._emit(self._eager)
            case ItemTruncated(item_id, _, heard):
                self._heard_of_cut(item_id, heard, at_s)
            case InputTaken(turn, kind, took_ms, ago_ms):
                turn = turn if turn >= 0 else self._utterance or self._turn
                self._emit(MediaTaken(at_s=at_s - ago_ms / 1000, turn=turn, kind=kind, took_ms=took_ms))
            case SpeechPiece() | SpeechOver():
                self._said_aloud(event, at_s)
            case CoreNotice(text):
                self._core_noticed(text, at_s)
            case CoreError(code, message):
                if code not in _HARMLESS_CODES:
                    self._refused(code, message, at_s)
            case _:
                self._reply_said(event, at_s)

    def _core_noticed(self, text: str, at_s: float) -> None:
        """Tell it, unless a core before has told the same: a new one says of itself what is known already, once."""
        if text in self._told_before:
            self._told_before.discard(text)
        else:
            self._emit(Notice(at_s=at_s, text=text))
        if len(self._told) < _KEPT_NOTICES:
            self._told.add(text)

    def core_lost(self) -> None:
        """The core is gone. A reply that had begun is over; turns without an answer wait for the next core."""
        self._told_before, self._told = self._told_before | self._told, set()
        self._cuts.clear()
        self._captions = _Captions()
        self._frames = []
        hopeless = self.memories.core_lost()
        reply = self._reply
        if reply is None:
            return
        if reply.aloud is not None:
            self._stop_saying(reply)
            return
        if reply.done is not None:  # a reply that is here as a whole is played to its end, and not made again
            self._remember(reply, reply.text)
            return
        self._reply = None
        played_ms = self._playback.stop()
        if reply.audible:
            self._emit(AudioStopped(at_s=now_s(), turn=reply.turn, played_ms=played_ms))
        if reply.turn in hopeless:
            self._emit(
                Failed(at_s=now_s(), text="no answer: the core died over this again and again; ask it differently")
            )
            self._said.pop(reply.turn, None)  # the next core is not told of it either
            reply.said = ""
            self._over(reply, "failed", "")
        elif reply.text:
            self._over(reply, "failed", reply.text)
        else:
            self._reply = _Reply(reply.turn, reply.said)

    def give_up(self) -> None:
        """No core will come any more: nothing waits for one."""
        reply, self._reply = self._reply, None
        if reply is not None and reply.aloud is None:
            self._over(reply, "failed", reply.text)

    def begin_anew(self, earlier: Sequence[tuple[str, str]] = ()) -> None:
        """Forget the talk so far; of `earlier`, what was said and what was heard of the reply to it is remembered.

        A reply that is under way is stopped. Somebody who speaks has to be told to have stopped before.
        """
        self.interrupt("key")
        for cut in self._cuts.values():
            cut.truncated = True  # the core knows nothing of them any more
        self._forgotten_turn = self._turn
        self._frames = []
        self.memories = Memories()
        for said, heard in earlier:
            self.memories.close(0, said, heard)
        self._send(say.ForgetAll())
        for event in self.memories.restoring():
            self._send(event)

    def core_back(self) -> None:
        """A fresh core is there: tell it the conversation, and ask again what has no answer."""
        waiting = self.memories.waiting_turns()
        self._captions = _Captions(deque(turn.turn for turn in waiting if turn.pcm16))
        for event in self.memories.restoring():
            self._send(event)
        if waiting:
            turn = waiting[-1].turn
            self._reply = _Reply(turn, self._said.get(turn, ""))

    # --- time ---------------------------------------------------------------------------------------------------------

    def tick(self, hold: bool) -> None:
        """Keep the speaker fed and notice what became audible. `hold`: somebody may be speaking, do not begin to."""
        reply = self._reply
        if reply is None:
            return
        if reply.audible or not hold:
            self._playback.pump()
        clock = self._playback.clock()
        at_s = now_s()
        if clock is not None and not reply.audible and clock.first_audible_at_s is not None:
            reply.audible, reply.audible_at_s = True, clock.first_audible_at_s
            self._emit(AudioStarted(at_s=clock.first_audible_at_s, turn=reply.turn))
        if clock is not None and reply.audible and at_s >= self._level_due_s:
            self._level_due_s = at_s + _LEVEL_EVERY_S
            played_ms = clock.played_samples * 1000 / SPEAKER_RATE_HZ
            self._emit(SpeakerLevel(at_s=at_s, turn=reply.turn, dbfs=clock.level_dbfs, played_ms=played_ms))
        if reply.whole and self._playback.all_played():
            self._reply = None
            if reply.audible:
                self._emit(AudioStopped(at_s=at_s, turn=reply.turn, played_ms=self._playback.played_ms()))
            if reply.aloud is None:
                self._over(reply, "completed", reply.text)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    def _yield(self, how: Literal["dipped", "held", "resumed"]) -> None:
        """Have the reply that is heard make way for a voice, or go on after it."""
        reply = self._reply
        if reply is None or not reply.audible:
            return
        if reply.yields == how or (how == "resumed" and not reply.yields):
            return
        reply.yields = "" if how == "resumed" else how
        {"dipped": self._playback.dip, "held": self._playback.hold, "resumed": self._playback.go_on}[how]()
        self._emit(ReplyYields(at_s=now_s(), turn=reply.turn, how=how))

    def _said_it_all(self) -> bool:
        """Whether nothing but the silence behind the last word of the reply is left: then "okay" is an answer to it."""
        reply = self._reply
        return reply is not None and reply.audible and reply.whole and self._playback.left_ms() < _TAIL_MS

    def _said_aloud(self, event: SpeechPiece | SpeechOver, at_s: float) -> None:
        reply = self._reply
        if reply is None or reply.aloud != event.number:
            return
        if isinstance(event, SpeechPiece):
            self._playback.add(event.pcm16)
            return
        reply.said_aloud = True
        if event.reason:
            self._emit(Failed(at_s=at_s, text=f"not said aloud: {event.reason}"))

    def _stop_saying(self, reply: _Reply) -> None:
        self._reply = None
        played_ms = self._playback.stop()
        if not reply.said_aloud:
            self._send(say.StopSaying())
        if reply.audible:
            self._emit(AudioStopped(at_s=now_s(), turn=reply.turn, played_ms=played_ms))

    def _pause(self, number: int) -> None:
        if self._utterance is not None:
            self._send(say.PauseAudio(self._utterance, number, answer=self._reply is None))

    def _commit(self, last_speech_at_s: float, at_s: float, frame_jpeg: Callable[[], bytes | None]) -> None:
        turn = self._utterance
        if turn is None:
            return
        self._utterance = None
        self.interrupt("voice")
        newest = frame_jpeg()
        opened = self.memories.open(turn)
        opened.image, opened.committed = newest, True
        if self.tap is not None:
            self.tap.seen(turn, newest)
        self._emit(SpeechStopped(at_s=at_s, turn=turn, last_speech_at_s=last_speech_at_s, dropped=False))
        self._captions.uncommitted.append(turn)
        if not self._frames:
            self._show(newest)
        self._frames = []
        self._send(say.CommitAudio())
        self._ask(turn, last_speech_at_s)

    def _show(self, frame_jpeg: bytes | None) -> None:
        if frame_jpeg is not None:
            item_id = f"frame_{self._turn}_{next(self._frame_numbers)}"
            self._frames.append(item_id)
            self._send(say.CreateItem("user", image=frame_jpeg, item_id=item_id, frame=True))

    def _ask(self, turn: int, last_speech_at_s: float | None) -> None:
        self._send(say.CreateResponse(turn))
        self._playback.begin()
        self._playback.wake()
        self._reply = _Reply(turn, self._said.get(turn, ""))
        pictured = self.memories.open(turn).image is not None
        self._emit(TurnCommitted(at_s=now_s(), turn=turn, last_speech_at_s=last_speech_at_s, pictured=pictured))

    def _caption_final(self, turn: int, text: str, at_s: float) -> None:
        self._said[turn] = text
        if self._reply is not None and self._reply.turn == turn:
            self._reply.said = text
        elif turn > self._forgotten_turn:
            self.memories.close(turn, said=text)
        if text:
            self._emit(Caption(at_s=at_s, turn=turn, text=text, final=True))

    def _reply_said(self, event: CoreEvent, at_s: float) -> None:
        match event:
            case ReplyCreated(response_id, item_id, turn, _, eager_ms):
                if eager_ms:
                    self._eager = replace(
                        self._eager, at_s=at_s, hits=self._eager.hits + 1, saved_ms=self._eager.saved_ms + eager_ms
                    )
                    self._emit(self._eager)
                if self._reply is not None and self._reply.turn == turn:
                    self._reply.response_id, self._reply.item_id = response_id, item_id
                    self._reply.eager_ms = eager_ms
                elif (cut := self._cuts.get(turn)) is not None:
                    cut.item_id = item_id
                    self._truncate(cut)
            case ReplyDone():
                self._reply_done(event, at_s)
            case ReplyDelta(response_id, item_id, text):
                if (reply := self._wanted(response_id, item_id)) is not None:
                    reply.text += text
                    self._emit(ReplyText(at_s=at_s, turn=reply.turn, delta=text))
            case ReplyUnit(response_id, item_id, text):
                if (reply := self._wanted(response_id, item_id)) is not None:
                    self._emit(ReplyUnitReady(at_s=at_s, turn=reply.turn, text=text))
            case ReplyWords(response_id, item_id, text, ends_ms):
                if (reply := self._wanted(response_id, item_id)) is not None:
                    self._emit(ReplyTimed(at_s=at_s, turn=reply.turn, text=text, ends_ms=ends_ms))
            case ReplyAudio(response_id, item_id, pcm16):
                if (reply := self._wanted(response_id, item_id)) is not None:
                    samples = self._playback.add(pcm16)
                    if self.tap is not None:
                        self.tap.reply_sound(reply.turn, response_id, pcm16)
                    self._emit(ReplyAudioArrived(at_s=at_s, turn=reply.turn, samples=samples))
            case _:
                pass

    def _wanted(self, response_id: str, item_id: str) -> _Reply | None:
        reply = self._reply
        if reply is None or reply.response_id != response_id:
            return None
        reply.item_id = item_id
        return reply

    def _reply_done(self, event: ReplyDone, at_s: float) -> None:
        reply = self._reply
        if reply is None or reply.response_id != event.response_id:
            if (cut := self._cuts.get(event.turn)) is not None and event.item_id:
                cut.item_id = event.item_id
                self._truncate(cut)
            return
        reply.done = event
        match event.status, event.reason:
            case "cancelled", "no_words":
                self._reply = None
                self._over(reply, "no_words", "")
            case (("failed" | "cancelled"), reason):
                self._reply = None
                played_ms = self._playback.stop()
                if reply.audible:
                    self._emit(AudioStopped(at_s=at_s, turn=reply.turn, played_ms=played_ms))
                self._emit(Failed(at_s=at_s, text=f"no answer: {reason}"))
                self._over(reply, "failed", reply.text)
            case _:
                self._emit(ReplyText(at_s=at_s, turn=reply.turn, delta="", final=True, whole=event.text))

    def _refused(self, code: str, message: str, at_s: float) -> None:
        self._emit(Failed(at_s=at_s, text=message))
        reply = self._reply
        if reply is not None and not reply.response_id and code == "conversation_already_has_active_response":
            self._reply = None
            self._over(reply, "failed", "")

    def _truncate(self, cut: _Cut) -> None:
        """Tell the core how much of a cut reply was heard, as soon as its item is known."""
        if cut.item_id and not cut.truncated and self._playback.has_speaker:  # what is only shown was read
            cut.truncated = True
            self._send(say.TruncateItem(cut.item_id, round(cut.played_ms)))

    def _heard_of_cut(self, item_id: str, heard: str, at_s: float) -> None:
        cut = next((cut for cut in self._cuts.values() if cut.item_id == item_id), None)
        if cut is not None:
            if cut.turn > self._forgotten_turn:
                self.memories.heard_of_last(cut.turn, heard)
            self._emit(HeardText(at_s=at_s, turn=cut.turn, heard=heard))

    def _forget_old_turns(self) -> None:
        for turn in sorted(self._cuts)[:-8]:
            del self._cuts[turn]
        for turn in sorted(self._said)[:-64]:
            del self._said[turn]

    def _remember(self, reply: _Reply, heard: str) -> str:
        """Keep what was said in the turn and heard of its reply, once; the words of the user's."""
        said = reply.said or self._said.get(reply.turn, "")
        if not reply.remembered:
            reply.remembered = True
            self.memories.close(reply.turn, said, heard)
        return said

    def _over(self, reply: _Reply, status: TurnStatus, text: str) -> None:
        said = self._remember(reply, text if status == "completed" else "")
        self._forget_old_turns()
        tokens = reply.done.usage.output_tokens if reply.done is not None else 0
        self._emit(
            TurnDone(
                at_s=now_s(),
                turn=reply.turn,
                status=status,
                heard=said,
                reply=text,
                stages_ms=self._observer.stages_ms(reply.turn),
                output_tokens=tokens,
                eager_ms=reply.eager_ms,
                writing_ms=reply.done.usage.writing_ms if reply.done is not None else 0.0,
            )
        )
