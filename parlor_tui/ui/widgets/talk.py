"""The live transcript."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult, RenderResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key, Resize
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from parlor_tui.events import now_s
from parlor_tui.ui.lines import entry_lines
from parlor_tui.ui.transcript import Entry, LineEntry, Transcript, TurnEntry
from parlor_tui.ui.widgets.last_turn import FEW_ROWS

FLASH_S = 0.5
"""How long a cut in a reply flashes, from when it was made."""
TIMES_FROM_CELLS, SECONDS_FROM_CELLS, WIDE_CELLS = 48, 64, 90
"""Widths of the talk from which each entry carries its time of day; with seconds, and figures of each turn, where the
screen is not low; and there as well."""
SHORT_TIME = len("12:40")
STANDING = 50
"""So many of the newest entries are laid out; more, step by step, once the user scrolls up to the first of them. What a
screen full of text costs when its width changes grows with all that is laid out."""
WELCOME, WELCOME_TYPED = "Say something, or type below.", "Type below."


class TalkFrame(Vertical):
    """The frame around the talk. `note` stands in its lower edge: a line, and whether it tells of what still lasts."""

    BORDER_TITLE = "Talk"
    note: reactive[tuple[str, bool]] = reactive(("", False))

    def watch_note(self, note: tuple[str, bool]) -> None:
        """Put the note into the frame."""
        text, lasts = note
        self.border_subtitle = Content.styled(text, "bold $foreground" if lasts else "")


def _is_being_cut(entry: Entry) -> bool:
    """Whether the entry's reply was cut off a moment ago."""
    return isinstance(entry, TurnEntry) and entry.cut_s is not None and 0 <= now_s() - entry.cut_s < FLASH_S


class EntryView(Widget):
    """One entry; wraps itself to the width that it is given."""

    def __init__(self, entry: Entry, clock: Callable[[float], str]) -> None:
        super().__init__(markup=False)
        self._entry = entry
        self._clock = clock
        self._lines: list[Content] = []
        self._lines_for = (-1, "")
        self._flash = False

    def on_mount(self) -> None:
        """Take the entry's look."""
        self._look()

    def entry_changed(self) -> None:
        """Draw the entry anew; lay out only if it now has more or fewer lines."""
        self._look()
        if not self._flash and _is_being_cut(self._entry):
            self._flash = True
            self.set_timer(FLASH_S, self._flash_over)
        self._draw_anew()

    def _flash_over(self) -> None:
        self._flash = False
        self._draw_anew()

    def _draw_anew(self) -> None:
        before = len(self._lines)
        (width, _), self._lines_for = self._lines_for, (-1, "")
        self.refresh(layout=width < 0 or len(self._wrapped(width)) != before)

    def _look(self) -> None:
        """A turn that is answered with the next one stands close to it; what a banner tells may be left to that."""
        self.set_class(isinstance(self._entry, TurnEntry) and self._entry.status == "joined", "-joined")
        self.set_class(isinstance(self._entry, LineEntry) and self._entry.lasts, "-lasts")

    def _time(self, width: int) -> str:
        """The entry's time of day, as long as `width` and the screen's height allow."""
        if width < TIMES_FROM_CELLS:
            return ""
        stamp = self._entry.stamp if isinstance(self._entry, TurnEntry) else ""
        full = width >= WIDE_CELLS or (width >= SECONDS_FROM_CELLS and self.app.size.height >= FEW_ROWS)
        time = f"{stamp:<8}" if stamp else self._clock(self._entry.at_s)
        return time if full else time[:SHORT_TIME]

    def _wrapped(self, width: int) -> list[Content]:
        time = self._time(width)
        if (width, time) != self._lines_for:
            shown_s = self._entry.shown_s if isinstance(self._entry, TurnEntry) else None
            shown = self._clock(shown_s) if shown_s is not None else ""
            self._lines = entry_lines(self._entry, width, time, shown, flash=self._flash)
            self._lines_for = (width, time)
        return self._lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Height in rows at `width` cells."""
        del container, viewport  # the width decides alone
        return len(self._wrapped(width))

    def render(self) -> RenderResult:
        """The entry's lines."""
        return Content("\n").join(self._wrapped(self.content_size.width))


class Talk(VerticalScroll):
    """Entries of a `Transcript`, the newest in view unless the user scrolled up."""

    hears: reactive[bool] = reactive(True)
    """Whether talking is any use."""

    class Typed(Message):
        """A character was typed while the talk had the focus."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    def __init__(self, transcript: Transcript, clock: Callable[[float], str], id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._transcript = transcript
        self._clock = clock
        self._views: dict[int, EntryView] = {}

    def on_mount(self) -> None:
        """Stay at the newest line."""
        self.anchor()

    def on_resize(self, _: Resize) -> None:
        """Stay at the newest line after the terminal changed its size."""
        if self.is_vertical_scroll_end or not self._views:
            self.anchor()

    def compose(self) -> ComposeResult:
        """A word of welcome while nothing was said."""
        yield Static(Content.styled(WELCOME if self.hears else WELCOME_TYPED, "dim"), id="welcome")

    def watch_hears(self, hears: bool) -> None:
        """Invite to what can be done."""
        for welcome in self.query("#welcome").results(Static):
            welcome.update(Content.styled(WELCOME if hears else WELCOME_TYPED, "dim"))

    def show_changes(self) -> None:
        """Bring the screen up to date with the transcript."""
        changes = self._transcript.take_changes()
        if not changes:
            return
        gone = [self._views.pop(number) for number in changes.removed if number in self._views]
        added = changes.added
        if not self._anchor_released:  # the newest is in view, or will be once all is laid out
            added = added[-STANDING:]
            too_many = max(0, len(self._views) + len(added) - STANDING)
            gone += [self._views.pop(number) for number in list(self._views)[:too_many]]
        if gone:
            self.remove_children(gone)
        new = [EntryView(entry, self._clock) for entry in added]
        for entry, view in zip(added, new, strict=True):
            self._views[entry.number] = view
        if new:
            self.mount(*new)
            self.query("#welcome").remove()
        for number in changes.changed - {entry.number for entry in changes.added}:
            if number in self._views:
                self._views[number].entry_changed()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """At the first entry, put those before it above."""
        super().watch_scroll_y(old_value, new_value)
        if new_value <= 0 < old_value and self._views:
            self._show_earlier()

    def _show_earlier(self) -> None:
        first, view = next(iter(self._views.items()))
        earlier = [entry for entry in self._transcript.entries if entry.number < first][-STANDING:]
        if not earlier:
            return
        shown = {entry.number: EntryView(entry, self._clock) for entry in earlier}
        self._views = shown | self._views
        self.mount(*shown.values(), before=view)
        self.call_after_refresh(self.scroll_to_widget, view, animate=False, top=True, force=True)

    def on_key(self, event: Key) -> None:
        """Typing goes to the input line, wherever the focus is."""
        if event.is_printable and event.character:
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed(event.character))
