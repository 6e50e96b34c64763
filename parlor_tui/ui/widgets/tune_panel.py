"""The side panel: every live setting with a control, what each does, and presets."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import DescendantBlur, DescendantFocus, Key
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from parlor_tui.events import Event, Failed, Tuned, now_s
from parlor_tui.settings import Settings
from parlor_tui.ui.control import AssistantControl
from parlor_tui.ui.preset_choice import PresetChoice
from parlor_tui.ui.text import clean
from parlor_tui.ui.tune_marks import MARKED_AFTER_S, Marks, Pace
from parlor_tui.ui.tuning import KNOBS, VOICE, Panel, help_lines, sample_text
from parlor_tui.ui.widgets.choice import Choice, Press
from parlor_tui.ui.widgets.slider import PanelLine, Shown, Slider
from parlor_tui.ui.widgets.talk import Talk
from parlor_tui.ui.widgets.tune_rows import CAMERA, KEEP, PRESET, Rows

CAMERA_HELP = "Whether the camera looks at all; acts now."
BESIDE_FROM_COLUMNS = 76
"""On a narrower screen too little of the talk would be left beside the panel."""
HELP_APART_FROM_ROWS = 30
WIDTH_COLUMNS = 42
CLOSED_HELP = "↑ ↓ choose, ← → change, delete has one as it was saved, esc closes."


class TunePanel(Vertical):
    """Opens and closes; asks the assistant for what the user wants, and shows what it says. `apply` takes events."""

    BORDER_TITLE = "Tune"
    DEFAULT_CSS = """
    TunePanel {
        height: 1fr;
        display: none;
        border: round $frame;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        background: $background;
        padding: 0 1;
        #tune-help { height: 6; padding-top: 1; color: $text-muted; }
        &.-over { dock: right; layer: above; max-width: 100%; }
        #tune-help.-asks { color: $text-warning; text-style: bold; }
        &.-short #tune-help { height: 5; padding-top: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", show=False),
        Binding("down", "go(1)", "next", show=False),
        Binding("up", "go(-1)", "previous", show=False),
    ]

    class Marked(Message):
        """The user is done with a change: `take_mark` says with which."""

    class Moved(Message):
        """The panel was opened or closed."""

    def __init__(self, assistant: AssistantControl, settings: Settings) -> None:
        super().__init__()
        self.styles.width = WIDTH_COLUMNS
        self._assistant = assistant
        self._panel = Panel(settings)
        self._pace = Pace()
        self._marks = Marks()
        self._preset = PresetChoice()
        self._answer = ""
        self._asked = False
        self._last: Widget | None = None
        self._rows = Rows(self._shown)

    def compose(self) -> ComposeResult:
        """The groups, the presets, and below them what the control at hand does."""
        yield self._rows
        yield Static(CLOSED_HELP, id="tune-help", markup=False)

    # --- what happens -------------------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Take one event over; those that do not concern the panel change nothing."""
        if not self._panel.apply(event):
            return
        if isinstance(event, Failed) and self._asked:
            self._answer, self._asked = event.text, False
        if isinstance(event, Tuned):
            self._asked = False
            self._preset.apply(event)
            if self._marks.apply(event, now_s()):
                self.set_timer(MARKED_AFTER_S + 0.05, self._say_marks)
        if self.display:
            self._show()

    def take_mark(self) -> str:
        """What was changed since the last time, in one line; or nothing."""
        return self._marks.take()

    def _say_marks(self) -> None:
        if self._marks.done(now_s()):
            self.post_message(self.Marked())

    # --- open and closed ----------------------------------------------------------------------------------------------

    def fit(self, columns: int, rows: int) -> None:
        """Stand beside the talk, or slide over it where both have no room."""
        self.set_class(columns < BESIDE_FROM_COLUMNS, "-over")
        self.set_class(rows < HELP_APART_FROM_ROWS, "-short")

    @property
    def columns(self) -> int:
        """How many columns it takes from the talk."""
        return WIDTH_COLUMNS if self.display and not self.has_class("-over") else 0

    def toggle(self) -> None:
        """Open the panel, with the focus where it was; or close it."""
        if self.display:
            self.action_close()
            return
        self.display = True
        self.post_message(self.Moved())
        self._assistant.tell_tuning()
        self._show()
        self.screen.set_focus(self._last or self._rows.lines[0])

    def action_close(self) -> None:
        """Close the panel; a name that is being typed first."""
        asks = self.query_one(Input)
        typing, asks.display = asks.has_focus, False
        if typing:
            self._rows.press(KEEP).focus()
            return
        self.display = False
        self.post_message(self.Moved())

    def action_go(self, steps: int) -> None:
        """To the next control, or the one before."""
        lines, focused = self._rows.lines, self.screen.focused
        at = next((number for number, line in enumerate(lines) if line is focused), 0)
        # At once: the next key is for the control that this one went to.
        self.screen.set_focus(lines[min(max(at + steps, 0), len(lines) - 1)])

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Say what the control at hand does, and have it in view."""
        if not self.display:  # the focus passes on when the panel closes
            return
        self._last = event.widget
        self._answer = ""
        self._preset.leave()
        self._rows.bring_into_view(event.widget)
        self._show_help()

    def on_descendant_blur(self, _: DescendantBlur) -> None:
        """The control was left."""
        self._answer = ""
        self._preset.leave()

    def on_key(self, event: Key) -> None:
        """Typing is for the input line."""
        if event.is_printable and event.character not in (None, " "):
            event.stop()
            event.prevent_default()
            self.post_message(Talk.Typed(event.character or ""))

    # --- what the user does -------------------------------------------------------------------------------------------

    def on_slider_moved(self, message: Slider.Moved) -> None:
        """Another number."""
        message.stop()
        self._want({message.knob.name: message.value})

    def on_slider_refused(self, message: Slider.Refused) -> None:
        """No number that can be."""
        message.stop()
        self._answer = message.why
        self._show_help()

    def on_choice_stepped(self, message: Choice.Stepped) -> None:
        """Another one of several."""
        message.stop()
        name, steps = str(message.choice.name), message.steps
        if name == PRESET:
            self._step_preset(steps)
        elif name == CAMERA:
            self.call_later(self.app.run_action, "camera")
        elif steps is None:
            self._want({name: None})
        else:
            self._want({name: KNOBS[name].next_choice(self._panel.value(name), steps, self._panel.choices(name))})

    def on_choice_taken(self, message: Choice.Taken) -> None:
        """This one of several: it is played, used, or the next one is taken."""
        message.stop()
        match str(message.choice.name):
            case "speaking.voice":
                self._play_sample()
            case "preset":
                if self._preset.name:
                    self._asked = True
                    self._assistant.use_preset(self._preset.name)
                else:
                    self._step_preset(1)
            case _:
                message.choice.action_step(1)

    def on_press_pressed(self, message: Press.Pressed) -> None:
        """A button."""
        message.stop()
        match message.press.name:
            case "sample":
                self._play_sample()
            case "save":
                self._asked = True
                self._assistant.save_tuning()
            case "reset":
                self._want(dict.fromkeys(self._panel.all_changed()))
            case "keep":
                asks = self.query_one(Input)
                asks.value = self._preset.own_name
                asks.display = True
                self.call_after_refresh(asks.focus)  # once it has its place, into which it is scrolled

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """The name of a preset."""
        message.stop()
        message.input.display = False
        if name := message.value.strip():
            self._asked = True
            self._assistant.keep_preset(name)
        self._rows.press(KEEP).focus()

    def _want(self, values: dict[str, Any]) -> None:
        """Show `values`, and have them taken over: at once, or a moment later if many come."""
        if not values:
            return
        self._answer, self._asked = "", True
        self._panel.ask(values)
        self._pace.put(values)
        self._send()
        self._show()

    def _send(self) -> None:
        if values := self._pace.take(now_s()):
            self._assistant.tune(values)
        elif self._pace.waits:
            self.set_timer(self._pace.every_s / 2, self._send)

    def _step_preset(self, steps: int | None) -> None:
        self._answer = ""
        if steps is not None:
            self._preset.step(self._panel.presets, steps)
        else:
            now, self._answer = self._preset.delete()
            if now:
                self._asked = True
                self._assistant.delete_preset(self._preset.name)
        self._show()

    def _play_sample(self) -> None:
        self._asked = True
        voice = str(self._panel.value(VOICE))
        self._assistant.speak(sample_text(voice), voice)

    # --- drawing ------------------------------------------------------------------------------------------------------

    def _shown(self, name: str) -> Shown:
        if name == PRESET:
            return Shown(self._preset.words)
        if name == CAMERA:
            return Shown(self._panel.camera_words)
        value, panel = self._panel.value(name), self._panel
        words = value if KNOBS[name].kind == "slider" else KNOBS[name].words(value)
        return Shown(words, panel.changed(name), panel.waits(name))

    def _show(self) -> None:
        """Bring every line up to date."""
        self._rows.show()
        count = len(self._panel.all_changed())
        self.border_subtitle = f"● {count} not saved" if count else ""
        self._show_help()

    def _show_help(self) -> None:
        """What the control at hand does; or what came of the last thing that was wanted."""
        at = self._last if self._last is self.screen.focused else None
        told = self.query_one("#tune-help", Static)
        told.set_class(self._preset.asks, "-asks")
        told.update(clean(self._answer or self._help_of(at)), layout=False)

    def _help_of(self, at: Widget | None) -> str:
        match at:
            case Slider():
                return help_lines(self._panel, at.knob)
            case Choice(name=name) if name in KNOBS:
                return help_lines(self._panel, KNOBS[str(name)])
            case PanelLine(name="preset"):
                return self._preset.help
            case PanelLine():
                return CAMERA_HELP
            case Press():
                return at.help_line
            case Input():
                return "Letters, digits, spaces, - and _. Enter keeps it, esc does not."
        return CLOSED_HELP
