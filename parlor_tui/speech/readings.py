"""Japanese as it is said: kanji to kana, by the dictionary of `janome`, which carries it along."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any


def found() -> bool:
    """Whether kanji can be read here."""
    return importlib.util.find_spec("janome") is not None


def kana(text: str) -> str:
    """`text` in katakana, a space between words; as it is, where there is no dictionary or no reading."""
    dictionary = _dictionary()
    if dictionary is None:
        return text
    words = dictionary.tokenize(text)
    return " ".join(word.surface if word.phonetic == "*" else word.phonetic for word in words)


@functools.cache
def _dictionary() -> Any:
    try:
        from janome.tokenizer import Tokenizer
    except ImportError:
        return None
    return Tokenizer()
