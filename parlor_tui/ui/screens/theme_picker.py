"""Choosing a theme: the list beside the talk, which is painted with each one that is passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from parlor_tui.events import State
from parlor_tui.ui.actions import BY_ID
from parlor_tui.ui.screens.over import OverScreen
from parlor_tui.ui.widgets.lines import Lines
from parlor_tui.ui.widgets.status import SYMBOLS

SHOWN_STATES = (State.LISTENING, State.HEARING, State.THINKING, State.SPEAKING, State.MUTED, State.ERROR)
NAME_CELLS = 22
"""Room for a name; the states in the theme's own colours follow."""


class ThemePicker(OverScreen[str | None]):
    """Ends with the name of the chosen theme; with None, and the colours as they were, if none was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back", show=False),
        Binding(BY_ID["theme"].keys, "next", "next", show=False, id="theme"),
    ]
    DEFAULT_CSS = """
    ThemePicker {
        align: right middle;
        background: $background 0%;
        & > Vertical {
            width: 42;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            border: round $primary;
            border-title-color: $foreground;
            background: $surface;
            padding: 0 1;
        }
        OptionList { height: auto; max-height: 100%; border: none; padding: 0; background: $surface; }
        OptionList:focus { border: none; background-tint: $foreground 0%; }
        Static { height: 1; margin-top: 1; color: $text-muted; }
    }
    ThemePicker.-low Static { margin-top: 0; }
    """

    def __init__(self, names: Sequence[str], now: str) -> None:
        super().__init__()
        self._names = list(names)
        self._before = now

    def compose(self) -> ComposeResult:
        """The list, and the keys that end it."""
        with Vertical() as frame:
            frame.border_title = "Theme"
            yield Lines()
            yield Static("enter keep   esc back as it was", markup=False)

    def on_mount(self) -> None:
        """Begin at the theme in use."""
        self.show_themes(self._names)

    def show_themes(self, names: Sequence[str]) -> None:
        """List `names`; the marked one stays, where it still is one of them."""
        listed = self.query_one(OptionList)
        marked = self.app.theme if listed.highlighted is None else self._names[listed.highlighted]
        self._names = list(names)
        listed.clear_options()
        listed.add_options([Option(self._line(name)) for name in self._names])
        if marked in self._names:
            listed.highlighted = self._names.index(marked)

    def _line(self, name: str) -> Content:
        """A theme's name, and the states in its colours on its ground."""
        theme = self.app.available_themes[name]
        ground = theme.background or "$background"
        marks = [(f" {SYMBOLS[state]}", f"{theme.variables[f'state-{state}']} on {ground}") for state in SHOWN_STATES]
        return Content.assemble(f"{name[: NAME_CELLS - 1]:<{NAME_CELLS}}", *marks, (" ", f"on {ground}"))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Paint the whole screen with what is marked."""
        event.stop()
        self.app.theme = self._names[event.option_index]

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Keep it."""
        event.stop()
        self.dismiss(self._names[event.option_index])

    def action_next(self) -> None:
        """Mark the next one, around the end."""
        self.query_one(OptionList).action_cursor_down()

    def action_back(self) -> None:
        """Everything as it was."""
        if self._before in self.app.available_themes:
            self.app.theme = self._before
        self.dismiss(None)
