"""What is carried along of turns that no longer fit into the context, in few words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_LONGEST_LINE = 160
_FACT = re.compile(
    r"\b(?:my|mine|i'?m|i am|i have|i've|i live|i like|i work|i need|i want|we|our|call me|name|remember|don't forget|"
    r"ich|mein\w*|wir|unser\w*|hei(?:ß|ss)e|je|mon|ma|mes|nous|yo|mi|mis|soy|tengo|eu|meu|minha|io|mio|mia)\b"
    r"|我|私|僕|मैं|मेरा|मेरी",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？]\s*$")


def weight(said: str) -> int:
    """How much a line of the user's matters later: statements about themselves most, mere questions least."""
    if _QUESTION.search(said):
        return 1 if _FACT.search(said) else 0
    return 3 if _FACT.search(said) else 2 if re.search(r"\d", said) else 1


def digest(lines: Sequence[str], room_tokens: int, tokens: Callable[[str], int]) -> list[str]:
    """Those of the user's `lines` that fit into `room_tokens`, in their order: by weight, newer before older.

    The very first line comes before all others: it is what the talk began with.
    """
    short = [line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1].rstrip() + "…" for line in lines]
    order = sorted(range(len(short)), key=lambda index: (index != 0, -weight(short[index]), -index))
    kept: list[int] = []
    for index in order:
        cost = tokens(short[index])
        if cost <= room_tokens:
            room_tokens -= cost
            kept.append(index)
    return [short[index] for index in sorted(kept)]
