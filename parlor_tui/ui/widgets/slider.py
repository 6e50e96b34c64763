"""A slider for whole numbers and fractions, for keys and mouse; and what every line of the panel shares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Blur, Key, MouseDown, MouseMove, MouseUp
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.ui.tuning import Knob

LABEL_CELLS = 16
VALUE_CELLS = 8
MARK_CELLS = 2
FOCUSED, CHANGED = "▸", "●"
HANDLE, BEFORE, BEHIND = "●", "━", "─"
TYPED_CHARACTERS = 7


@dataclass(frozen=True, slots=True)
class Shown:
    """What a line of the panel shows. `changed`: not as saved; `waits`: not taken over yet."""

    value: Any = None
    changed: bool = False
    waits: bool = False


def head(label: str, focused: bool) -> Content:
    """The beginning of a line, in `LABEL_CELLS`; the focus shows in its shape, too."""
    text = f"{FOCUSED if focused else ' '}{label}"
    return Content.styled(f"{text:<{LABEL_CELLS}}", "bold" if focused else "")


def mark(changed: bool) -> Content:
    """The end of a line, in `MARK_CELLS`."""
    return Content.styled(f" {CHANGED}", "$accent") if changed else Content("  ")


def value_style(shown: Shown) -> str:
    """How a value looks."""
    return "dim italic" if shown.waits else "bold" if shown.changed else ""


def track_cells(width: int) -> int:
    """How long the slider itself is in a line of `width` cells."""
    return max(width - LABEL_CELLS - VALUE_CELLS - MARK_CELLS, 3)


def slider_line(knob: Knob, shown: Shown, typed: str, width: int, focused: bool) -> Content:
    """Label, slider, value and mark in `width` cells; `typed` is a number that is not entered yet."""
    cells = track_cells(width)
    at = round(knob.fraction(shown.value) * (cells - 1))
    number = Content.styled(f"{typed + '_':>{VALUE_CELLS}}", "reverse") if typed else _number(knob, shown)
    return Content.assemble(
        head(knob.label, focused),
        (BEFORE * at, "$primary"),
        (HANDLE, "bold $primary" if focused else "$primary"),
        (BEHIND * (cells - 1 - at), "dim"),
        number,
        mark(shown.changed),
    ).truncate(width)


def _number(knob: Knob, shown: Shown) -> Content:
    return Content.styled(f"{knob.words(shown.value):>{VALUE_CELLS}}", value_style(shown))


class PanelLine(Widget, can_focus=True):
    """A line of the panel that can be focused. Other keys than its own are for whoever is around it."""

    DEFAULT_CSS = """
    PanelLine { height: 1; width: 1fr; }
    PanelLine:focus { background: $primary 25%; }
    """
    shown: reactive[Shown] = reactive(Shown())


class Slider(PanelLine):
    """One number. Arrows move it by a step, with shift or by page keys by a big one; digits and Enter enter another."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "less", show=False),
        Binding("right", "move(1)", "more", show=False),
        Binding("shift+left,pagedown", "move(-1, True)", "much less", show=False),
        Binding("shift+right,pageup", "move(1, True)", "much more", show=False),
        Binding("home", "end(0)", "least", show=False),
        Binding("end", "end(1)", "most", show=False),
        Binding("delete", "reset", "as saved", show=False),
    ]

    class Moved(Message):
        """The user wants another `value`; None is the saved one."""

        def __init__(self, knob: Knob, value: Any) -> None:
            super().__init__()
            self.knob = knob
            self.value = value

    class Refused(Message):
        """What the user typed is no value; `why` says so in one line."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    typed: reactive[str] = reactive("")

    def __init__(self, knob: Knob, shown: Shown) -> None:
        super().__init__()
        self.knob = knob
        self.set_reactive(Slider.shown, shown)
        self._dragged = False

    def render(self) -> RenderResult:
        """The line for the present width."""
        return slider_line(self.knob, self.shown, self.typed, self.content_size.width, self.has_focus)

    def action_move(self, steps: int, big: bool = False) -> None:
        """Up or down by `steps`."""
        self._want(self.knob.moved(self.shown.value, steps, big=big))

    def action_end(self, fraction: int) -> None:
        """To one end."""
        self._want(self.knob.at(fraction))

    def action_reset(self) -> None:
        """As it was saved."""
        self.typed = ""
        self.post_message(self.Moved(self.knob, None))

    def on_key(self, event: Key) -> None:
        """Type a number; Enter enters it, Esc forgets it."""
        character = event.character or ""
        if len(character) == 1 and character in "0123456789.,":
            self.typed = (self.typed + character)[:TYPED_CHARACTERS]
        elif event.key == "enter":
            self._enter()
        elif self.typed and event.key == "backspace":
            self.typed = self.typed[:-1]
        elif self.typed and event.key == "escape":
            self.typed = ""
        else:
            return
        event.stop()
        event.prevent_default()

    def on_blur(self, _: Blur) -> None:
        """What was typed and not entered is forgotten."""
        self.typed = ""

    def on_mouse_down(self, event: MouseDown) -> None:
        """On the slider: put the handle there, and drag it. On the mark: as saved."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        cells = track_cells(self.content_size.width)
        if LABEL_CELLS <= offset.x < LABEL_CELLS + cells:
            self._dragged = True
            self.capture_mouse()
            self._put(event.x)
        elif self.shown.changed and offset.x >= self.content_size.width - MARK_CELLS:
            self.action_reset()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Drag the handle."""
        if self._dragged:
            self._put(event.x)

    def on_mouse_up(self, _: MouseUp) -> None:
        """Let the handle go."""
        if self._dragged:
            self._dragged = False
            self.release_mouse()

    def _put(self, x: int) -> None:
        cells = track_cells(self.content_size.width)
        self._want(self.knob.at((x - self.gutter.left - LABEL_CELLS) / (cells - 1)))

    def _enter(self) -> None:
        typed, self.typed = self.typed, ""
        if not typed:
            return
        try:
            self._want(self.knob.typed(typed))
        except ValueError as error:
            self.post_message(self.Refused(str(error)))

    def _want(self, value: Any) -> None:
        self.typed = ""
        if value != self.shown.value:
            self.shown = replace(self.shown, value=value, waits=True)  # the next key goes on from here
            self.post_message(self.Moved(self.knob, value))
