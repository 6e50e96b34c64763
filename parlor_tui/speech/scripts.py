"""Which script a text is written in, and which language that makes sure. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

# fmt: off
_RANGES = (
    (0x0041, 0x005A, "latin"), (0x0061, 0x007A, "latin"), (0x00AA, 0x00AA, "latin"), (0x00BA, 0x00BA, "latin"),
    (0x00C0, 0x00D6, "latin"), (0x00D8, 0x00F6, "latin"), (0x00F8, 0x024F, "latin"), (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "cyrillic"), (0x0530, 0x058F, "armenian"), (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x06FF, "arabic"), (0x0750, 0x077F, "arabic"), (0x0900, 0x097F, "devanagari"),
    (0x0980, 0x09FF, "bengali"), (0x0A00, 0x0A7F, "gurmukhi"), (0x0A80, 0x0AFF, "gujarati"),
    (0x0B80, 0x0BFF, "tamil"), (0x0C00, 0x0C7F, "telugu"), (0x0C80, 0x0CFF, "kannada"),
    (0x0D00, 0x0D7F, "malayalam"), (0x0E00, 0x0E7F, "thai"), (0x0E80, 0x0EFF, "lao"), (0x1000, 0x109F, "burmese"),
    (0x10A0, 0x10FF, "georgian"), (0x1100, 0x11FF, "hangul"), (0x1200, 0x137F, "ethiopic"),
    (0x1780, 0x17FF, "khmer"), (0x1E00, 0x1EFF, "latin"), (0x1F00, 0x1FFF, "greek"), (0x2E80, 0x2FDF, "han"),
    (0x3005, 0x3007, "han"), (0x3040, 0x309F, "kana"), (0x30A0, 0x30FA, "kana"), (0x30FC, 0x30FF, "kana"),
    (0x3100, 0x312F, "han"), (0x3130, 0x318F, "hangul"), (0x31F0, 0x31FF, "kana"), (0x3400, 0x4DBF, "han"),
    (0x4E00, 0x9FFF, "han"), (0xAC00, 0xD7AF, "hangul"), (0xF900, 0xFAFF, "han"), (0xFB1D, 0xFB4F, "hebrew"),
    (0xFB50, 0xFDFF, "arabic"), (0xFE70, 0xFEFE, "arabic"), (0xFF21, 0xFF3A, "latin"), (0xFF41, 0xFF5A, "latin"),
    (0xFF66, 0xFF9D, "kana"), (0x20000, 0x323AF, "han"),
)
# fmt: on
_STARTS = tuple(first for first, _, _ in _RANGES)

LANGUAGE_OF_SCRIPT = {
    "greek": "el",
    "cyrillic": "ru",
    "armenian": "hy",
    "hebrew": "he",
    "arabic": "ar",
    "devanagari": "hi",
    "bengali": "bn",
    "gurmukhi": "pa",
    "gujarati": "gu",
    "tamil": "ta",
    "telugu": "te",
    "kannada": "kn",
    "malayalam": "ml",
    "thai": "th",
    "lao": "lo",
    "burmese": "my",
    "georgian": "ka",
    "hangul": "ko",
    "ethiopic": "am",
    "khmer": "km",
    "han": "zh",
    "kana": "ja",
}
"""The language that most texts of a script are in. Latin is not among them: it tells nothing."""


def script(character: str) -> str:
    """The script of one character; empty for digits, marks and what belongs to no script of the table."""
    code = ord(character)
    place = bisect_right(_STARTS, code) - 1
    if place < 0:
        return ""
    _, last, name = _RANGES[place]
    return name if code <= last else ""


def scripts(text: str) -> Counter[str]:
    """How many characters of each script `text` has."""
    return Counter(name for name in map(script, text) if name)


def main_script(text: str) -> str:
    """The script that carries `text`; empty if it has no letters.

    A character of Chinese, Japanese or Korean says as much as some two or three letters, and counts so. Kana beside
    Chinese characters makes the text Japanese.
    """
    found = scripts(text)
    if not found:
        return ""
    if found["kana"]:
        found["kana"] += found.pop("han", 0)
    weights = {"han": 3, "kana": 2, "hangul": 2}
    return max(found, key=lambda name: (found[name] * weights.get(name, 1), name))
