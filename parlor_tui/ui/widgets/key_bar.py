"""The last row: the keys that are wanted most, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from parlor_tui.settings import Keys
from parlor_tui.ui.actions import ACTIONS, keys_of

GAP = 2
"""Cells between two keys."""


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One key in the bar: `action` is its id. The one with the lowest `rank` is the last to leave."""

    action: str
    key: str
    label: str
    rank: int

    @property
    def cells(self) -> int:
        """How wide it is."""
        return len(self.key) + 1 + len(self.label)


def hints(keys: Keys) -> tuple[KeyHint, ...]:
    """What the bar would show if there were room for all of it: of each action its first key."""
    shown = ((action, keys_of(action.id, keys)) for action in ACTIONS if action.rank)
    return tuple(KeyHint(action.id, names[0], action.label, action.rank) for action, names in shown if names)


def fitting(all_hints: Sequence[KeyHint], width: int) -> list[KeyHint]:
    """Those that fit into `width` cells, in their order; none is taken before one of a lower rank."""
    taken: set[str] = set()
    room = width
    for hint in sorted(all_hints, key=lambda one: one.rank):
        room -= hint.cells + (GAP if taken else 0)
        if room < 0:
            break
        taken.add(hint.action)
    return [hint for hint in all_hints if hint.action in taken]


class KeyBar(Widget):
    """One row; each key can be clicked as well."""

    DEFAULT_CSS = "KeyBar { height: 1; padding: 0 1; background: $panel; link-style: none; dock: bottom; }"

    hints: reactive[tuple[KeyHint, ...]] = reactive(())

    def __init__(self, hints: tuple[KeyHint, ...]) -> None:
        super().__init__()
        self.set_reactive(KeyBar.hints, hints)

    def render(self) -> RenderResult:
        """As many keys as fit."""
        return Content(" " * GAP).join([_drawn(hint) for hint in fitting(self.hints, self.content_size.width)])


def _drawn(hint: KeyHint) -> Content:
    text = Content.assemble((hint.key, "bold $accent"), f" {hint.label}")
    return text.stylize(Style.from_meta({"@click": f"app.{hint.action}"}))
