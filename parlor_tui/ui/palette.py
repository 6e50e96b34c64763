"""The command palette: everything that can be done, found by its words, each with one plain line."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from parlor_tui.settings import Keys
from parlor_tui.ui.actions import ACTIONS, Action, keys_of

HELP_SCORE = 0.01
"""What a find in the explaining line counts: less than any in a title."""


def title_of(action: Action, keys: Keys) -> str:
    """What the palette calls `action`: with its keys, so that they are learnt on the way."""
    return "  ".join([action.title, " ".join(keys_of(action.id, keys))]).rstrip()


def listed_actions() -> list[Action]:
    """The actions that the palette always has."""
    return [action for action in ACTIONS if action.listed]


class Commands(Provider):
    """The app's own commands, in the app's own order."""

    def _commands(self) -> Sequence[SystemCommand]:
        return list(self.app.get_system_commands(self.screen))

    async def discover(self) -> Hits:
        """What is shown before anything was typed."""
        for command in self._commands():
            if command.discover:
                yield DiscoveryHit(escaped(command.title), command.callback, command.title, escaped(command.help))

    async def search(self, query: str) -> Hits:
        """What matches `query`, in its title or in the line that explains it."""
        matcher = self.matcher(query)
        for command in self._commands():
            score, offsets = matcher.fuzzy_search.match(query, command.title)
            title = Content(command.title)
            for offset in offsets:
                title = title.stylize(matcher.match_style, offset, offset + 1)
            if score > 0 or query.casefold() in command.help.casefold():
                yield Hit(max(score, HELP_SCORE), title, command.callback, command.title, escaped(command.help))


def escaped(text: str) -> str:
    """`text` such that the palette, which reads markup, shows it as it is."""
    return Content(text).markup
