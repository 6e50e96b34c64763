"""The terminal side: one thread that owns the talk, fed through one bounded inbox; and the ordered stop of all."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from parlor_tui.assistant.conversing import Conversing
from parlor_tui.assistant.demo import Demo
from parlor_tui.assistant.demonstrating import Demonstration
from parlor_tui.assistant.governed import Governance
from parlor_tui.assistant.inbox import (
    AboutConversation,
    AboutModel,
    AboutTuning,
    Block,
    CameraGone,
    CameraSees,
    ConversationRead,
    DevicesFound,
    FromCore,
    Input,
    Interrupt,
    LinkDown,
    LinkUp,
    MicrophoneEnded,
    MicrophoneTrouble,
    Mute,
    PlayTone,
    Say,
    ShowCamera,
    Speak,
    SpeakerLost,
    Stop,
    StreamsRouted,
    TalkKey,
    Tune,
    UseDevice,
    WatchDevices,
)
from parlor_tui.assistant.journaling import Journaling
from parlor_tui.assistant.listening import Listening
from parlor_tui.assistant.offers import NotNow, Offers, not_now_file
from parlor_tui.assistant.opening import Opened
from parlor_tui.assistant.playback import Playback
from parlor_tui.assistant.recording import Recording
from parlor_tui.assistant.reporting import TurnReports
from parlor_tui.assistant.requests import Requests
from parlor_tui.assistant.senses import Senses
from parlor_tui.assistant.talk import Talk
from parlor_tui.assistant.tone import tone_pcm16
from parlor_tui.assistant.tuner import Tuner
from parlor_tui.devices.base import MIC_RATE_HZ, Microphone, Speaker
from parlor_tui.devices.select import Opener
from parlor_tui.events import (
    CoreEvent,
    CoreFailed,
    CoreFetched,
    CoreFetching,
    CoreFound,
    CoreGoverned,
    CoreHello,
    CoreLoading,
    CoreOffer,
    CoreReady,
    Event,
    Failed,
    InputOver,
    Loading,
    MachineRead,
    MachineSeen,
    Notice,
    Ready,
    ReplyReady,
    State,
    StateChanged,
    TurnJudged,
    now_s,
)
from parlor_tui.hearing.turn import ReplyPhase
from parlor_tui.link import client_events
from parlor_tui.link.client import Link
from parlor_tui.link.supervisor import Supervisor, Then, core_command
from parlor_tui.observe.stages import LatencyObserver
from parlor_tui.settings import Settings, Tuning, config_file, conversations_folder, log_file
from parlor_tui.usage import OwnUse

_log = logging.getLogger(__name__)
_TICK_S = 0.03
_IDLE_S = 0.25
"""Without a reply to feed to the speaker there is nothing to do between messages."""
_RETRY_DEVICES_S = 2.0
_TYPED_WAITING = 20
_TO_TRY_AGAIN = "type something to have it tried again"
LONGEST_TYPED_CHARS = 8000


class Assistant(Requests):
    """Owns the devices, the core's supervisor and the talk. `listener` is called on the assistant's own thread; where
    a request finds no room, on that of who asked.

    `config` is the settings file the core is to read too, if the user named one. `core` is a command line that starts
    another core than the settings' own, `opener` brings other devices. `log` is where core and libraries print to, with
    journal and incidents beside it, if not in the usual place; `told` sees all that the core is told.
    """

    def __init__(
        self,
        settings: Settings,
        config: Path | None,
        listener: Callable[[Event], None],
        *,
        opener: Opener | None = None,
        core: Sequence[str] = (),
        demo: Demo | None = None,
        log: Path | None = None,
        told: Callable[[client_events.ClientEvent], None] | None = None,
    ) -> None:
        super().__init__(lambda why: listener(Failed(at_s=now_s(), text=why)))
        self._settings = settings
        self._listener = listener
        self._log_file = log = log or log_file()
        self._told = told
        self._observer = LatencyObserver()
        self._playback = Playback()
        self._talk = Talk(self._emit, self._send, self._playback, self._observer)
        self._governance = Governance(self._emit)
        self._reports = TurnReports(self._playback, self._overruns, lambda: self._link is not None, self._send)
        self._listening = Listening(self._talk, self._emit, self._frame)
        self._recording = Recording(
            conversations_folder(settings),
            settings.conversations.record,
            settings.conversations.sound_mb,
            self._emit,
            lambda why: self._put(AboutConversation("failed", now_s(), why)),
            lambda why: self._put(AboutConversation("full", now_s(), why)),
        )
        self._talk.tap = self._recording
        self._journaling = Journaling(settings, log, self._emit)
        self._conversing = Conversing(self._talk, self._recording, self._emit, self._forget_input, self._put, self._say)
        self._tuner = Tuner(settings, config, self._emit)
        self._tuning: Tuning = self._tuner.now
        self._offers = Offers(self._emit, self._send, NotNow(not_now_file()))
        devices = opener or Opener()
        self._demonstration: Demonstration | None = None
        if demo is not None:
            self._demonstration = Demonstration(
                demo, settings.devices, devices, self._send, self._emit, self._demo_over
            )
            devices = demo.opener(devices)
        self._senses = Senses(settings.devices, devices, self._put, self._notice, self._emit, config or config_file())
        self._speaker: Speaker | None = None
        self._microphone: Microphone | None = None
        self._moves = 0
        self._speech_told: bool | None = None
        self._link: Link | None = None
        self._new_link: Link | None = None
        self._typed: deque[str] = deque()
        self._ready = False
        self._gave_up = False
        self._listens = False  # from the first core on, and also while it is brought back
        self._state: State | None = None
        self._retry_at_s = 0.0
        self._troubles: dict[str, str] = {}
        self._profile = ""
        self._own_use: OwnUse | None = None
        self._stopping = threading.Event()
        self._core_ends_by_s = 0.0
        self._thread = threading.Thread(target=self._run, name="assistant", daemon=True)
        self._supervisor = Supervisor(
            list(core) or core_command(settings, config),
            log,
            on_up=lambda link: self._put(LinkUp(link)),
            on_event=lambda event: self._put(FromCore(event)),
            on_down=lambda reason, then: self._put(LinkDown(reason, then)),
        )

    # --- called by the screen, from any thread ------------------------------------------------------------------------

    @property
    def core_pid(self) -> int | None:
        """The core's process number, while there is one."""
        return self._supervisor.core_pid

    def start(self) -> None:
        """Open the devices and start the core in the background; trouble arrives as events."""
        self._thread.start()
        self._supervisor.start()

    def stop(self, timeout_s: float) -> None:
        """Stop everything: input, then the talk and the core, then output. Waits about `timeout_s` at most."""
        if self._thread.is_alive():
            self._core_ends_by_s = now_s() + timeout_s * 0.6
            self._stopping.set()
            with contextlib.suppress(queue.Full):
                self._inbox.put_nowait(Stop())
            self._thread.join(timeout_s)
        self._supervisor.stop(0.1)  # if that was never begun, or hangs

    # --- the assistant's own thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._open()
            self._set_state()
            while not self._stopping.is_set():
                try:
                    message = self._inbox.get(timeout=_IDLE_S if self._is_at_rest else _TICK_S)
                except queue.Empty:
                    pass
                else:
                    if isinstance(message, Stop):
                        break
                    self._take(message)
                self._tell_overflow()
                self._talk.tick(hold=self._listening.in_speech)
                if self._talk.phase is ReplyPhase.NONE:
                    self._playback.pump()  # what is no reply, as a tone
                if self._demonstration is not None:
                    self._demonstration.tick()
                self._conversing.tick(now_s())
                self._journaling.tick()
                self._retry_devices()
                self._follow_devices()
                self._start_with_new_model()
                self._set_state()
        except Exception as error:  # noqa: BLE001 - the edge of the thread: the screen must hear that nobody listens
            _log.exception("assistant")
            self._journaling.failed(error)
            self._emit(StateChanged(at_s=now_s(), state=State.ERROR))
            self._emit(
                Failed(
                    at_s=now_s(),
                    text=f"the assistant failed ({type(error).__name__}); details in {self._log_file}; start again",
                )
            )
        finally:
            self._close()

    def _close(self) -> None:
        """In order: what listens and sees, what is made of it, what sounds, what is kept; each within its time."""
        with contextlib.ExitStack() as last_first:  # whatever goes wrong on the way, the others are closed
            last_first.callback(self._journaling.close)
            last_first.callback(self._recording.close)
            last_first.callback(self._senses.close)
            last_first.callback(lambda: self._supervisor.stop(max(0.3, self._core_ends_by_s - now_s())))
            last_first.callback(self._playback.stop)
            last_first.callback(self._senses.close_inputs)
            if self._demonstration is not None:
                last_first.callback(self._demonstration.close)

    def _open(self) -> None:
        self._emit(Loading(at_s=now_s(), text="starting"))
        if self._recording.record != "off":
            self._recording.tell()
        self._playback.set_volume(self._tuning.speaking.volume_percent)
        self._senses.open("speaker")
        self._senses.open("camera")
        try:
            self._listening.open(self._playback.reference, lambda text: self._notice(text, "echo"))
        except (ImportError, RuntimeError, OSError) as error:
            self._notice(f"no voice activity model: {error}; `parlor-tui doctor` says more", "vad")

    def _take(self, message: Input) -> None:
        match message:
            case Block():
                self._listening.block(message, self._tuning.hearing, awake=self._listens)
            case FromCore(event):
                self._core_said(event)
            case Say(text):
                self._say(text)
            case Interrupt():
                self._talk.interrupt("key")
            case Mute(muted):
                self._listening.mute(muted)
            case TalkKey() if self._try_again():
                pass
            case TalkKey(at_s):
                self._listening.press_key(at_s, self._tuning.hearing, has_microphone=self._senses.has_microphone)
            case Speak(text, voice):
                self._speak(text, voice)
            case Tune(values):
                self._retuned(self._tuner.change(values))
            case AboutTuning(wish, name):
                self._retuned(self._tuner.manage(wish, name))
            case AboutModel("get"):
                self._offers.get()
            case AboutModel("cancel"):
                self._offers.cancel()
            case AboutModel("decline"):
                self._offers.decline()
            case AboutConversation() | ConversationRead():
                self._conversing.take(message)
            case LinkUp(link):
                self._new_link = link  # used from the core's first word on, which the conversation so far is told after
            case LinkDown(reason, then):
                self._link_down(reason, then)
            case MicrophoneEnded(None):
                self._emit(InputOver(at_s=now_s()))
            case MicrophoneEnded(reason, device):
                self._senses.ended("microphone", reason or "", device)
            case SpeakerLost(reason, device):
                self._senses.ended("speaker", reason, device)
            case UseDevice("microphone") if self._demonstration is not None and self._demonstration.is_on:
                self._demonstration.stop()
                self._senses.take(message)
            case UseDevice() | WatchDevices() | ShowCamera() | Opened() | DevicesFound() | StreamsRouted():
                self._senses.take(message)
            case MicrophoneTrouble() | CameraGone() | CameraSees():
                self._senses.take(message)
            case PlayTone():
                self._play_tone()
            case _:
                pass

    def _core_said(self, event: CoreEvent) -> None:
        if self._demonstration is not None and self._demonstration.core_said(event):
            return
        match event:
            case CoreHello():
                self._link = self._new_link
                self._tuning = self._tuner.use_profile(event.profile)
                self._emit(
                    CoreFound(
                        at_s=now_s(),
                        profile=event.profile,
                        model=event.model,
                        demo_grade=event.demo_grade,
                    )
                )
                self._offers.core_new()
                self._send_session()
                self._talk.core_back()
                self._reports.core_back()
                while self._typed:
                    self._talk.typed(self._typed.popleft(), self._frame())
                self._profile = event.profile
            case CoreLoading(text, done_bytes, total_bytes):
                self._emit(Loading(at_s=now_s(), text=text, done_bytes=done_bytes, total_bytes=total_bytes))
            case CoreReady():
                self._core_ready(event)
            case CoreFailed(message, missing):
                self._gave_up = True
                self._notice(f"{message}; {_TO_TRY_AGAIN}", "core", error=True)
                self._emit(Failed(at_s=now_s(), text=message, missing=missing))
            case MachineRead():
                self._machine_read(event)
            case CoreGoverned():
                self._governance.core_said(event)
            case TurnJudged():
                self._listening.judged(event, self._tuning.hearing)
            case ReplyReady(_, pause):
                self._listening.reply_ready(pause, self._tuning.hearing)
            case CoreOffer() | CoreFetching() | CoreFetched():
                self._offers.core_said(event)
            case _:
                self._talk.core_said(event)

    def _core_ready(self, ready: CoreReady) -> None:
        self._ready, self._gave_up, self._listens = True, False, True
        self._notice("", "core")
        if ready.profile != self._profile:  # another than the core meant to load at first
            self._profile = ready.profile
            self._tuning = self._tuner.use_profile(ready.profile)
            self._send_session()
        self._senses.ready()
        self._senses.open("microphone")
        self._emit(
            Ready(
                at_s=now_s(),
                profile=ready.profile,
                model=ready.model,
                load_ms=ready.load_ms,
                hears=ready.hears,
                sees=ready.sees,
                voices=ready.voices,
            )
        )
        if self._demonstration is not None:
            self._demonstration.ready(self._tuning.speaking.voice)

    def _machine_read(self, event: MachineRead) -> None:
        self._own_use = self._own_use or OwnUse()
        own = self._own_use
        self._emit(
            MachineSeen(
                at_s=now_s(), machine=event, terminal_mb=own.resident_mb(), terminal_cpu_percent=own.cpu_percent()
            )
        )

    def _send_session(self) -> None:
        self._speech_told = self._speech_wanted
        tuning = self._tuning.values()
        del tuning["speaking.volume_percent"]  # speech is made as ever: a reply that was begun is still the right one
        self._send(client_events.UpdateSession(input_rate_hz=MIC_RATE_HZ, speak=self._speech_wanted, tuning=tuning))

    def _retuned(self, changed: Mapping[str, Any]) -> None:
        """The live settings `changed` have other values now."""
        if not changed:
            return
        self._tuning = self._tuner.now
        self._playback.set_volume(self._tuning.speaking.volume_percent)
        self._recording.tuned(changed)
        if "hearing.hands_free" in changed:
            self._listening.abandon()
        self._send_session()

    def _forget_input(self) -> None:
        """What is being said, and what was typed and waits, belongs to a conversation that is over."""
        self._listening.abandon()
        self._typed.clear()

    def _frame(self) -> bytes | None:
        """What the camera sees now, if the model may be shown it."""
        return None if self._tuning.seeing.policy == "off" else self._senses.frame_jpeg()

    def _say(self, text: str) -> None:
        text = text.strip()
        if not text or self._conversing.waits(text):
            return
        if len(text) > LONGEST_TYPED_CHARS:
            limit = f"that is {len(text)} characters long; at most {LONGEST_TYPED_CHARS} are taken in one turn"
            self._emit(Failed(at_s=now_s(), text=limit))
        elif self._try_again() or self._link is None:
            if len(self._typed) >= _TYPED_WAITING:
                self._emit(Failed(at_s=now_s(), text="not taken: too much is waiting for the core already"))
            else:
                self._typed.append(text)
        else:
            self._talk.typed(text, self._frame())

    def _speak(self, text: str, voice: str) -> None:
        if self._link is None or not self._ready:
            self._emit(Failed(at_s=now_s(), text="not said aloud: the models are not loaded yet; try again when ready"))
        elif text.strip():
            self._talk.say_aloud(text.strip()[:LONGEST_TYPED_CHARS], voice)

    def _link_down(self, reason: str, then: Then) -> None:
        self._journaling.core_down(reason, then)
        self._link = None
        self._ready = False
        self._talk.core_lost()
        self._governance.core_lost()
        match then:
            case _ if not reason:
                pass
            case "start":
                self._notice(f"{reason}; starting it again, the talk goes on", "core")
            case "link":
                self._notice(f"{reason}; linking again, the talk goes on", "core")
            case "stop":
                self._gave_up, self._listens = True, False
                self._listening.abandon()
                self._talk.give_up()
                stuck = f"{reason}; it will not stay up: `parlor-tui doctor` may say why"
                self._notice(f"{stuck}; {_TO_TRY_AGAIN}", "core", error=True)
                self._emit(Failed(at_s=now_s(), text=stuck))

    def _try_again(self) -> bool:
        """Where no core came up: start one after all, since the user wants to talk; whether that is so."""
        if not self._gave_up:
            return False
        self._gave_up = self._ready = False
        self._link = None  # what is said from now on waits for the new core
        self._notice("", "core")
        self._emit(Loading(at_s=now_s(), text="starting again"))
        self._supervisor.restart()
        return True

    def _tell_overflow(self) -> None:
        """Say what found no room in the inbox. Where the core was not heard out, it is linked to and asked again."""
        lost = self._overflow.take()
        if lost.any:
            self._emit(Notice(at_s=now_s(), text=lost.in_words(), severity="warning"))
        if lost.of_core and self._link is not None:
            self._link.close()

    def _start_with_new_model(self) -> None:
        """Once a model was got and no turn is under way, start a core with it. One that waits for a core goes along."""
        busy = self._ready and (self._listening.in_speech or self._talk.phase is not ReplyPhase.NONE)
        if not self._offers.got or self._link is None or busy:
            return
        self._emit(Notice(at_s=now_s(), text=f"{self._offers.got} is here: starting with it"))
        self._offers.core_new()
        self._link = None  # what is said from now on waits for the new core, which is told the conversation
        self._ready = self._gave_up = False
        self._supervisor.restart()

    @property
    def _is_at_rest(self) -> bool:
        """Nothing is to be done before the next message."""
        shows = self._demonstration is not None and self._demonstration.is_on
        return self._talk.phase is ReplyPhase.NONE and not self._playback.is_waiting and not shows

    def _retry_devices(self) -> None:
        if now_s() < self._retry_at_s and not self._senses.hurry:
            return
        self._retry_at_s = now_s() + _RETRY_DEVICES_S
        self._senses.retry(idle=self._talk.phase is ReplyPhase.NONE)

    def _follow_devices(self) -> None:
        """Play and listen with the devices that are there now; tell the core whether anything can be heard."""
        speaker, microphone = self._senses.speaker, self._senses.microphone
        speaking = self._talk.phase is ReplyPhase.SPEAKING
        if speaker is not self._speaker and not (speaking and self._speaker is None):  # one that is back begins anew
            if speaking and speaker is not None:
                self._talk.interrupt("key")
            self._speaker = speaker
            self._playback.use(speaker)
            self._listening.new_device()
        if microphone is not self._microphone:
            self._microphone = microphone
            self._listening.abandon()
            self._listening.new_device()
        if self._senses.moves != self._moves:
            self._moves = self._senses.moves
            self._listening.new_device()
        if self._link is not None and self._speech_told is not self._speech_wanted:
            self._send_session()

    @property
    def _speech_wanted(self) -> bool:
        """Whether replies are to be spoken: there is a speaker, or there will be in a moment."""
        return self._playback.has_speaker or self._senses.speaker_coming

    def _demo_over(self) -> None:
        """From now on the user's own microphone is listened to."""
        self._senses.reopen("microphone")
        self._emit(InputOver(at_s=now_s()))

    def _play_tone(self) -> None:
        if not self._playback.has_speaker:
            self._emit(Failed(at_s=now_s(), text="nothing can be heard: no speaker is open; choose one first"))
        elif self._talk.phase is ReplyPhase.NONE:  # a reply that plays can be heard itself
            self._playback.begin()
            self._playback.add(tone_pcm16())

    def _send(self, event: client_events.ClientEvent) -> None:
        if self._link is not None:
            self._link.send(event)
            if self._told is not None:
                self._told(event)

    def _emit(self, event: Event) -> None:
        self._observer.on_event(event)
        self._recording.on_event(event)
        self._reports.on_event(event)
        self._listener(event)
        self._journaling.on_event(event)
        if self._demonstration is not None:
            self._demonstration.happened(event)

    def _overruns(self) -> int:
        """How often the microphone lost sound so far; a file in its place loses none."""
        return getattr(self._microphone, "overruns", 0)

    def _notice(self, text: str, key: str, error: bool = False) -> None:
        if self._troubles.get(key, "") == text:
            return
        self._troubles[key] = text
        self._emit(Notice(at_s=now_s(), text=text, severity="error" if error else "warning", key=key))

    def _set_state(self) -> None:
        state = self._find_state()
        if state is not self._state:
            self._state = state
            self._emit(StateChanged(at_s=now_s(), state=state))

    def _find_state(self) -> State:
        if self._gave_up:
            return State.ERROR
        phase = self._talk.phase
        if phase is ReplyPhase.SPEAKING:
            return State.SPEAKING
        if self._listening.in_speech:
            return State.HEARING
        if not self._ready:
            return State.LOADING
        if phase is ReplyPhase.THINKING:
            return State.THINKING
        deaf = self._listening.is_deaf(self._tuning.hearing)
        return State.LISTENING if self._senses.has_microphone and not deaf else State.MUTED
