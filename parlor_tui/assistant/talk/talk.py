"""The talk itself: turns, replies, interruptions. One thread; it owns no device and no process, only what they say.

Sound, link and listener are handed in, so that everything here is a reaction to one event at a time. What becomes of
the reply is a part of its own: see `replying`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from parlor_tui.assistant.ear.utterance import Heard
from parlor_tui.assistant.talk.caption_turns import CaptionTurns
from parlor_tui.assistant.talk.core_notices import CoreNotices
from parlor_tui.assistant.talk.frames import Frames
from parlor_tui.assistant.talk.memories import Memories
from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.assistant.talk.replying import Replying, Tap
from parlor_tui.assistant.talk.sound_at_core import SoundAtCore
from parlor_tui.assistant.talk.turn_words import TurnWords
from parlor_tui.events import (
    Caption,
    CaptionFinal,
    CaptionPartial,
    CoreError,
    CoreEvent,
    CoreNotice,
    EagerDropped,
    Event,
    InputCommitted,
    InputTaken,
    ItemTruncated,
    MediaTaken,
    SpeechStarted,
    SpeechStopped,
    TurnCommitted,
    TurnJudged,
    now_s,
)
from parlor_tui.hearing.short_words import is_backchannel, is_noise
from parlor_tui.hearing.turn import Begin, Commit, Confirm, Drop, Pause, ReplyPhase, Resume, Settle, Stir, Sure
from parlor_tui.link import client_events as say
from parlor_tui.observe.stages import LatencyObserver

_HARMLESS_CODES = ("response_cancel_not_active", "item_delete_invalid_item_id")
"""A cancel that crosses the end of its reply on the way finds nothing to cancel; a frame may be gone already."""

Send = Callable[[say.ClientEvent], None]
Emit = Callable[[Event], None]


class Talk:
    """Reacts to what was heard, typed and answered."""

    def __init__(self, emit: Emit, send: Send, playback: Playback, observer: LatencyObserver) -> None:
        self._emit = emit
        self._send = send
        self._words = TurnWords()
        self._replying = Replying(emit, send, playback, observer, self._words)
        self._turn = 0
        self._utterance: int | None = None
        self._frames = Frames(send)
        self._captions = CaptionTurns()
        self._notices = CoreNotices(emit)
        self._sound = SoundAtCore(send, lambda: self.memories)

    @property
    def memories(self) -> Memories:
        """What a new core must be told."""
        return self._words.memories

    @property
    def tap(self) -> Tap | None:
        """Takes the sound and the pictures of turns."""
        return self._replying.tap

    @tap.setter
    def tap(self, tap: Tap | None) -> None:
        self._replying.tap = tap

    # --- what the user does -------------------------------------------------------------------------------------------

    @property
    def phase(self) -> ReplyPhase:
        """What the assistant does at the moment."""
        return self._replying.phase

    @property
    def speaking_since_s(self) -> float:
        """When the reply became audible."""
        return self._replying.audible_at_s

    def heard(self, heard: Heard, at_s: float, frame_jpeg: Callable[[], bytes | None]) -> None:
        """Take what one microphone block brought. `frame_jpeg` gives the camera's newest frame, if there is one."""
        for action in heard.actions:
            if isinstance(action, Begin):
                self._utterance = self._next_turn()
                self._emit(SpeechStarted(at_s=at_s, turn=self._utterance))
                self._replying.make_way("dipped")
                self._replying.expect()
                if not self._replying.is_on:  # the core may look while the user speaks, once no reply is under way
                    self._frames.show(self._turn, frame_jpeg())
        if heard.pcm16 and self._utterance is not None:
            self.memories.add_sound(self._utterance, heard.pcm16)
            if self.tap is not None:
                self.tap.speech(self._utterance, heard.pcm16)
            self._sound.add(self._utterance, heard.pcm16)
        for action in heard.actions:
            match action:
                case Stir():
                    self._replying.make_way("dipped")
                case Settle():
                    self._replying.make_way("resumed")
                case Confirm():
                    self._replying.make_way("held")
                case Sure():
                    if self.phase is ReplyPhase.SPEAKING:  # what nobody heard yet waits for the words
                        self.interrupt("voice")
                    if not self._frames:
                        self._frames.show(self._turn, frame_jpeg())
                case Pause(number):
                    self._frames.show(self._turn, frame_jpeg())
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
        self._sound.clear()
        self._frames.take_back()
        self._replying.make_way("resumed")
        self._emit(SpeechStopped(at_s=at_s, turn=turn, last_speech_at_s=last_speech_at_s, dropped=True))

    def judged(self, judged: TurnJudged) -> bool:
        """Take what the core makes of a pause; whether what was said up to it is meant as a turn.

        Over a reply it may be none: a cough, or a sound of listening. If it is one, the reply gives way.
        """
        if not self._replying.is_on or judged.turn != self._utterance:
            return True
        murmur = is_backchannel(judged.text, judged.language)
        if is_noise(judged.text) or (murmur and not self._replying.said_it_all):
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
        self._words.take(turn, text)
        self._emit(Caption(at_s=now_s(), turn=turn, text=text, final=True))
        self._frames.show(turn, frame_jpeg)
        self._frames.turn_over()
        self._send(say.CreateItem("user", text))
        self._ask(turn, None)

    def say_aloud(self, text: str, voice: str) -> None:
        """Have `text` said in `voice`; it is no part of the conversation. It stops a reply that is under way."""
        self._replying.say_aloud(text, voice)

    def interrupt(self, by: Literal["voice", "key", "turn"]) -> None:
        """Stop the reply, whether it is still being made or already heard. Without a reply it does nothing."""
        self._replying.interrupt(by)

    # --- what the core says -------------------------------------------------------------------------------------------

    def core_said(self, event: CoreEvent) -> None:
        """Take one event of the core's. Those of replies that are no longer wanted are let go by."""
        at_s = now_s()
        match event:
            case InputCommitted(item_id):
                self._captions.named(item_id)
            case CaptionPartial(item_id, text):
                turn = self._captions.turn_of(item_id, self._utterance)
                if turn is not None:
                    self._emit(Caption(at_s=at_s, turn=turn, text=text, final=False))
            case CaptionFinal(item_id, text):
                turn = self._captions.settled(item_id)
                if turn is not None:
                    self._caption_final(turn, text, at_s)
            case EagerDropped(_, ran_ms):
                self._replying.eager_dropped(ran_ms, at_s)
            case ItemTruncated(item_id, _, heard):
                self._replying.heard_of_cut(item_id, heard, at_s)
            case InputTaken(turn, kind, took_ms, ago_ms):
                turn = turn if turn >= 0 else self._utterance or self._turn
                self._emit(MediaTaken(at_s=at_s - ago_ms / 1000, turn=turn, kind=kind, took_ms=took_ms))
            case CoreNotice(text):
                self._notices.said(text, at_s)
            case CoreError("input_timeout"):  # this process stood still while the user spoke
                if self._utterance is not None:
                    self._sound.lost()
            case CoreError(code, message):
                if code not in _HARMLESS_CODES:
                    self._replying.refused(code, message, at_s)
            case _:
                self._replying.core_said(event, at_s)

    def core_lost(self) -> None:
        """The core is gone. A reply that had begun is over; turns without an answer wait for the next core."""
        self._notices.core_lost()
        self._sound.core_lost()
        self._captions = CaptionTurns()
        self._frames.turn_over()
        self._replying.core_lost()

    def give_up(self) -> None:
        """No core will come any more: nothing waits for one."""
        self._replying.give_up()

    def begin_anew(self, earlier: Sequence[tuple[str, str]] = ()) -> None:
        """Forget the talk so far; of `earlier`, what was said and what was heard of the reply to it is remembered.

        A reply that is under way is stopped. Somebody who speaks has to be told to have stopped before.
        """
        self.interrupt("key")
        self._replying.core_forgets()
        self._frames.turn_over()
        self._words.forget(self._turn, earlier)
        self._send(say.ForgetAll())
        for event in self.memories.restoring():
            self._send(event)

    def core_back(self) -> None:
        """A fresh core is there: tell it the conversation, and ask again what has no answer."""
        waiting = self.memories.waiting_turns()
        self._captions = CaptionTurns(turn.turn for turn in waiting if turn.pcm16)
        for event in self.memories.restoring():
            self._send(event)
        if waiting:
            self._replying.await_answer(waiting[-1].turn)

    # --- time ---------------------------------------------------------------------------------------------------------

    def tick(self, hold: bool) -> None:
        """Keep the speaker fed and notice what became audible. `hold`: somebody may be speaking, do not begin to."""
        self._replying.tick(hold)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    def _pause(self, number: int) -> None:
        if self._utterance is not None:
            self._send(say.PauseAudio(self._utterance, number, answer=not self._replying.is_on))

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
        self._captions.committed(turn)
        if not self._frames:
            self._frames.show(self._turn, newest)
        self._frames.turn_over()
        self._sound.commit(turn)
        self._ask(turn, last_speech_at_s)

    def _ask(self, turn: int, last_speech_at_s: float | None) -> None:
        self._replying.ask(turn)
        pictured = self.memories.open(turn).image is not None
        self._emit(TurnCommitted(at_s=now_s(), turn=turn, last_speech_at_s=last_speech_at_s, pictured=pictured))

    def _caption_final(self, turn: int, text: str, at_s: float) -> None:
        self._words.take(turn, text)
        if not self._replying.captioned(turn, text) and self._words.remembers(turn):
            self.memories.close(turn, said=text)
        if text:
            self._emit(Caption(at_s=at_s, turn=turn, text=text, final=True))
