"""Whether someone asks to be looked at, or at something. The phrases are in `phrases`, a table for each language."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from parlor_tui.sight.phrases import PHRASES, SIMPLIFIED, Phrases

_ACCENTS = re.compile("[\u0300-\u036f]")
_JOINED = re.compile("['\u2018\u2019\u02bc`\u00b4]")


def asks_to_look(words: str) -> bool:
    """Whether `words`, in any language of the table, ask to look. Case, accents and punctuation do not matter. 0.3 ms.

    "What do you see?", "read this for me", "was halte ich hier in der Hand?"; not "I see", "see you", "mal sehen".
    """
    plain = _plain(words)
    close = plain.replace(" ", "")
    for phrases in PHRASES:
        text = plain if phrases.spaced else close.translate(SIMPLIFIED) if phrases.language == "zh" else close
        asks, unless = _compiled(phrases)
        if asks.search(unless.sub(" ~ ", text)):
            return True
    return False


def _plain(text: str) -> str:
    """`text` in lower case, without accents and punctuation, with single spaces."""
    folded = unicodedata.normalize("NFKD", text.casefold()).casefold()
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", _JOINED.sub("", folded)))
    # Written either way: French oe; Hindi's two marks of a nasal, and its dot below, which many leave out.
    folded = folded.replace("\u0153", "oe").replace("\u0901", "\u0902").replace("\u093c", "")
    letters = "".join(" " if unicodedata.category(c)[0] in "PSZC" else c for c in folded)
    return " ".join(letters.split())


@cache
def _compiled(phrases: Phrases) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return _one_of(phrases.asks, spaced=phrases.spaced), _one_of(phrases.unless, spaced=phrases.spaced)


def _one_of(table: str, *, spaced: bool) -> re.Pattern[str]:
    lines = [line.strip() for line in re.sub(r"\|\n\s+", "|", table.strip()).splitlines()]
    if not spaced:
        return re.compile("|".join(f"(?:{line})" for line in lines))
    # Hindi's vowel signs are no letters to `re`, so that \b would end a word in its middle.
    return re.compile("|".join(rf"(?:(?<!\S)(?:{line})(?!\S))" for line in lines))
