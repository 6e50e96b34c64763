"""What the screen is drawn with where a terminal knows ASCII alone: one table, used on every line that is drawn.

Widgets draw with whatever shapes they like. `AsciiFilter` puts an ASCII form in the place of each, at the last step
before the terminal; every form is as wide as what it stands for, so that nothing moves.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

FORMS: Mapping[str, str] = {
    # the states, each with a form of its own
    "◌": ".", "●": "*", "◉": "@", "◆": "+", "▶": ">", "○": "o", "✗": "x", "▷": "}", "‖": "=",
    # meters and sparklines, from low to high
    "▁": ".", "▂": ":", "▃": "-", "▄": "=", "▅": "+", "▆": "*", "▇": "%", "█": "#",
    # bars: their end in eighths, their shades, their marks
    "▏": "|", "▎": "|", "▍": "|", "▌": "|", "▋": "#", "▊": "#", "▉": "#", "▓": "O", "▒": "=", "░": "-",
    "▀": "\"", "▔": "-", "▕": "|", "▐": "|", "━": "=", "┃": "|", "╸": "=", "╺": "=", "┆": ":", "┊": ":", "╎": ":",
    "▚": "X", "▞": "X",
    # marks before and between words
    "❯": ">", "▲": "^", "△": "^", "▼": "v", "▽": "v", "▾": "v", "▴": "^", "▸": ">", "◂": "<", "◀": "<", "▣": "#",
    "■": "#", "□": "o", "▢": "o", "◼": "#", "◻": "o", "◇": "o", "⬥": "+", "•": "*", "·": ".", "…": "~", "✓": "v",
    "✔": "v", "✕": "x", "✖": "x", "×": "x", "⚠": "!", "★": "*", "☆": "*", "♪": "~", "⏎": "/", "⌫": "<", "⊘": "/",
    "🔎": ">",
    "←": "<", "→": ">", "↑": "^", "↓": "v", "↔": "-", "↕": "|", "↵": "/", "↩": "/", "⇥": ">", "⟳": "o", "↻": "o",
    "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "‘": "'", "’": "'", "‚": ",", "“": "\"", "”": "\"", "„": "\"",
    "«": "<", "»": ">", "‹": "<", "›": ">", "°": "'", "µ": "u", "±": "~", "≥": ">", "≤": "<", "≈": "~", "≠": "#",
    "ß": "s", "æ": "a", "Æ": "A", "ø": "o", "Ø": "O", "œ": "o", "Œ": "O", "ł": "l", "Ł": "L", "đ": "d", "ð": "d",
    "þ": "t", "ı": "i", "€": "E", "£": "L", "¡": "!", "¿": "?", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
"""The ASCII form of each shape. Letters with accents need no entry: they lose the accent."""
UNKNOWN = "?"
_ASCII_TERMINALS = ("linux", "vt", "ansi", "dumb", "cons", "sun", "xterm-old", "unknown")
"""Terminals whose font holds no more than the shapes of a code page, if that, whatever they are sent."""
_PLAIN_LOCALES = frozenset({"C", "POSIX"})
_COERCED = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})
"""What Python itself puts into LC_CTYPE when it starts in a plain locale."""


def wants_ascii(environment: Mapping[str, str]) -> bool:
    """Whether the terminal described by `environment` shows ASCII alone.

    It does where TERM names a terminal without more, or the locale says an encoding other than UTF-8, or `C`. A locale
    that says nothing at all is taken for UTF-8: that is what containers and Windows have.
    """
    if environment.get("TEXTUAL_DRIVER"):
        return False  # a browser's page, whatever terminal it was started from
    if environment.get("TERM", "").startswith(_ASCII_TERMINALS):
        return True
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(name))), "")
    if locale in _COERCED and not environment.get("LC_ALL") and environment.get("LANG") in _PLAIN_LOCALES:
        return True
    name, _, encoding = locale.partition("@")[0].partition(".")
    if encoding or name == "UTF-8":
        return (encoding or name).lower().replace("-", "") != "utf8"
    return name in _PLAIN_LOCALES


@lru_cache(4096)
def ascii_form(character: str) -> str:
    """ASCII for one `character`, as many characters as it takes cells."""
    if character.isascii():
        return character
    cells = cell_len(character)
    if form := FORMS.get(character):
        return f"{form:<{cells}}"
    plain = "".join(c for c in unicodedata.normalize("NFKD", character) if c.isascii() and c.isprintable())
    if 0 < len(plain) <= cells:
        return f"{plain:<{cells}}"
    return (_of_kind(character) or UNKNOWN) * cells


def _of_kind(character: str) -> str:
    """The form of a line, block, arrow or mark that the table does not name, by what Unicode calls it."""
    name = unicodedata.name(character, "")
    if unicodedata.category(character).startswith("P"):
        return "."
    if name.startswith("BOX DRAWINGS"):
        lines = {word for word in ("HORIZONTAL", "VERTICAL", "LEFT", "RIGHT", "UP", "DOWN") if word in name.split()}
        if lines <= {"HORIZONTAL", "LEFT", "RIGHT"}:
            return "-"
        return "|" if lines <= {"VERTICAL", "UP", "DOWN"} else "+"
    if "BLOCK" in name or "QUADRANT" in name or name.startswith("BRAILLE PATTERN"):
        return "#"
    return next((form for word, form in _ARROWS.items() if word in name), "") if "ARROW" in name else ""


_ARROWS = {"LEFTWARDS": "<", "RIGHTWARDS": ">", "UPWARDS": "^", "DOWNWARDS": "v"}


def ascii_text(text: str) -> str:
    """`text` in ASCII, as wide as it was: of characters that are drawn as one there may be too many, or too few."""
    if text.isascii():
        return text
    cells = cell_len(text)
    return f"{''.join(map(ascii_form, text))[:cells]:<{cells}}"


class AsciiFilter(LineFilter):
    """Puts ASCII in the place of everything else, on every line of every widget."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """`segments` in ASCII; `background` does not matter."""
        del background
        return [Segment(ascii_text(text), style, control) for text, style, control in segments]
