"""The conversations that were kept: a list, searched while one types; one is taken up again, exported, deleted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from parlor_tui.conversations.record import ConversationError
from parlor_tui.conversations.store import Store, Summary, found
from parlor_tui.settings import Keys
from parlor_tui.ui.actions import BY_ID, first_key, keys_of
from parlor_tui.ui.screens.over import OverScreen
from parlor_tui.ui.text import clean
from parlor_tui.ui.widgets.lines import Lines

SHOWN = 300
"""Of more the search leaves fewer."""
NOTHING = "Nothing is kept so far. Recording is off until you switch it on: {palette}, then `keep`."
NOTHING_FOUND = "None of them holds all of these words."

Export = Callable[[str], None]


class ConversationsScreen(OverScreen[str | None]):
    """Ends with the name of the conversation to be taken up again; with None if none is.

    The disk is read by threads: a list of hundreds takes a moment. `export` is called with the name of one when
    its key is pressed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back", show=False),
        Binding("delete", "delete", "delete", show=False, priority=True),
        Binding(BY_ID["export"].keys, "export", "export", show=False, priority=True, id="export"),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ConversationsScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 90%;
            max-width: 110;
            height: 85%;
            border: round $primary;
            border-title-color: $foreground;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 0 1;
        }
        Input { border: none; height: 1; padding: 0; background: $surface; margin-bottom: 1; }
        Input:focus { border: none; background-tint: $foreground 0%; }
        OptionList {
            height: 1fr; border: none; padding: 0; background: $surface;
            text-wrap: nowrap; text-overflow: ellipsis; scrollbar-size-vertical: 1;
        }
        OptionList:focus { border: none; background-tint: $foreground 0%; }
        #empty { height: 1fr; color: $text-muted; display: none; }
        #keys { height: 1; margin-top: 1; color: $text-muted; }
        #keys.-asks { color: $text-warning; text-style: bold; }
    }
    ConversationsScreen.-low > Vertical { width: 100%; height: 100%; }
    ConversationsScreen.-low #keys { margin-top: 0; }
    """

    class Listed(Message):
        """The list was read, or could not be."""

        def __init__(self, summaries: Sequence[Summary], trouble: str = "") -> None:
            super().__init__()
            self.summaries = summaries
            self.trouble = trouble

    def __init__(self, folder: Path, export: Export, keys: Keys) -> None:
        super().__init__()
        to_export = f"{' '.join(keys_of('export', keys))} export".strip()
        self._hint = "   ".join(["enter take up", "del delete", to_export, "esc back"])
        self._nothing = NOTHING.format(palette=first_key("commands", keys) or "the palette")
        self._store = Store(folder)
        self._export = export
        self._all: Sequence[Summary] | None = None
        self._shown: list[Summary] = []
        self._asked: str | None = None

    def compose(self) -> ComposeResult:
        """The search, the list, and the keys."""
        with Vertical() as frame:
            frame.border_title = "Conversations"
            yield Input(placeholder="search: words that were said, or a date such as 2026-11-30", id="search")
            listed = Lines()
            listed.can_focus = False
            yield listed
            yield Static(id="empty", markup=False)
            yield Static(self._hint, id="keys", markup=False)

    def on_mount(self) -> None:
        """Read the list."""
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()
        self._in_background(lambda: None)

    def _in_background(self, first: Callable[[], None]) -> None:
        """Do `first` on a thread, then read the list anew."""

        def work() -> None:
            try:
                first()
                self.post_message(self.Listed(self._store.summaries()))
            except ConversationError as error:
                self.post_message(self.Listed([], str(error)))

        threading.Thread(target=work, name="conversations list", daemon=True).start()

    def on_conversations_screen_listed(self, message: Listed) -> None:
        """Show what was read."""
        message.stop()
        if message.trouble:
            self.notify(message.trouble, severity="error", markup=False)
        self._all = self._all if message.trouble and self._all is not None else message.summaries
        self._show()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while one types."""
        event.stop()
        self._ask(None)
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked one up again."""
        event.stop()
        if (name := self._marked()) is not None and self._asked is None:
            self.dismiss(name)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The same with the mouse."""
        event.stop()
        self.dismiss(self._shown[event.option_index].name)

    def action_move(self, lines: int) -> None:
        """Mark another one."""
        listed = self.query_one(OptionList)
        self._ask(None)
        if self._shown:
            listed.highlighted = min(max((listed.highlighted or 0) + lines, 0), len(self._shown) - 1)

    def action_delete(self) -> None:
        """Ask, and the second time delete."""
        name = self._marked()
        if name is None:
            return
        if self._asked != name:
            self._ask(name)
            return
        self._ask(None)
        self._in_background(lambda: self._store.delete(name))

    def action_export(self) -> None:
        """Write the marked one into a file."""
        if (name := self._marked()) is not None:
            self._export(name)

    def action_back(self) -> None:
        """Do not delete; else close."""
        if self._asked is not None:
            self._ask(None)
        else:
            self.dismiss(None)

    def _marked(self) -> str | None:
        index = self.query_one(OptionList).highlighted
        return self._shown[index].name if index is not None and index < len(self._shown) else None

    def _ask(self, name: str | None) -> None:
        self._asked = name
        keys = self.query_one("#keys", Static)
        keys.set_class(name is not None, "-asks")
        keys.update(self._hint if name is None else "delete it, with its sound, for good?   del yes   esc no")

    def _show(self) -> None:
        """The list as the search leaves it; the marked one stays marked."""
        marked, listed = self._marked(), self.query_one(OptionList)
        everything = self._all or []
        fits = found(everything, self.query_one(Input).value)
        self._shown = fits[:SHOWN]
        listed.clear_options()
        listed.add_options([Option(_line(one)) for one in self._shown])
        names = [one.name for one in self._shown]
        if names:
            listed.highlighted = names.index(marked) if marked in names else 0
        empty = self.query_one("#empty", Static)
        empty.display = self._all is not None and not names
        listed.display = not empty.display
        empty.update(NOTHING_FOUND if everything else self._nothing)
        frame = self.query_one(Vertical)
        frame.border_subtitle = "" if self._all is None else f"{len(fits)} of {len(everything)}"


def _line(one: Summary) -> Content:
    """When it was, how many turns it has, whether there is sound, and how it began."""
    turns = f"{one.turns:>3} {'turn ' if one.turns == 1 else 'turns'}"
    head = f"{one.day} {one.time}  {turns} {'♪' if one.has_sound else ' '}  "
    return Content.assemble((head, "dim"), clean(one.title))
