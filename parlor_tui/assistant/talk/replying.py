"""The reply of a talk: asked for, made, played, interrupted, over. One at a time, one thread; see `talk`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Protocol

from parlor_tui.assistant.talk.aloud import SayingAloud
from parlor_tui.assistant.talk.cuts import Cuts
from parlor_tui.assistant.talk.playback import LONGEST_REPLY_S, Playback
from parlor_tui.assistant.talk.sounding import Reply, Sounding
from parlor_tui.assistant.talk.turn_words import TurnWords
from parlor_tui.events import (
    AskedAgain,
    CoreEvent,
    EagerCount,
    Event,
    Failed,
    HeardText,
    Interrupted,
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
    SpeechOver,
    SpeechPiece,
    TurnDone,
    TurnStatus,
    now_s,
)
from parlor_tui.hearing.turn import ReplyPhase
from parlor_tui.link import client_events as say
from parlor_tui.observe.stages import LatencyObserver

_A_WORD_MS = 150
"""A shorter piece of a reply told the user nothing."""


class Tap(Protocol):
    """Takes the sound and the pictures of turns, as 16-bit PCM at 16 kHz (speech) and 24 kHz, and as JPEG."""

    def speech(self, turn: int, pcm16: bytes) -> None:
        """More of what the user says."""

    def reply_sound(self, turn: int, response_id: str, pcm16: bytes) -> None:
        """More of a reply."""

    def seen(self, turn: int, jpeg: bytes | None) -> None:
        """What the camera saw at the end of the turn."""


class Replying:
    """Owns the reply; `words` are those of the talk it is a part of."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        send: Callable[[say.ClientEvent], None],
        playback: Playback,
        observer: LatencyObserver,
        words: TurnWords,
    ) -> None:
        self._emit = emit
        self._send = send
        self._playback = playback
        self._observer = observer
        self._words = words
        self.tap: Tap | None = None
        self._reply: Reply | None = None
        self._cuts = Cuts(send, playback)
        self._sounding = Sounding(emit, playback)
        self._aloud = SayingAloud(emit, send, playback, self._sounding)
        self._eager = EagerCount(at_s=0.0, hits=0, dropped=0, saved_ms=0.0, wasted_ms=0.0)

    # --- how things stand ---------------------------------------------------------------------------------------------

    @property
    def is_on(self) -> bool:
        """Whether a reply is being made or played."""
        return self._reply is not None

    @property
    def phase(self) -> ReplyPhase:
        """What the assistant does at the moment."""
        if self._reply is None:
            return ReplyPhase.NONE
        return ReplyPhase.SPEAKING if self._reply.audible else ReplyPhase.THINKING

    @property
    def audible_at_s(self) -> float:
        """When the reply became audible."""
        return self._reply.audible_at_s if self._reply is not None else 0.0

    @property
    def said_it_all(self) -> bool:
        """Whether nothing but the silence behind the last word of it is left to be heard."""
        return self._sounding.said_it_all(self._reply)

    # --- what the user does -------------------------------------------------------------------------------------------

    def expect(self) -> None:
        """A reply may be wanted soon: the speaker is to be awake by then."""
        self._playback.wake()

    def ask(self, turn: int) -> None:
        """Have the core answer the turn."""
        self._send(say.CreateResponse(turn))
        self.await_answer(turn)
        self.expect()

    def await_answer(self, turn: int) -> None:
        """The core was asked to answer the turn."""
        self._playback.begin()
        self._reply = Reply(turn, self._words.said(turn))

    def captioned(self, turn: int, text: str) -> bool:
        """`text` was said in the turn; whether it is the one that is being answered."""
        if self._reply is None or self._reply.turn != turn:
            return False
        self._reply.said = text
        return True

    def make_way(self, how: Literal["dipped", "held", "resumed"]) -> None:
        """Have a reply that is heard make way for a voice, or go on after it."""
        self._sounding.make_way(self._reply, how)

    def say_aloud(self, text: str, voice: str) -> None:
        """Have `text` said in `voice`; it is no part of the conversation. It stops a reply that is under way."""
        if not self._playback.has_speaker:
            self._emit(Failed(at_s=now_s(), text="nothing can be said aloud: there is no speaker"))
            return
        self.interrupt("turn")
        self._reply = self._aloud.begin(text, voice)

    def interrupt(self, by: Literal["voice", "key", "turn"]) -> None:
        """Stop the reply, whether it is still being made or already heard. Without a reply it does nothing."""
        reply, self._reply = self._reply, None
        if reply is None:
            return
        if reply.aloud is not None:
            self._aloud.stop(reply)
            return
        at_s = now_s()
        played_ms = self._playback.stop()
        if reply.done is None:
            self._send(say.CancelResponse())
        self._cuts.add(reply.turn, reply.item_id, played_ms)
        self._emit(Interrupted(at_s=at_s, turn=reply.turn, by=by, played_ms=played_ms))
        self._sounding.ended(reply, at_s, played_ms)
        went_on = not reply.audible and by == "voice"
        self._over(reply, "joined" if went_on else "interrupted", reply.text)

    def core_forgets(self) -> None:
        """The core is told to forget the talk: what was heard of replies that were cut means nothing to it."""
        self._cuts.core_forgets()

    # --- what the core says -------------------------------------------------------------------------------------------

    def core_said(self, event: CoreEvent, at_s: float) -> None:
        """Take what it says of replies. Those that are no longer wanted are let go by."""
        match event:
            case ReplyCreated():
                self._created(event, at_s)
            case ReplyDone():
                self._done(event, at_s)
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
                    dropped = self._playback.dropped_blocks
                    samples = self._playback.add(pcm16)
                    if self._playback.dropped_blocks > dropped and not reply.too_long:
                        reply.too_long = True
                        told = f"only {LONGEST_REPLY_S // 60} minutes of a reply are kept to be heard: its end is text"
                        self._emit(Failed(at_s=at_s, text=told))
                    if self.tap is not None:
                        self.tap.reply_sound(reply.turn, response_id, pcm16)
                    self._emit(ReplyAudioArrived(at_s=at_s, turn=reply.turn, samples=samples))
            case SpeechPiece() | SpeechOver():
                self._aloud.take(self._reply, event, at_s)
            case _:
                pass

    def eager_dropped(self, ran_ms: float, at_s: float) -> None:
        """A reply that was begun at a pause ran for so long in vain."""
        eager = self._eager
        self._eager = replace(eager, at_s=at_s, dropped=eager.dropped + 1, wasted_ms=eager.wasted_ms + ran_ms)
        self._emit(self._eager)

    def heard_of_cut(self, item_id: str, heard: str, at_s: float) -> None:
        """The core says what was heard of a reply that was cut."""
        turn = self._cuts.turn_of(item_id)
        if turn is not None:
            if self._words.remembers(turn):
                self._words.memories.heard_of_last(turn, heard)
            self._emit(HeardText(at_s=at_s, turn=turn, heard=heard))

    def refused(self, code: str, message: str, at_s: float) -> None:
        """The core does not do what it was asked for."""
        self._emit(Failed(at_s=at_s, text=message))
        reply = self._reply
        if reply is not None and not reply.response_id and code == "conversation_already_has_active_response":
            self._reply = None
            self._over(reply, "failed", "")

    def core_lost(self) -> None:
        """The core is gone. A reply that was heard in part is over; one without a word waits for the next core."""
        self._cuts.core_lost()
        hopeless = self._words.memories.core_lost()
        reply = self._reply
        if reply is None:
            return
        if reply.aloud is not None:
            self._reply = None
            self._aloud.stop(reply)
            return
        if reply.done is not None:  # a reply that is here as a whole is played to its end, and not made again
            self._remember(reply, reply.text)
            return
        self._reply = None
        unheard = not reply.text or (self._playback.has_speaker and self._playback.played_ms() < _A_WORD_MS)
        self._sounding.ended(reply, now_s(), self._playback.stop())
        if reply.turn in hopeless:
            self._emit(
                Failed(at_s=now_s(), text="no answer: the core died over this again and again; ask it differently")
            )
            self._words.drop(reply.turn)  # the next core is not told of it either
            reply.said = ""
            self._over(reply, "failed", "")
        elif unheard:
            self._reply = Reply(reply.turn, reply.said)
            self._emit(AskedAgain(at_s=now_s(), turn=reply.turn))
        else:
            self._over(reply, "failed", reply.text)

    def give_up(self) -> None:
        """No core will come any more: nothing waits for one."""
        reply, self._reply = self._reply, None
        if reply is not None and reply.aloud is None:
            self._over(reply, "failed", reply.text)

    # --- time ---------------------------------------------------------------------------------------------------------

    def tick(self, hold: bool) -> None:
        """Keep the speaker fed and notice what became audible. `hold`: somebody may be speaking, do not begin to."""
        reply = self._reply
        if reply is None:
            return
        if reply.audible or not hold:
            self._playback.pump()
        at_s = now_s()
        self._sounding.follow(reply, at_s)
        if reply.whole and self._playback.all_played():
            self._reply = None
            self._sounding.ended(reply, at_s, self._playback.played_ms())
            if reply.aloud is None:
                self._over(reply, "completed", reply.text)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _created(self, event: ReplyCreated, at_s: float) -> None:
        if event.eager_ms:
            eager = self._eager
            self._eager = replace(eager, at_s=at_s, hits=eager.hits + 1, saved_ms=eager.saved_ms + event.eager_ms)
            self._emit(self._eager)
        if self._reply is not None and self._reply.turn == event.turn:
            self._reply.response_id, self._reply.item_id = event.response_id, event.item_id
            self._reply.eager_ms = event.eager_ms
        else:
            self._cuts.named(event.turn, event.item_id)

    def _wanted(self, response_id: str, item_id: str) -> Reply | None:
        reply = self._reply
        if reply is None or reply.response_id != response_id:
            return None
        reply.item_id = item_id
        return reply

    def _done(self, event: ReplyDone, at_s: float) -> None:
        reply = self._reply
        if reply is None or reply.response_id != event.response_id:
            self._cuts.named(event.turn, event.item_id)
            return
        reply.done = event
        match event.status, event.reason:
            case "cancelled", "no_words":
                self._reply = None
                self._over(reply, "no_words", "")
            case (("failed" | "cancelled"), reason):
                self._reply = None
                self._sounding.ended(reply, at_s, self._playback.stop())
                self._emit(Failed(at_s=at_s, text=f"no answer: {reason}"))
                self._over(reply, "failed", reply.text)
            case _:
                self._emit(ReplyText(at_s=at_s, turn=reply.turn, delta="", final=True, whole=event.text))

    def _remember(self, reply: Reply, heard: str) -> str:
        """Keep what was said in the turn and heard of its reply, once; the words of the user's."""
        said = reply.said or self._words.said(reply.turn)
        if not reply.remembered:
            reply.remembered = True
            self._words.memories.close(reply.turn, said, heard)
        return said

    def _over(self, reply: Reply, status: TurnStatus, text: str) -> None:
        said = self._remember(reply, text if status == "completed" else "")
        self._cuts.let_old_go()
        self._words.let_old_go()
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
