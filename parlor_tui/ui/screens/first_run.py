"""The first start in three steps: what is here, who answers, and whether we hear each other. Each can be skipped."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, ContentSwitcher, Static

from parlor_tui.events import CoreFound, Event, Failed, MicLevel, ModelOffered, Ready
from parlor_tui.settings import Keys
from parlor_tui.ui.actions import first_key
from parlor_tui.ui.camera import CameraPicture
from parlor_tui.ui.control import AssistantControl
from parlor_tui.ui.device_choices import DeviceChoices
from parlor_tui.ui.first_run import SYMBOLS, Finding, examine, findings, of_terminal
from parlor_tui.ui.screens.devices import DevicesScreen
from parlor_tui.ui.screens.over import OverScreen
from parlor_tui.ui.text import clean
from parlor_tui.ui.widgets.level import LevelMeter

STEPS = ("what is here", "who answers", "do we hear each other?")
LOOKS = {"ok": "$text-success", "warning": "$text-warning", "missing": "$text-error"}
NAME_CELLS = 12
LITE = """\
Two can answer. Both run on this machine alone; nothing you say leaves it.

 lite   is here at once: a small model with short, often wrong answers.
 Gemma  hears, sees and answers better. It is a large download."""
HERE = "{model} answers. It runs on this machine alone; nothing you say leaves it."
WAITING = "Whether Gemma can be had is told in a moment ..."
TOLD = "It is downloaded while you talk; {get} gets it, and {later} puts it off, at any time."


class ChecksOver(Message):
    """The checks are made; `report` is what they print."""

    def __init__(self, report: str) -> None:
        super().__init__()
        self.report = report


def finding_lines(found: Sequence[Finding], width: int) -> Content:
    """The findings with their marks, each with what to do about it, in `width` cells."""
    lines = []
    for one in found:
        mark = (f"{SYMBOLS[one.mark]} ", f"bold {LOOKS[one.mark]}")
        indent = " " * (2 + NAME_CELLS)
        told = textwrap.wrap(clean(one.words).replace("\n", " "), max(width - len(indent), 10)) or [""]
        lines.append(Content.assemble(mark, f"{one.what[: NAME_CELLS - 1]:<{NAME_CELLS}}", told[0]))
        lines += [Content(indent + more) for more in told[1:]]
        advice = textwrap.wrap(clean(one.advice).replace("\n", " "), max(width - len(indent), 10))
        lines += [Content.styled(indent + more, "dim") for more in advice]
    return Content("\n").join(lines)


def _key(action: str, keys: Keys) -> str:
    """The key of `action`, to name in a sentence."""
    return first_key(action, keys).capitalize() or "the palette"


class FirstRunScreen(OverScreen[None]):
    """Esc skips a step; after the last one the talk begins.

    `command` starts the doctor; `audible`: there is a speaker.
    """

    DEFAULT_CSS = """
    FirstRunScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 84; max-width: 100%; height: 24; max-height: 100%;
            border: round $primary; border-title-color: $text; border-subtitle-color: $text-muted;
            background: $surface; padding: 1 2 0 2;
        }
        ContentSwitcher { height: 1fr; }
        ContentSwitcher > * { height: 1fr; scrollbar-size-vertical: 1; }
        ContentSwitcher Static { height: auto; margin-bottom: 1; }
        .first-buttons { height: 1; }
        .first-buttons Button { margin-right: 2; }
        #first-keys { height: 1; margin-bottom: 0; dock: bottom; }
        LevelMeter { margin-bottom: 1; }
    }
    FirstRunScreen.-low > Vertical { padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "skip", "skip", show=False),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, assistant: AssistantControl, command: Sequence[str], keys: Keys, *, audible: bool) -> None:
        super().__init__()
        self._audible = audible
        self._keys = keys
        self._assistant = assistant
        self._command = command
        self._step = 0
        self._offer: ModelOffered | None = None
        self._model = ""
        self._demo_grade = True
        self._found: list[Finding] = []
        self._earlier: list[Event] = []
        self._choices = DeviceChoices()
        self._picture = CameraPicture()

    def compose(self) -> ComposeResult:
        """The steps, of which one shows, and the way on."""
        with Vertical() as frame:
            frame.border_subtitle = "enter · tab or ← → another button · esc skips"
            with ContentSwitcher(initial="first-0"):
                with VerticalScroll(id="first-0", can_focus=False):
                    yield Static("Talk to a model that runs on this machine. First a look at what is here.")
                    yield Static("looking ...", id="first-findings", markup=False)
                with VerticalScroll(id="first-1", can_focus=False):
                    yield Static(LITE, id="first-models", markup=False)
                    yield Static(WAITING, id="first-offer", markup=False)
                    with Horizontal(classes="first-buttons"):
                        yield Button("Get Gemma", id="first-get", compact=True, disabled=True)
                        yield Button("Stay with lite", id="first-lite", compact=True)
                with VerticalScroll(id="first-2", can_focus=False):
                    yield Static("Did you hear two notes?", id="first-heard", markup=False)
                    with Horizontal(classes="first-buttons"):
                        yield Button("Yes", id="first-yes", compact=True)
                        yield Button("Again", id="first-again", compact=True)
                        yield Button("No: choose a speaker", id="first-speaker", compact=True)
                    yield Static()
                    yield Static("Now say something. The bar moves with your voice:", id="first-say", markup=False)
                    yield LevelMeter()
                    with Horizontal(classes="first-buttons"):
                        yield Button("It does not: choose a microphone", id="first-microphone", compact=True)
            with Horizontal(id="first-keys"):
                yield Button("Next", id="first-next", compact=True, variant="primary")

    def on_mount(self) -> None:
        """Begin to look."""
        self._assistant.watch_devices(True)
        threading.Thread(target=self._examine, name="checks", daemon=True).start()
        self._show_step()
        for event in self._earlier:
            self.happened(event, self._choices, self._picture)

    def on_unmount(self) -> None:
        """Nobody chooses any more."""
        self._assistant.watch_devices(False)

    def _examine(self) -> None:
        self.post_message(ChecksOver(examine(self._command)))

    def on_checks_over(self, message: ChecksOver) -> None:
        """Show what was found."""
        message.stop()
        terminal = of_terminal(self.app.size.width, self.app.size.height, self.app.console.color_system)
        self._found = [*findings(message.report, _key("camera", self._keys)), terminal]
        self._show_findings()

    def on_resize(self) -> None:
        """Wrap for another width."""
        if self._found:
            self.call_after_refresh(self._show_findings)

    def happened(self, event: Event, choices: DeviceChoices, picture: CameraPicture) -> None:
        """Take one event; `choices` and `picture` are what it made of them."""
        self._choices, self._picture = choices, picture
        if not self.query("#first-next"):
            self._earlier.append(event)
            return
        match event:
            case MicLevel(dbfs=dbfs, speech_probability=probability):
                self.query_one(LevelMeter).level = (dbfs, probability)
            case Failed(text=text) if self._step == len(STEPS) - 1:
                self.query_one("#first-heard", Static).update(Content(clean(text)))
            case ModelOffered():
                self._offer = event
                self._show_offer()
            case CoreFound(model=model, demo_grade=demo_grade):
                self._model, self._demo_grade = model, demo_grade
                self._show_offer()
            case Ready(model=model):
                self._model = model
                self._show_offer()

    def _show_findings(self) -> None:
        shown = self.query_one("#first-findings", Static)
        shown.update(finding_lines(self._found, max(self.query_one("#first-0").size.width - 1, 40)))

    def _show_offer(self) -> None:
        offered = self._offer is not None
        self.query_one("#first-get", Button).disabled = not (self._offer is not None and self._offer.fits)
        if self._offer is not None:
            lines = [clean(line) for line in self._offer.lines]
            told = TOLD.format(get=_key("get_model", self._keys), later=_key("no_model", self._keys))
            self.query_one("#first-offer", Static).update("\n".join([*lines, "", told]))
        elif self._model and not self._demo_grade:
            self.query_one("#first-models", Static).update(HERE.format(model=clean(self._model)))
            self.query_one("#first-offer", Static).update("")
        for button in ("#first-get", "#first-lite"):
            self.query_one(button, Button).display = offered or self._demo_grade

    def _show_step(self) -> None:
        frame = self.query_one(Vertical)
        frame.border_title = f"Welcome · {self._step + 1} of {len(STEPS)} · {STEPS[self._step]}"
        self.query_one(ContentSwitcher).current = f"first-{self._step}"
        last = self._step == len(STEPS) - 1
        after = self.query_one("#first-next", Button)
        after.label = "Begin to talk" if last else "Next"
        after.refresh(layout=True)
        after.focus()
        if last and self._audible:
            self._assistant.play_tone()
        elif last:
            self.query_one("#first-heard", Static).update("No speaker, as the settings say: replies are only shown.")

    def action_skip(self) -> None:
        """On to the next step; after the last one it is over."""
        if self._step == len(STEPS) - 1:
            self.dismiss()
            return
        self._step += 1
        self._show_step()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what the button says."""
        event.stop()
        match event.button.id:
            case "first-get":
                self._assistant.get_model()
                self.action_skip()
            case "first-lite":
                if self._offer is not None:
                    self._assistant.decline_model()
                self.action_skip()
            case "first-again":
                self._assistant.play_tone()
            case "first-yes":
                self.query_one("#first-heard", Static).update("Good: the speaker works.")
                self.query_one("#first-next", Button).focus()
            case "first-speaker":
                self.app.push_screen(DevicesScreen(self._assistant, self._choices, self._picture, "speaker"))
            case "first-microphone":
                self.app.push_screen(DevicesScreen(self._assistant, self._choices, self._picture, "microphone"))
            case _:
                self.action_skip()
