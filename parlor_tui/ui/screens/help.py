"""F1: every key as it is set, how talking works, and where things are kept."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from parlor_tui.settings import Keys
from parlor_tui.ui.actions import BY_ID, keys_of
from parlor_tui.ui.help_text import help_lines
from parlor_tui.ui.screens.over import OverScreen


class HelpText(Widget):
    """The help, wrapped to the width that there is."""

    DEFAULT_CSS = "HelpText { height: auto; padding-right: 1; }"

    def __init__(self, keys: Keys, config: Path) -> None:
        super().__init__()
        self._keys = keys
        self._config = config

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Height in rows at `width` cells."""
        del container, viewport  # the width decides alone
        return len(help_lines(self._keys, self._config, width))

    def render(self) -> RenderResult:
        """The lines."""
        return Content("\n").join(help_lines(self._keys, self._config, self.content_size.width))


class HelpScreen(OverScreen[None]):
    """The help over the talk; it scrolls, and Esc or its own key closes it."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen > VerticalScroll {
        width: 84; max-width: 100%; height: auto; max-height: 100%;
        border: round $primary; border-title-color: $text; border-subtitle-color: $text-muted;
        padding: 0 2; background: $surface;
        scrollbar-size-vertical: 1; scrollbar-color: $primary; scrollbar-background: $surface;
        scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close", show=False),
        Binding(BY_ID["help"].keys, "dismiss", "close", show=False, id="help"),
    ]

    def __init__(self, keys: Keys, config: Path) -> None:
        super().__init__()
        self._keys = keys
        self._config = config

    def compose(self) -> ComposeResult:
        """The text, in a frame that says how to leave."""
        frame = VerticalScroll(HelpText(self._keys, self._config))
        frame.border_title = "Help"
        frame.border_subtitle = "  ".join([*dict.fromkeys(["esc", *keys_of("help", self._keys)]), "close   ↑ ↓ scroll"])
        yield frame

    def on_mount(self) -> None:
        """The keys scroll at once."""
        self.query_one(VerticalScroll).focus()
