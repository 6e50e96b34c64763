"""Text as it may be drawn."""

from __future__ import annotations

import unicodedata

SHOWN_CHARACTERS = 8000
"""Of one caption or reply; more is counted, not drawn."""
_REDIRECTING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """`text` as it may be drawn: no control characters, lone surrogates or direction overrides; tabs are spaces."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    return "".join(
        c for c in text if c == "\n" or (unicodedata.category(c) not in {"Cc", "Cs"} and c not in _REDIRECTING)
    )


def one_line(text: str) -> str:
    """`text` as it may be drawn in a line of its own."""
    return clean(text).replace("\n", " ")


def clipped(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """`text`, or its first `limit` characters and how many more there are."""
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit} more characters)"
