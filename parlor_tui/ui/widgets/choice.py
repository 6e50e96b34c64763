"""One of several, and a button: lines of the panel for keys and mouse."""

from __future__ import annotations

from typing import ClassVar

from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from parlor_tui.ui.text import clean
from parlor_tui.ui.widgets.slider import LABEL_CELLS, MARK_CELLS, PanelLine, Shown, head, mark, value_style

LEFT, RIGHT = "‹ ", " ›"


def choice_line(label: str, shown: Shown, width: int, focused: bool) -> Content:
    """Label, the chosen one between its arrows, and mark, in `width` cells."""
    room = max(width - LABEL_CELLS - MARK_CELLS - len(LEFT) - len(RIGHT), 1)
    text = Content.styled(clean(str(shown.value)), value_style(shown)).truncate(room, ellipsis=True)
    arrows = "bold $primary" if focused else "$primary"
    gap = " " * (room - text.cell_length)
    return Content.assemble(
        head(label, focused), (LEFT, arrows), text, (RIGHT, arrows), gap, mark(shown.changed)
    ).truncate(width)


class Choice(PanelLine):
    """One of several: arrows take the one before or after, Enter and a click on it say that this is it.

    `shown.value` is its text; which ones there are knows whoever listens.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "the one before", show=False),
        Binding("right", "step(1)", "the one after", show=False),
        Binding("enter,space", "take", "this one", show=False),
        Binding("delete", "reset", "as saved", show=False),
    ]

    class Stepped(Message):
        """The user wants the one `steps` further; None is the saved one."""

        def __init__(self, choice: Choice, steps: int | None) -> None:
            super().__init__()
            self.choice = choice
            self.steps = steps

    class Taken(Message):
        """The user means the one that is shown."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, name: str, label: str, shown: Shown) -> None:
        super().__init__(name=name)
        self.label = label
        self.set_reactive(Choice.shown, shown)

    def render(self) -> RenderResult:
        """The line for the present width."""
        return choice_line(self.label, self.shown, self.content_size.width, self.has_focus)

    def action_step(self, steps: int) -> None:
        """The one `steps` further."""
        self.post_message(self.Stepped(self, steps))

    def action_take(self) -> None:
        """This one."""
        self.post_message(self.Taken(self))

    def action_reset(self) -> None:
        """As it was saved."""
        self.post_message(self.Stepped(self, None))

    def on_click(self, event: Click) -> None:
        """Left arrow, right arrow, the mark, or the text between them."""
        offset = event.get_content_offset(self)
        if offset is None or offset.x < LABEL_CELLS:
            return
        after = LABEL_CELLS + len(LEFT) + Content(clean(str(self.shown.value))).cell_length
        if offset.x < LABEL_CELLS + len(LEFT):
            self.action_step(-1)
        elif self.shown.changed and offset.x >= self.content_size.width - MARK_CELLS:
            self.action_reset()
        elif offset.x < after:
            self.action_take()
        elif offset.x < after + len(RIGHT):
            self.action_step(1)


class Press(Widget, can_focus=True):
    """Something to press, as wide as its words."""

    DEFAULT_CSS = """
    Press { height: 1; width: auto; color: $text-primary; }
    Press:focus { background: $primary 25%; text-style: bold reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", "press", show=False)]

    class Pressed(Message):
        """It was pressed."""

        def __init__(self, press: Press) -> None:
            super().__init__()
            self.press = press

    def __init__(self, name: str, words: str, help_line: str) -> None:
        super().__init__(name=name)
        self._words = words
        self.help_line = help_line

    def render(self) -> RenderResult:
        """Its words."""
        return Content(f"[{self._words}]")

    def action_press(self) -> None:
        """Press it."""
        self.post_message(self.Pressed(self))

    def on_click(self) -> None:
        """Press it."""
        self.action_press()
