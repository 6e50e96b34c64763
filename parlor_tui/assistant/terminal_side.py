"""The terminal side composed: its parts put together, told what happens, given their time, opened and closed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from parlor_tui.assistant.core.core_side import CoreSide
from parlor_tui.assistant.core.offers import NotNow
from parlor_tui.assistant.demo.demo import Demo
from parlor_tui.assistant.demo.demonstrating import Demonstration
from parlor_tui.assistant.devices.in_use import DevicesInUse
from parlor_tui.assistant.devices.senses import Senses
from parlor_tui.assistant.devices.tone import tone_pcm16
from parlor_tui.assistant.ear.listening import Listening
from parlor_tui.assistant.inbox import AboutConversation, Input
from parlor_tui.assistant.keeping.conversing import Conversing
from parlor_tui.assistant.keeping.journaling import Journaling
from parlor_tui.assistant.keeping.recording import Recording
from parlor_tui.assistant.keeping.reporting import TurnReports
from parlor_tui.assistant.shown_state import state_of
from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.assistant.troubles import Troubles
from parlor_tui.assistant.tuner import Tuner
from parlor_tui.assistant.typed import Typed
from parlor_tui.devices.select import Opener
from parlor_tui.events import Event, Failed, InputOver, Loading, State, StateChanged, now_s
from parlor_tui.hearing.turn import ReplyPhase
from parlor_tui.link.client_events import ClientEvent
from parlor_tui.observe.stages import LatencyObserver
from parlor_tui.settings import Settings, config_file, conversations_folder


class TerminalSide:
    """Used by the assistant's thread. `put` takes messages for its inbox on any thread; `restart_core` has another core
    started; the rest is that of `Assistant`.
    """

    def __init__(
        self,
        settings: Settings,
        config: Path | None,
        listener: Callable[[Event], None],
        put: Callable[[Input], None],
        restart_core: Callable[[], None],
        log: Path,
        not_now: NotNow,
        *,
        opener: Opener | None,
        demo: Demo | None,
        told: Callable[[ClientEvent], None] | None,
    ) -> None:
        self._listener = listener
        self._log = log
        self._state: State | None = None
        self._observer = LatencyObserver()
        self.playback = Playback()
        self.talk = Talk(self.emit, self._send, self.playback, self._observer)
        self._troubles = Troubles(self.emit)
        self.listening = Listening(self.talk, self.emit, self._frame)
        self.recording = Recording(
            conversations_folder(settings),
            settings.conversations.record,
            settings.conversations.sound_mb,
            self.emit,
            lambda why: put(AboutConversation("failed", now_s(), why)),
            lambda why: put(AboutConversation("full", now_s(), why)),
        )
        self.talk.tap = self.recording
        self.journaling = Journaling(settings, log, self.emit)
        self.conversing = Conversing(self.talk, self.recording, self.emit, self._forget_input, put, self.say)
        self.tuner = Tuner(settings, config, self.emit)
        devices = opener or Opener()
        self.demonstration: Demonstration | None = None
        if demo is not None:
            self.demonstration = Demonstration(demo, settings.devices, devices, self._send, self.emit, self._demo_over)
            devices = demo.opener(devices)
        file = config or config_file()
        self.senses = Senses(settings.devices, devices, put, self._troubles.tell, self.emit, file)
        self._in_use = DevicesInUse(self.senses, self.playback, self.talk, self.listening)
        self.core = CoreSide(
            self.emit,
            self.talk,
            self.listening,
            self.tuner,
            self._troubles,
            not_now,
            restart=restart_core,
            wants_speech=lambda: self._in_use.wants_speech,
            told=told or (lambda _: None),
        )
        self.typed = Typed(self.core, self.talk, self._frame, self.emit)
        self.reports = TurnReports(
            self.playback, lambda: self._in_use.overruns, lambda: self.core.is_linked, self._send
        )

    def open(self) -> None:
        """Begin: what sounds and sees is opened, and the ear."""
        self.emit(Loading(at_s=now_s(), text="starting"))
        if self.recording.record != "off":
            self.recording.tell()
        self.playback.set_volume(self.tuner.now.speaking.volume_percent)
        self.senses.open("speaker")
        self.senses.open("camera")
        try:
            self.listening.open(self.playback.reference, lambda text: self._troubles.tell(text, "echo"))
        except (ImportError, RuntimeError, OSError) as error:
            self._troubles.tell(f"no voice activity model: {error}; `parlor-tui doctor` says more", "vad")
        self._set_state()

    def close(self, end_core: Callable[[], None]) -> None:
        """In order: what listens and sees, what is made of it, what sounds, what is kept; each within its time."""
        with contextlib.ExitStack() as last_first:  # whatever goes wrong on the way, the others are closed
            last_first.callback(self.journaling.close)
            last_first.callback(self.recording.close)
            last_first.callback(self.senses.close)
            last_first.callback(end_core)
            last_first.callback(self.playback.stop)
            last_first.callback(self.senses.close_inputs)
            if self.demonstration is not None:
                last_first.callback(self.demonstration.close)

    def failed(self, error: Exception) -> None:
        """Nothing goes on any more: say so."""
        self.journaling.failed(error)
        self.emit(StateChanged(at_s=now_s(), state=State.ERROR))
        what = f"the assistant failed ({type(error).__name__}); details in {self._log}; start again"
        self.emit(Failed(at_s=now_s(), text=what))

    @property
    def is_at_rest(self) -> bool:
        """Nothing is to be done before the next message."""
        shows = self.demonstration is not None and self.demonstration.is_on
        return self.talk.phase is ReplyPhase.NONE and not self.playback.is_waiting and not shows

    def tick(self) -> None:
        """Do what is due."""
        self.talk.tick(hold=self.listening.in_speech)
        if self.talk.phase is ReplyPhase.NONE:
            self.playback.pump()  # what is no reply, as a tone
        if self.demonstration is not None:
            self.demonstration.tick()
        self.conversing.tick(now_s())
        self.journaling.tick()
        self._in_use.tick(now_s())
        self.core.tick()
        self._set_state()

    def emit(self, event: Event) -> None:
        """Tell everybody."""
        self._observer.on_event(event)
        self.recording.on_event(event)
        self.reports.on_event(event)
        self._listener(event)
        self.journaling.on_event(event)
        if self.demonstration is not None:
            self.demonstration.happened(event)

    def say(self, text: str) -> None:
        """Take a typed turn."""
        text = text.strip()
        if text and not self.conversing.waits(text):
            self.typed.say(text)

    def play_tone(self) -> None:
        """Play a short sound by which one hears that the speaker works."""
        if not self.playback.has_speaker:
            self.emit(Failed(at_s=now_s(), text="nothing can be heard: no speaker is open; choose one first"))
        elif self.talk.phase is ReplyPhase.NONE:  # a reply that plays can be heard itself
            self.playback.begin()
            self.playback.add(tone_pcm16())

    def _demo_over(self) -> None:
        """From now on the user's own microphone is listened to."""
        self.senses.reopen("microphone")
        self.emit(InputOver(at_s=now_s()))

    def _forget_input(self) -> None:
        """What is being said, and what was typed and waits, belongs to a conversation that is over."""
        self.listening.abandon()
        self.typed.forget()

    def _frame(self) -> bytes | None:
        """What the camera sees now, if the model may be shown it."""
        return None if self.tuner.now.seeing.policy == "off" else self.senses.frame_jpeg()

    def _send(self, event: ClientEvent) -> None:
        self.core.send(event)

    def _set_state(self) -> None:
        state = state_of(
            self.talk.phase,
            gave_up=self.core.gave_up,
            in_speech=self.listening.in_speech,
            ready=self.core.is_ready,
            hears=self.senses.has_microphone and not self.listening.is_deaf(self.tuner.now.hearing),
        )
        if state is not self._state:
            self._state = state
            self.emit(StateChanged(at_s=now_s(), state=state))
