"""The lines of the side panel: a control for each live setting, presets, and what can be done with all of it."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Static

from parlor_tui.settings.presets import NAME_CHARACTERS
from parlor_tui.ui.tuning import GROUPS, KNOBS
from parlor_tui.ui.widgets.choice import Choice, Press
from parlor_tui.ui.widgets.slider import PanelLine, Shown, Slider

PRESET, CAMERA = "preset", "camera"
SAMPLE, SAVE, KEEP, RESET = "sample", "save", "keep", "reset"


class Rows(VerticalScroll, inherit_bindings=False):
    """Scrolls so that the line with the focus is seen; keys are for the lines. `shown` says what a line shows."""

    DEFAULT_CSS = """
    Rows {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        scrollbar-color: $panel;
        .group { height: 1; color: $text-muted; text-style: bold; }
        .presses { height: 1; padding: 0 1; }
        .presses Press { margin-right: 1; }
        Input { height: 1; border: none; padding: 0 1; display: none; background: $panel; }
    }
    """

    def __init__(self, shown: Callable[[str], Shown]) -> None:
        super().__init__(can_focus=False)
        self._shown = shown
        self._by_name: dict[str, PanelLine] = {}

    def compose(self) -> ComposeResult:
        """The groups, then presets and buttons, then where a preset's name is typed."""
        for group, names in GROUPS.items():
            yield Static(group, classes="group", markup=False)
            if group == "Seeing":
                yield self._control(CAMERA, "camera")
            for name, label in names.items():
                yield self._control(name, label)
            if group == "Voice":
                with Horizontal(classes="presses"):
                    yield Press(SAMPLE, "▶ play a sample", "A few words in this voice; so does enter on the voice.")
        yield Static("All of it", classes="group", markup=False)
        yield self._control(PRESET, "preset")
        with Horizontal(classes="presses"):
            yield Press(SAVE, "save", "Writes what is not as it was saved into the settings file.")
            yield Press(KEEP, "keep as…", "Keeps all of it as a preset of your own: asks for a name.")
            yield Press(RESET, "reset all", "Has everything as it was saved. Delete does so with one.")
        yield Input(placeholder="a name, then enter", max_length=NAME_CHARACTERS, compact=True)

    def show(self) -> None:
        """Bring every line up to date."""
        for name, line in self._by_name.items():
            line.shown = self._shown(name)

    @property
    def lines(self) -> list[Widget]:
        """Everything that can have the focus, from top to bottom."""
        return [line for line in self.query("PanelLine, Press, Input").results(Widget) if line.display]

    def press(self, name: str) -> Press:
        """The button of that name."""
        return next(press for press in self.query(Press) if press.name == name)

    def bring_into_view(self, line: Widget) -> None:
        """Scroll to `line` at once; with the title above it, if it is the first."""
        if line is self.lines[0]:
            self.scroll_home(animate=False)
        else:
            self.scroll_to_widget(line, animate=False)

    def on_resize(self) -> None:
        """A banner that comes, or a smaller terminal, hides no line that has the focus."""
        focused = self.screen.focused
        if focused is not None and self in focused.ancestors:
            self.call_after_refresh(self.bring_into_view, focused)  # once the lines are laid out anew

    def _control(self, name: str, label: str) -> PanelLine:
        knob, shown = KNOBS.get(name), self._shown(name)
        line = Slider(knob, shown) if knob is not None and knob.kind == "slider" else Choice(name, label, shown)
        self._by_name[name] = line
        return line
