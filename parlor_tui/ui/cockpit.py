"""The cockpit: the whole screen, composed of its parts, fed from the bridge, driving the assistant."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Protocol

from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import Print
from textual.screen import Screen
from textual.widgets import Static

from parlor_tui.events import (
    CoreFound,
    Event,
    Loading,
    ModelComing,
    ModelOffered,
    ModelOver,
    Notice,
    Ready,
    now_s,
)
from parlor_tui.observe.history import History
from parlor_tui.settings import Settings, config_file
from parlor_tui.ui.actions import bindings, first_key
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.choices import Choices
from parlor_tui.ui.control import AssistantControl
from parlor_tui.ui.exchange import Exchange
from parlor_tui.ui.keeping import KeepingApp
from parlor_tui.ui.keyed import KeyedApp
from parlor_tui.ui.leaving import LEAVING_SIGNALS, told_already
from parlor_tui.ui.looks import LooksApp, Remember
from parlor_tui.ui.machine import Machine
from parlor_tui.ui.screens.history import HistoryScreen
from parlor_tui.ui.sensed import SensedApp, Side
from parlor_tui.ui.text import one_line
from parlor_tui.ui.transcript import Transcript
from parlor_tui.ui.tuned import TunedApp
from parlor_tui.ui.wall_clock import WallClock
from parlor_tui.ui.widgets.key_bar import KeyBar, hints
from parlor_tui.ui.widgets.last_turn import LastTurn, LastView
from parlor_tui.ui.widgets.machine import MachinePanel
from parlor_tui.ui.widgets.offer import OfferBar
from parlor_tui.ui.widgets.progress import Banner, Progress, Step, Trouble
from parlor_tui.ui.widgets.prompt import PROMPT_MARK, TYPED_LIMIT, Prompt
from parlor_tui.ui.widgets.sounds import SoundLine, Sounds
from parlor_tui.ui.widgets.status import Status, StatusLine
from parlor_tui.ui.widgets.talk import Talk, TalkFrame
from parlor_tui.ui.widgets.tune_panel import TunePanel

DRAIN_PER_S = 12
"""How often the bridge is emptied: text and meters look alive, and the loop stays idle in between."""
TRIM_LOG_EVERY_S = 30.0


class Host(Protocol):
    """What surrounds the screen: keeps what is printed."""

    def write_log(self, text: str) -> None:
        """Keep `text`."""

    def trim_log(self) -> None:
        """Keep the log short."""


class ParlorApp(LooksApp, KeyedApp, KeepingApp, SensedApp, TunedApp, inherit_bindings=False):
    """The whole screen. `fault` is the exception that ended it, if one did."""

    CSS_PATH = "cockpit.tcss"
    TITLE = "parlor"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(
        self,
        assistant: AssistantControl,
        settings: Settings,
        bridge: Bridge,
        *,
        host: Host | None = None,
        on_leave: Callable[[], None] = lambda: None,
        clock: Callable[[float], str] | None = None,
        remember: Remember = lambda _: None,
        config: Path | None = None,
    ) -> None:
        super().__init__(settings.screen, remember)
        self.fault: Exception | None = None
        self._assistant = assistant
        self._settings = settings
        self._keys = settings.keys
        self._config = config or config_file()
        self.use_devices(settings.devices)
        self._bridge = bridge
        self._host = host
        self._on_leave = on_leave
        self._wall = WallClock()
        self._clock = clock or (lambda at_s: f"{self._wall.at(at_s):%H:%M:%S}")
        self._transcript = Transcript()
        self._exchange = Exchange(settings.hearing.vad_threshold)
        self._history = History()
        self._goal_ms = settings.screen.goal_ms
        self.keep_in(settings)
        self._sounds = Sounds.of(settings.hearing)
        self._choices = Choices(settings)
        self._troubles: dict[str, Trouble] = {}
        self._machine = Machine()
        self._offer: ModelOffered | None = None
        self._status = Status.of(settings, first_key("talk_key", settings.keys))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers."""
        yield from self.commands_of_actions()
        yield from self.commands_of_keeping()
        yield from self.commands_of_themes()
        yield from self.commands_of_choices()
        yield from self.commands_of_devices()
        if isinstance(self.query_one(OfferBar).shown, ModelComing):
            yield SystemCommand("Cancel the download", "What came is kept", self.action_no_model)
        elif self._offer is not None:
            about = one_line(self._offer.lines[-1])
            yield SystemCommand(f"Get {one_line(self._offer.model)}", about, self._assistant.get_model)
        if (selected := screen.get_selected_text()) is not None:
            text = selected
            yield SystemCommand("Copy", "Copy the text selected with the mouse", lambda: self.copy_to_clipboard(text))

    def compose(self) -> ComposeResult:
        """Status, progress and trouble on top; the talk; what the speaker does; the last turn; the keys."""
        yield StatusLine()
        yield Progress()
        yield Banner()
        yield OfferBar(self._keys)
        with Horizontal(id="top"):
            with TalkFrame(id="talk-frame"):
                yield Talk(self._transcript, self._clock, id="talk")
                with Horizontal(id="prompt-row"):
                    yield Static(PROMPT_MARK, id="prompt-mark")
                    yield Prompt(id="prompt")
            yield Side(id="side")
            yield TunePanel(self._assistant, self._settings)
        yield SoundLine()
        with Horizontal(id="bottom"):
            key = first_key("history", self._keys)
            yield LastTurn(LastView(self._goal_ms).after(self._history, self._goal_ms), key)
            yield MachinePanel()
        yield KeyBar(hints(self._keys))

    def on_mount(self) -> None:
        """Get the clockwork going; the assistant starts once the first picture stands."""
        self._show_around()
        self.query_one(Prompt).focus()
        self.set_interval(1 / DRAIN_PER_S, self.drain)
        if self._host is not None:
            self.begin_capture_print(self)
            self.set_interval(TRIM_LOG_EVERY_S, self._host.trim_log)
            self._heed_signals()
        self.call_after_refresh(self._assistant.start)
        if self.first_run:
            self.welcome(self.first_run)

    def _heed_signals(self) -> None:
        """Being told to end, or losing the terminal, is leaving."""
        loop = asyncio.get_running_loop()
        for name in LEAVING_SIGNALS:
            # Windows has no SIGHUP, and its loop takes no handlers: there Ctrl+C arrives as a key.
            with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError):
                loop.add_signal_handler(getattr(signal, name), self.action_leave)

    def on_print(self, event: Print) -> None:
        """What Python code prints belongs to the log."""
        if self._host is not None:
            self._host.write_log(event.text)

    def _handle_exception(self, error: Exception) -> None:
        """Keep the first exception for the log; textual would print it, with every local variable, on the terminal."""
        self.fault = self.fault or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Print nothing: whoever runs the app says in one line what `fault` was."""

    # --- events -------------------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Take over everything that happened since the last time."""
        self._wall.look()
        events = self._bridge.drain()
        if not events:
            return
        figures_changed = False
        for event in events:
            figures_changed = self._history.apply(event) or figures_changed
            self.tune_event(event)
            self._transcript.apply(event)
            self._exchange.apply(event)
            self.keeping_event(event)
            self._choices.apply(event)
            self._status = self._status.after(event)
            self.device_event(event)
            self._machine = self._machine.after(event)
            self._sounds = self._sounds.after(event)
            self._apply(event)
        if figures_changed:
            last = self.query_one(LastTurn)
            last.view = last.view.after(self._history, self._goal_ms)
            if isinstance(self.screen, HistoryScreen):
                self.screen.history_changed()
        self._show_around()
        self.query_one(Talk).show_changes()

    def _show_around(self) -> None:
        """Bring what stands around the talk up to date."""
        can_cancel = "echo" not in self._troubles
        self._status = replace(self._status, yields=self._exchange.yields, can_cancel=can_cancel)
        self._sounds = replace(self._sounds.now(self._exchange), can_cancel=can_cancel)
        self.query_one(StatusLine).status = self._status
        self.query_one(MachinePanel).machine = self._machine
        self.query_one(SoundLine).sounds = self._sounds
        self.query_one(Prompt).placeholder = self._status.invitation
        self.query_one(Talk).hears = self._status.microphone
        self.query_one(TalkFrame).note = (self._exchange.note, self._exchange.lasts)

    def _apply(self, event: Event) -> None:
        """What an event means for the parts around the talk."""
        match event:
            case CoreFound():
                self._offer = self.query_one(OfferBar).shown = None  # what is offered, each core says itself
            case Loading():
                self.query_one(Progress).step = Step(event.text, event.done_bytes, event.total_bytes)
            case Ready():
                self._ready_to_talk(event)
            case ModelOffered():
                self._offer = event
                self.query_one(OfferBar).shown = None if event.declined else event
            case ModelComing():
                self.query_one(OfferBar).shown = event
            case ModelOver():
                self._model_over(event)
            case Notice() if event.key:
                self._trouble(event)

    def _ready_to_talk(self, event: Ready) -> None:
        self.query_one(Progress).step = None
        demo = "; demo-grade: expect short and often wrong answers" if self._status.demo_grade else ""
        told = f"ready after {event.load_ms / 1000:.1f} s: {event.profile} · {event.model}{demo}"
        self._transcript.line(told, "info", event.at_s)

    def _trouble(self, event: Notice) -> None:
        self._troubles.pop(event.key, None)
        if event.text:
            self._troubles[event.key] = (event.severity, event.text)
        self.query_one(Banner).troubles = tuple(self._troubles.values())

    def _model_over(self, event: ModelOver) -> None:
        self.query_one(OfferBar).shown = None
        if event.outcome == "got":
            self._offer = None  # the core that starts with it says so
        else:
            self._transcript.line(event.text, "error" if event.outcome == "failed" else "info", event.at_s)

    # --- what the user does -------------------------------------------------------------------------------------------

    def on_prompt_sent(self, message: Prompt.Sent) -> None:
        """Show a typed turn where it will stand, and hand it to the assistant."""
        self.mark_changes()
        self._transcript.typed(message.text, now_s())
        talk = self.query_one(Talk)
        talk.show_changes()
        talk.anchor()
        self._assistant.say(message.text)

    def on_prompt_cut(self, _: Prompt.Cut) -> None:
        """Say that a turn cannot be any longer."""
        self.notify(f"A turn holds {TYPED_LIMIT} characters at most; the rest was left out.", severity="warning")

    def on_prompt_paged(self, message: Prompt.Paged) -> None:
        """Scroll the talk while the input line keeps the focus."""
        talk = self.query_one(Talk)
        (talk.scroll_page_up if message.direction < 0 else talk.scroll_page_down)(animate=False)

    def on_talk_typed(self, message: Talk.Typed) -> None:
        """Typing goes to the input line."""
        prompt = self.query_one(Prompt)
        prompt.focus()
        prompt.insert(message.character)

    def action_history(self) -> None:
        """Show where the time of each turn went."""
        self.push_screen(HistoryScreen(self._history, self._goal_ms, self._clock))

    def action_mute(self) -> None:
        """Close or open the microphone."""
        self._status = replace(self._status, muted=not self._status.muted)
        self.query_one(StatusLine).status = self._status
        self._assistant.set_muted(self._status.muted)

    def action_get_model(self) -> None:
        """Get the model that is offered here and now, or go on with it."""
        if isinstance(self.query_one(OfferBar).shown, ModelOffered):
            self._assistant.get_model()

    def action_no_model(self) -> None:
        """Not now, or no longer."""
        match self.query_one(OfferBar).shown:
            case ModelComing():
                self._assistant.cancel_model()
            case ModelOffered():
                self._assistant.decline_model()

    def action_leave(self) -> None:
        """End the screen; what is still running is stopped after the terminal is back."""
        self._on_leave()
        if self._host is not None:
            told_already()
        self.exit(0)
