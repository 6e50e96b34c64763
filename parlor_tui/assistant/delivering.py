"""Each message of the inbox goes to the parts that it concerns."""

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
from parlor_tui.assistant.parts import Parts
from parlor_tui.events import CoreEvent, CoreHello, CoreReady, InputOver, Notice, Ready, ReplyReady, TurnJudged, now_s


class Delivery:
    """Used by the assistant's thread."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def take(self, message: Input) -> None:
        """Do what one message asks for."""
        parts = self._parts
        match message:
            case Block():
                parts.listening.block(message, parts.tuner.now.hearing, awake=parts.core.is_heard)
            case FromCore() | LinkUp() | LinkDown():
                self._of_core(message)
            case Say(text):
                parts.say(text)
            case Interrupt():
                parts.talk.interrupt("key")
            case Mute(muted):
                parts.listening.mute(muted)
            case TalkKey() if parts.core.try_again():
                pass
            case TalkKey(at_s):
                parts.listening.press_key(at_s, parts.tuner.now.hearing, has_microphone=parts.senses.has_microphone)
            case Speak(text, voice):
                parts.typed.speak(text, voice)
            case Tune(values):
                self._retuned(parts.tuner.change(values))
            case AboutTuning(wish, name):
                self._retuned(parts.tuner.manage(wish, name))
            case AboutModel("get"):
                parts.core.offers.get()
            case AboutModel("cancel"):
                parts.core.offers.cancel()
            case AboutModel():
                parts.core.offers.decline()
            case AboutConversation() | ConversationRead():
                parts.conversing.take(message)
            case MicrophoneEnded(None):
                parts.emit(InputOver(at_s=now_s()))
            case MicrophoneEnded(reason, device):
                parts.senses.ended("microphone", reason or "", device)
            case SpeakerLost(reason, device):
                parts.senses.ended("speaker", reason, device)
            case UseDevice("microphone") if parts.demonstration is not None and parts.demonstration.is_on:
                parts.demonstration.stop()
                parts.senses.take(message)
            case PlayTone():
                parts.play_tone()
            case Stop():
                pass
            case _:
                parts.senses.take(message)

    def lost(self, lost: Lost) -> None:
        """Say what found no room in the inbox. Where the core was not heard out, it is linked to and asked again."""
        parts = self._parts
        if lost.any:
            parts.emit(Notice(at_s=now_s(), text=lost.in_words(), severity="warning"))
        if lost.of_core:
            parts.core.not_heard_out()

    def _of_core(self, message: FromCore | LinkUp | LinkDown) -> None:
        match message:
            case FromCore(event):
                self._core_said(event)
            case LinkUp(link):
                self._parts.core.up(link)
            case LinkDown(reason, then):
                self._parts.journaling.core_down(reason, then)
                self._parts.core.down(reason, then)

    def _core_said(self, event: CoreEvent) -> None:
        parts = self._parts
        if parts.demonstration is not None and parts.demonstration.core_said(event):
            return
        match event:
            case CoreHello():
                parts.core.greeted(event)
                parts.reports.core_back()
                parts.typed.core_back()
            case CoreReady():
                self._core_loaded(event)
            case TurnJudged():
                parts.listening.judged(event, parts.tuner.now.hearing)
            case ReplyReady(_, pause):
                parts.listening.reply_ready(pause, parts.tuner.now.hearing)
            case _ if parts.core.said(event):
                pass
            case _:
                parts.talk.core_said(event)

    def _core_loaded(self, ready: CoreReady) -> None:
        parts = self._parts
        parts.core.loaded(ready)
        parts.senses.ready()
        parts.senses.open("microphone")
        parts.emit(Ready(at_s=now_s(), **asdict(ready)))
        if parts.demonstration is not None:
            parts.demonstration.ready(parts.tuner.now.speaking.voice)

    def _retuned(self, changed: Mapping[str, Any]) -> None:
        """The live settings `changed` have other values now."""
        parts = self._parts
        if not changed:
            return
        parts.playback.set_volume(parts.tuner.now.speaking.volume_percent)
        parts.recording.tuned(changed)
        if "hearing.hands_free" in changed:
            parts.listening.abandon()
        parts.core.tell_session()
