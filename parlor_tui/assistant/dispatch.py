"""Each message of the inbox goes to the part of the terminal side that it concerns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from parlor_tui.assistant.inbox import (
    AboutConversation,
    AboutModel,
    AboutTuning,
    Block,
    ConversationRead,
    FromCore,
    Input,
    Interrupt,
    LinkDown,
    LinkUp,
    MicrophoneEnded,
    Mute,
    PlayTone,
    Say,
    Speak,
    SpeakerLost,
    Stop,
    TalkKey,
    Tune,
    UseDevice,
)
from parlor_tui.assistant.overflow import Lost
from parlor_tui.assistant.terminal_side import TerminalSide
from parlor_tui.events import CoreEvent, CoreHello, CoreReady, InputOver, Notice, Ready, ReplyReady, TurnJudged, now_s


class Dispatch:
    """Used by the assistant's thread."""

    def __init__(self, side: TerminalSide) -> None:
        self._side = side

    def take(self, message: Input) -> None:
        """Do what one message asks for."""
        side = self._side
        match message:
            case Block():
                side.listening.block(message, side.tuner.now.hearing, awake=side.core.is_heard)
            case FromCore() | LinkUp() | LinkDown():
                self._of_core(message)
            case Say(text):
                side.say(text)
            case Interrupt():
                side.talk.interrupt("key")
            case Mute(muted):
                side.listening.mute(muted)
            case TalkKey() if side.core.try_again():
                pass
            case TalkKey(at_s):
                side.listening.press_key(at_s, side.tuner.now.hearing, has_microphone=side.senses.has_microphone)
            case Speak(text, voice):
                side.typed.speak(text, voice)
            case Tune(values):
                self._retuned(side.tuner.change(values))
            case AboutTuning(wish, name):
                self._retuned(side.tuner.manage(wish, name))
            case AboutModel("get"):
                side.core.offers.get()
            case AboutModel("cancel"):
                side.core.offers.cancel()
            case AboutModel():
                side.core.offers.decline()
            case AboutConversation() | ConversationRead():
                side.conversing.take(message)
            case MicrophoneEnded(None):
                side.emit(InputOver(at_s=now_s()))
            case MicrophoneEnded(reason, device):
                side.senses.ended("microphone", reason or "", device)
            case SpeakerLost(reason, device):
                side.senses.ended("speaker", reason, device)
            case UseDevice("microphone") if side.demonstration is not None and side.demonstration.is_on:
                side.demonstration.stop()
                side.senses.take(message)
            case PlayTone():
                side.play_tone()
            case Stop():
                pass
            case _:
                side.senses.take(message)

    def lost(self, lost: Lost) -> None:
        """Say what found no room in the inbox. Where the core was not heard out, it is linked to and asked again."""
        side = self._side
        if lost.any:
            side.emit(Notice(at_s=now_s(), text=lost.in_words(), severity="warning"))
        if lost.of_core:
            side.core.not_heard_out()

    def _of_core(self, message: FromCore | LinkUp | LinkDown) -> None:
        match message:
            case FromCore(event):
                self._core_said(event)
            case LinkUp(link):
                self._side.core.up(link)
            case LinkDown(reason, then):
                self._side.journaling.core_down(reason, then)
                self._side.core.down(reason, then)

    def _core_said(self, event: CoreEvent) -> None:
        side = self._side
        if side.demonstration is not None and side.demonstration.core_said(event):
            return
        match event:
            case CoreHello():
                side.core.greeted(event)
                side.reports.core_back()
                side.typed.core_back()
            case CoreReady():
                self._core_loaded(event)
            case TurnJudged():
                side.listening.judged(event, side.tuner.now.hearing)
            case ReplyReady(_, pause):
                side.listening.reply_ready(pause, side.tuner.now.hearing)
            case _ if side.core.said(event):
                pass
            case _:
                side.talk.core_said(event)

    def _core_loaded(self, ready: CoreReady) -> None:
        side = self._side
        side.core.loaded(ready)
        side.senses.ready()
        side.senses.open("microphone")
        side.emit(Ready(at_s=now_s(), **asdict(ready)))
        if side.demonstration is not None:
            side.demonstration.ready(side.tuner.now.speaking.voice)

    def _retuned(self, changed: Mapping[str, Any]) -> None:
        """The live settings `changed` have other values now."""
        side = self._side
        if not changed:
            return
        side.playback.set_volume(side.tuner.now.speaking.volume_percent)
        side.recording.tuned(changed)
        if "hearing.hands_free" in changed:
            side.listening.abandon()
        side.core.tell_session()
