"""How each fault was noticed and got over: times from events. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from parlor_tui.bench.soak.kinds import Kind
from parlor_tui.bench.soak.plan import Moment
from parlor_tui.events import Event, Ready

LATE_S = 2.0
"""Noticed later than this is late, which a busy machine can explain."""
TOO_LATE_S = 8.0
"""Noticed later than this is a failure, whatever the machine does."""


@dataclass(slots=True)
class Trial:
    """One fault, as it goes. Times are seconds on `now_s`; None is not yet, or never.

    `felt_s`: from when on it could be known of. `undone_s`: what caused it is over. `text`: what the user was told.
    """

    kind: Kind
    moment: Moment
    at_s: float
    felt_s: float | None = None
    told_s: float | None = None
    undone_s: float | None = None
    over_s: float | None = None
    text: str = ""
    new_core: bool = False

    def take(self, event: Event) -> None:
        """Take one of the assistant's events in."""
        if event.at_s < self.at_s:
            return
        kind = self.kind
        if self.felt_s is None and (not kind.at_write or kind.begins(event) or kind.tells(event)):
            self.felt_s = event.at_s if kind.at_write else self.at_s
        if self.told_s is None and kind.tells(event):
            self.told_s, self.text = event.at_s, getattr(event, "text", "")
        self.new_core = self.new_core or isinstance(event, Ready)
        if self.over_s is not None or not kind.ends(event):
            return
        passed = kind.may_pass and self.undone_s is not None  # nothing was told, and it answers
        if self.told_s is not None or not kind.key or passed:
            self.over_s = event.at_s

    def undo(self, at_s: float) -> None:
        """What caused it is over from now on."""
        self.undone_s = at_s

    @property
    def noticed_s(self) -> float | None:
        """How long it took until the user was told."""
        return None if self.told_s is None or self.felt_s is None else max(0.0, self.told_s - self.felt_s)

    @property
    def back_s(self) -> float | None:
        """How long it took until it was over: from when what caused it was, if that is later than the fault."""
        if self.over_s is None:
            return None
        from_s = self.at_s if self.kind.heals or self.undone_s is None else self.undone_s
        return max(0.0, self.over_s - from_s)

    @property
    def faults(self) -> list[str]:
        """What is wrong with how it was got over, in words."""
        found = []
        silent = not self.kind.key or (self.kind.may_pass and self.told_s is None)
        if not silent and self.noticed_s is None:
            found.append("was not told")
        elif not silent and (self.noticed_s or 0.0) > TOO_LATE_S:
            found.append(f"was told only after {self.noticed_s:.1f} s")
        if self.over_s is None:
            found.append("was not got over")
        return found
