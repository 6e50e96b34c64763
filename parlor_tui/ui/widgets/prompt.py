"""The input line: grows with what is typed, sends on Enter."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.message import Message
from textual.widgets import TextArea

from parlor_tui.ui.text import clean

PROMPT_MARK = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
"""Stands before what can be typed."""
TYPED_LIMIT = 8000
"""Characters of one typed turn at most; a longer paste is cut, and says so."""


class Prompt(TextArea):
    """Where the user types. Line breaks can be pasted, or made with Ctrl+J; Enter sends."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "talk_page(-1)", "Scroll the talk up", show=False),
        Binding("pagedown", "talk_page(1)", "Scroll the talk down", show=False),
    ]

    class Sent(Message):
        """The user pressed Enter on `text`, which is not empty."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Paged(Message):
        """The user wants to see an earlier (-1) or later (1) page of the talk."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Cut(Message):
        """A paste was longer than a turn may be, and was cut."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            id=id, compact=True, soft_wrap=True, highlight_cursor_line=False, placeholder="type here, or just talk"
        )
        self.cursor_blink = False

    def action_talk_page(self, direction: int) -> None:
        """Ask for another page of the talk."""
        self.post_message(self.Paged(direction))

    def on_key(self, event: Key) -> None:
        """Enter sends, Ctrl+J breaks the line (Shift+Enter too, where the terminal tells it apart)."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            text = self.text.strip()
            self.clear()
            if text:
                self.post_message(self.Sent(text))
        elif event.key in ("ctrl+j", "shift+enter", "alt+enter"):
            event.stop()
            event.prevent_default()
            self.insert("\n")
        elif event.is_printable and len(self.text) >= TYPED_LIMIT:
            event.stop()
            event.prevent_default()
            self.post_message(self.Cut())

    def on_paste(self, event: Paste) -> None:
        """Take control characters out, and keep within the limit."""
        room = max(TYPED_LIMIT - len(self.text), 0)
        event.text = clean(event.text).strip("\n")
        if len(event.text) > room:
            event.text = event.text[:room]
            self.post_message(self.Cut())
