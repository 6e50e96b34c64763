"""From text as it is written to text as it is said: no markup, no symbols that a voice would stumble over. Pure."""

from __future__ import annotations

import re
import unicodedata

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, flags), replacement)
    for pattern, replacement, flags in (
        (r"<\|[^|>]{0,40}\|>|<\|\"\|>|</?(start|end)_of_turn>|</?s>", " ", re.IGNORECASE),  # raw model tokens
        (r"```.*?(```|$)", " ", re.DOTALL),  # blocks of code
        (r"!?\[([^\]]*)\]\([^)]*\)", r"\1", 0),  # links and pictures: their words
        (r"\bhttps?://(?:www\.)?([\w-]+(?:\.[\w-]+)+)\S*?(?=[.,;:!?)]*(?:\s|$))", r"\1", 0),  # addresses: the site
        (r"^\s{0,3}(#{1,6}|>|[-*+•])\s+", "", re.MULTILINE),  # headings, quotes, bullets
        (r"^\s*[-*_=]{3,}\s*$", " ", re.MULTILINE),  # rules
        (r"(\*\*|__|~~|``?)", "", 0),
        (r"(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])", "", 0),  # *emphasis*
        (r"(?<!\w)_(?=\w)|(?<=\w)_(?!\w)", "", 0),
        (r"\s*\|\s*", ", ", 0),  # cells of a table
        (r"[<>{}\[\]\\^~#|]", " ", 0),
        (r"\s*[—–]\s*", ", ", 0),
    )
)


def spoken_text(text: str) -> str:
    """`text` ready for the voice; empty when nothing of it can be said."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    text = "".join(c for c in text if not _is_picture(c))
    text = re.sub(r"\s+", " ", text).strip().lstrip(",;: ")
    return text if any(c.isalnum() for c in text) else ""


def _is_picture(character: str) -> bool:
    """Emoji, symbols and what joins or varies them."""
    return unicodedata.category(character) in ("So", "Sk", "Cs", "Co", "Cn", "Cf") or "\ufe00" <= character <= "\ufe0f"
