"""Which preset is at hand in the side panel: passed, used, and deleted only when asked twice. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence

from parlor_tui.events import Tuned
from parlor_tui.settings.presets import COME_ALONG

HELP = "Many values under one name: enter uses it, delete forgets one of your own."


class PresetChoice:
    """`name` is the preset at hand, "" for none."""

    def __init__(self) -> None:
        self.name = ""
        self._to_delete = ""

    @property
    def words(self) -> str:
        """What its line shows."""
        return self.name or "choose"

    @property
    def asks(self) -> bool:
        """Whether the key that deletes deletes if it is pressed once more."""
        return bool(self._to_delete)

    @property
    def own_name(self) -> str:
        """The name, if it is of the user's own."""
        return "" if self.name in COME_ALONG else self.name

    @property
    def help(self) -> str:
        """What it is for, and what can be done with it."""
        return f"{COME_ALONG[self.name].why}\n{HELP}" if self.name in COME_ALONG else HELP

    def apply(self, event: Tuned) -> None:
        """One that was used is at hand; one that is no more is not."""
        if event.preset and event.changed:
            self.name = event.preset
        if event.presets and self.name not in event.presets:
            self.name = ""

    def step(self, names: Sequence[str], steps: int) -> None:
        """The one `steps` further among `names`, round and round."""
        at = names.index(self.name) if self.name in names else -1 if steps > 0 else 0
        self.name, self._to_delete = names[(at + steps) % len(names)], ""

    def leave(self) -> None:
        """Something else is at hand: what was about to be deleted stays."""
        self._to_delete = ""

    def delete(self) -> tuple[bool, str]:
        """The user pressed the key that deletes: whether that is to be done now, and what to say."""
        if not self.own_name:
            return False, "only presets of your own can be deleted"
        if self._to_delete != self.name:
            self._to_delete = self.name
            return False, f"delete again forgets the preset {self.name}"
        self._to_delete = ""
        return True, ""
