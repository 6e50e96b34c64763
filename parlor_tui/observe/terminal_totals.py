"""What all terminals of a core have counted together, each of them once. Pure."""

from __future__ import annotations

from collections import Counter, OrderedDict

from parlor_tui.observe.turn_report import TerminalCounts

MOST_TERMINALS = 64


class TerminalTotals:
    """Sums that never fall: a terminal that links again, and tells all it has counted once more, adds what is new.

    So many terminals are told apart; of the one that was not heard of for longest only the sum is kept.
    """

    def __init__(self, most: int = MOST_TERMINALS) -> None:
        self._most = most
        self._of: OrderedDict[str, Counter[str]] = OrderedDict()
        self._former: Counter[str] = Counter()

    def told(self, told: TerminalCounts) -> None:
        """Take what one has counted since it started."""
        self._of[told.terminal] = self._of.get(told.terminal, Counter()) | Counter(told.counts)
        self._of.move_to_end(told.terminal)
        if len(self._of) > self._most:
            self._former += self._of.popitem(last=False)[1]

    def sums(self) -> Counter[str] | None:
        """What all have counted, by its name; None before the first told anything."""
        return sum(self._of.values(), Counter(self._former)) if self._of else None
