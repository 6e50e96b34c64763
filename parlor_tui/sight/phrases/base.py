"""Words with which people ask to look, and words that sound alike and do not.

A line is a regular expression for whole words, in lower case, without accents, apostrophes and punctuation ("what's"
is "whats", "qu'est-ce" is "quest ce"); `$` is the end of what was said. A line
that ends with `|` goes on in the next. Chinese and Japanese are without spaces, and
Chinese is in simplified characters. `unless` is taken out of the words before `asks` is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one language, one a line."""

    language: str
    asks: str
    unless: str
    spaced: bool = True
