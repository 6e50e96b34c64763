"""The command palette: everything that can be done, found by its words, each with one plain line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from textwrap import shorten
from typing import ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandInput, CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from parlor_tui.settings import Keys
from parlor_tui.ui.actions import ACTIONS, GROUPS, Action, keys_of
from parlor_tui.ui.choices import Choice
from parlor_tui.ui.text import one_line
from parlor_tui.ui.widgets.prompt import PROMPT_MARK

NAMES_CHARACTERS = 50
"""Room for examples of what a list holds."""
HELP_SCORE = 0.01
"""What a find in the explaining line counts: less than any in a title."""


def title_of(action: Action, keys: Keys) -> str:
    """What the palette calls `action`: with its keys, so that they are learnt on the way."""
    return "  ".join([action.title, " ".join(keys_of(action.id, keys))]).rstrip()


def listed_actions() -> list[Action]:
    """The actions that the palette always has, in the order of the help."""
    listed = [action for action in ACTIONS if action.listed]
    return sorted(listed, key=lambda action: GROUPS.index(action.group))


def each_of(kind: str, choices: Iterable[Choice], choose: Callable[[str], object]) -> Iterator[SystemCommand]:
    """A command for each of `choices`, found by searching alone. `choose` is given the name of the one taken."""
    for choice in choices:
        yield SystemCommand(
            f"{kind.capitalize()}: {one_line(choice.name)}", choice.told, partial(choose, choice.name), False
        )


def list_of(
    kind: str, choices: Sequence[Choice], choose: Callable[[str], object], show: Callable[[CommandPalette], object]
) -> SystemCommand:
    """The command that shows `choices` alone."""
    listed = [SystemCommand(one_line(choice.name), choice.told, partial(choose, choice.name)) for choice in choices]
    names = shorten(", ".join(command.title for command in listed), NAMES_CHARACTERS, placeholder=" …")
    return SystemCommand(
        f"Choose a {kind}", f"One of {len(listed)}: {names}", lambda: show(_only(listed, f"Which {kind}?"))
    )


class Commands(Provider):
    """The app's own commands, in the app's own order."""

    def commands(self) -> Sequence[SystemCommand]:
        """Everything there is."""
        return list(self.app.get_system_commands(self.screen))

    async def discover(self) -> Hits:
        """What is shown before anything was typed."""
        for command in self.commands():
            if command.discover:
                shown = _shown(Content(command.title), command.help)
                yield DiscoveryHit(shown, command.callback, command.title)

    async def search(self, query: str) -> Hits:
        """What matches `query`, in its title or in the line that explains it."""
        matcher = self.matcher(query)
        for command in self.commands():
            score, offsets = matcher.fuzzy_search.match(query, command.title)
            title = Content(command.title)
            for offset in offsets:
                title = title.stylize(matcher.match_style, offset, offset + 1)
            if score > 0 or query.casefold() in command.help.casefold():
                yield Hit(max(score, HELP_SCORE), _shown(title, command.help), command.callback, command.title)


class Palette(CommandPalette):
    """Textual's palette in our own looks: no emoji, which not every terminal has, and room for more on a low screen."""

    DEFAULT_CSS = """
    Palette SearchIcon { color: $accent; }
    Palette > Vertical { width: 90; max-width: 100%; }
    Palette.-low > Vertical { margin-top: 0; }
    Palette CommandList {
        scrollbar-size-vertical: 1; scrollbar-color: $primary; scrollbar-background: $surface;
        scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page('up')", "a page up", show=False),
        Binding("pagedown", "page('down')", "a page down", show=False),
    ]

    def action_page(self, direction: str) -> None:
        """Mark a line a page further; a list without room on the screen, as at first, cannot be paged."""
        listed = self.query_one(CommandList)
        if listed.scrollable_content_region:
            (listed.action_page_up if direction == "up" else listed.action_page_down)()  # type: ignore[no-untyped-call]

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter was pressed: the first one counts."""
        self._only_once(event)

    def on_option_list_option_selected(self, event: CommandList.OptionSelected) -> None:
        """A command was taken: the first one counts."""
        self._only_once(event)

    def _only_once(self, event: Message) -> None:
        """What was pressed before the palette was gone is nothing that textual may see: it would end another screen."""
        if self.app.screen is not self:
            event.stop()
            event.prevent_default()

    def on_mount(self) -> None:
        """Put the input line's own mark before what is searched; nothing blinks, and a theme that changes shows."""
        self.query_one(SearchIcon).icon = PROMPT_MARK
        self.query_one(CommandInput).cursor_blink = False
        # Textual does not count the palette among the screens that it paints anew.
        self.app.theme_changed_signal.subscribe(self, lambda _: self.app.stylesheet.update(self))


def palette() -> Palette:
    """The palette with everything in it."""
    return Palette([Commands], placeholder="What do you want to do?")


def _only(commands: Sequence[SystemCommand], placeholder: str) -> Palette:
    """A palette with `commands` alone."""

    class Listed(Commands):
        def commands(self) -> Sequence[SystemCommand]:
            return commands

    return Palette([Listed], placeholder=placeholder)


def _shown(title: Content, told: str) -> Content:
    """A command and its line. As content, since textual reads markup in text, and names may hold any characters."""
    return Content.assemble(title, "\n", (told, "not bold dim"))
