"""The core as the terminal has it: linked to or not, loaded, given up. Used by the assistant's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from parlor_tui.assistant.core.governed import Governance
from parlor_tui.assistant.core.offers import NotNow, Offers
from parlor_tui.assistant.ear.listening import Listening
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.assistant.troubles import Troubles
from parlor_tui.assistant.tuner import Tuner
from parlor_tui.devices.base import MIC_RATE_HZ
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
    Loading,
    MachineRead,
    MachineSeen,
    Notice,
    now_s,
)
from parlor_tui.hearing.turn import ReplyPhase
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import ClientEvent, UpdateSession
from parlor_tui.link.supervisor import Then
from parlor_tui.usage import OwnUse

_TO_TRY_AGAIN = "type something to have it tried again"


class CoreSide:
    """`restart` has another core started. `wants_speech`: whether replies are to be spoken.

    `told` sees all that the core is told.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        talk: Talk,
        listening: Listening,
        tuner: Tuner,
        troubles: Troubles,
        not_now: NotNow,
        *,
        restart: Callable[[], None],
        wants_speech: Callable[[], bool],
        told: Callable[[ClientEvent], None],
    ) -> None:
        self._emit = emit
        self._talk = talk
        self._listening = listening
        self._tuner = tuner
        self._troubles = troubles
        self._wants_speech = wants_speech
        self._told = told
        self._restart_core = restart
        self.offers = Offers(emit, self.send, not_now)
        self._governance = Governance(emit)
        self._link: Link | None = None
        self._new_link: Link | None = None
        self._speech_told: bool | None = None
        self._profile = ""
        self._own_use: OwnUse | None = None
        self.is_ready = False
        self.gave_up = False
        self.is_heard = False
        """From the first core on, and also while it is brought back: what is said finds a core in the end."""

    @property
    def is_linked(self) -> bool:
        """Whether a core takes what it is sent."""
        return self._link is not None

    def send(self, event: ClientEvent) -> None:
        """Tell the core, if there is one."""
        if self._link is not None:
            self._link.send(event)
            self._told(event)

    def tell_session(self) -> None:
        """Have the core go on with the live settings that are in use."""
        self._speech_told = self._wants_speech()
        tuning = self._tuner.now.values()
        del tuning["speaking.volume_percent"]  # speech is made as ever: a reply that was begun is still the right one
        self.send(UpdateSession(input_rate_hz=MIC_RATE_HZ, speak=self._speech_told, tuning=tuning))

    def tick(self) -> None:
        """Tell the core whether anything can be heard, if that has changed; start with a model that was got."""
        if self._link is not None and self._speech_told is not self._wants_speech():
            self.tell_session()
        self._start_with_new_model()

    # --- what comes of the core ---------------------------------------------------------------------------------------

    def up(self, link: Link) -> None:
        """There is a link; it is used from the core's first word on, which the conversation so far is told after."""
        self._new_link = link

    def greeted(self, hello: CoreHello) -> None:
        """The core's first word: tell it how things are set, and the conversation."""
        self._link = self._new_link
        self._profile = hello.profile
        self._tuner.use_profile(hello.profile)
        self._emit(CoreFound(at_s=now_s(), profile=hello.profile, model=hello.model, demo_grade=hello.demo_grade))
        self.offers.core_new()
        self.tell_session()
        self._talk.core_back()

    def loaded(self, ready: CoreReady) -> None:
        """Its models are there."""
        self.is_ready, self.gave_up, self.is_heard = True, False, True
        self._troubles.tell("", "core")
        if ready.profile != self._profile:  # another than the core meant to load at first
            self._profile = ready.profile
            self._tuner.use_profile(ready.profile)
            self.tell_session()

    def said(self, event: CoreEvent) -> bool:
        """Take what the core says of itself; whether it was that."""
        match event:
            case CoreLoading():
                self._emit(Loading(at_s=now_s(), **asdict(event)))
            case CoreFailed(message, missing):
                self.gave_up = True
                self._troubles.tell(f"{message}; {_TO_TRY_AGAIN}", "core", error=True)
                self._emit(Failed(at_s=now_s(), text=message, missing=missing))
            case MachineRead():
                own = self._own_use = self._own_use or OwnUse()
                use = {"terminal_mb": own.resident_mb(), "terminal_cpu_percent": own.cpu_percent()}
                self._emit(MachineSeen(at_s=now_s(), machine=event, **use))
            case CoreGoverned():
                self._governance.core_said(event)
            case CoreOffer() | CoreFetching() | CoreFetched():
                self.offers.core_said(event)
            case _:
                return False
        return True

    def down(self, reason: str, then: Then) -> None:
        """The core is lost, or the link to it; `reason` is empty if that was asked for."""
        self._link = None
        self.is_ready = False
        self._talk.core_lost()
        self._governance.core_lost()
        match then:
            case _ if not reason:
                pass
            case "start":
                self._troubles.tell(f"{reason}; starting it again, the talk goes on", "core")
            case "link":
                self._troubles.tell(f"{reason}; linking again, the talk goes on", "core")
            case "stop":
                self.gave_up, self.is_heard = True, False
                self._listening.abandon()
                self._talk.give_up()
                stuck = f"{reason}; it will not stay up: `parlor-tui doctor` may say why"
                self._troubles.tell(f"{stuck}; {_TO_TRY_AGAIN}", "core", error=True)
                self._emit(Failed(at_s=now_s(), text=stuck))

    def not_heard_out(self) -> None:
        """Some of what it said is lost: link to it anew and ask again."""
        if self._link is not None:
            self._link.close()

    # --- what the user wants of it ------------------------------------------------------------------------------------

    def try_again(self) -> bool:
        """Where no core came up: start one after all, since the user wants to talk; whether that is so."""
        if not self.gave_up:
            return False
        self._troubles.tell("", "core")
        self._emit(Loading(at_s=now_s(), text="starting again"))
        self._restart()
        return True

    def _start_with_new_model(self) -> None:
        """Once a model was got and no turn is under way, start a core with it. One that waits for a core goes along."""
        busy = self.is_ready and (self._listening.in_speech or self._talk.phase is not ReplyPhase.NONE)
        if not self.offers.got or self._link is None or busy:
            return
        self._emit(Notice(at_s=now_s(), text=f"{self.offers.got} is here: starting with it"))
        self.offers.core_new()
        self._restart()

    def _restart(self) -> None:
        """What is said from now on waits for the new core, which is told the conversation."""
        self._link = None
        self.is_ready = self.gave_up = False
        self._restart_core()
