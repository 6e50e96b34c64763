"""Where the first unit of a reply may end before its first sentence does, so that it sounds early. Pure."""

from __future__ import annotations

import re

from parlor_tui.speech.scripts import script

_FEWEST_WORDS = 2
_FEWEST_LETTERS = 7
"""Less than this is a fragment: the voice makes its sounds badly, and it is over before the next unit is there."""
_FEWEST_WIDE_CHARS = 4
_MANY_WORDS = 8
"""After so many words without a mark, a word that joins clauses will do."""
_FEWEST_BEFORE_CONJUNCTION = 4
_WIDE = "，、；：،؛"

_CONJUNCTIONS = {
    "en": "and but because which so while when if who where although since until unless before after that or",
    "de": "und aber weil dass wenn während obwohl bevor nachdem oder",
    "fr": "et mais parce qui quand si pendant car ou",
    "es": "y pero porque cuando si mientras aunque",
    "it": "e ma perché quando se mentre anche",
    "pt": "e mas porque quando se enquanto embora",
}
_PHRASES = "of in on at by for with to from about into over through is are was were has have had can will would could"
"""English words before which a long first unit may end if nothing better comes: phrases, at least, stay whole."""
_PHRASE_WORDS = frozenset(_PHRASES.split())
_SETS = {language: frozenset(words.split()) for language, words in _CONJUNCTIONS.items()}


def clause_ends(text: str, place: int, following: str) -> bool:
    """Whether a first unit may end behind the mark `text[place]`, if `following` (two characters) comes next.

    With `following` empty: whether it may, whatever comes next.
    """
    mark, before = text[place], text[:place]
    if not _long_enough(before):
        return False
    if mark in _WIDE:
        return True
    word = before.split()[-1] if before and not before[-1].isspace() else ""
    if not following:
        # No number, address, code, entity, or quote that a closer could follow.
        plain = bool(word) and all(c.isalpha() or c in "'’-" for c in word)
        return mark == "," and plain and not _open(before)
    if mark in "—–-":
        between = before[-1:].isdigit() and following.strip()[:1].isdigit()
        return not between and (mark == "—" or following[:1].isspace())
    if not following[0].isspace():
        return False
    # "May 5, 2024", "1, 2, 3": numbers stay together.
    return not (mark == "," and word[-1:].isdigit() and following[1:2].isdigit())


def conjunction_place(text: str, start: int, language: str) -> int:
    """Where to cut a first unit that has no mark behind `start`: before a word that joins clauses; 0 is nowhere.

    Asked after each character, it looks only when a word has just ended.
    """
    if not text[-1:].isspace() or text[start:].isspace() or _open(text):
        return 0
    words = list(re.finditer(r"\S+", text))
    if len(words) < _MANY_WORDS or any(script(c) in ("han", "kana", "thai") for c in text):
        return 0
    language = language or "en"
    joining = _SETS.get(language, frozenset())
    return _before(words, joining, start) or (_before(words, _PHRASE_WORDS, start) if language == "en" else 0)


def _before(words: list[re.Match[str]], joining: frozenset[str], start: int) -> int:
    """Where the last word of `joining` is that a first unit may end before."""
    for number in range(len(words) - 2, _FEWEST_BEFORE_CONJUNCTION - 1, -1):
        if words[number].start() < start:
            break
        before, after = words[number - 1][0], words[number + 1][0]
        names = before[:1].isupper() and after[:1].isupper() and joining is not _PHRASE_WORDS
        numbers = before[-1:].isdigit() or after[:1].isdigit()
        joined = before.lower() in joining or before.lower() in _LEFT_OPEN
        if words[number][0] in joining and not names and not numbers and not joined:
            return words[number].start()
    return 0


_OPEN_WORDS = "the a an of to in on at for with by from as than is are was were be not this my your"
_LEFT_OPEN = frozenset(_OPEN_WORDS.split())
"""Words that nothing can end with."""


def _long_enough(before: str) -> bool:
    wide = sum(script(character) in ("han", "kana", "hangul", "thai") for character in before)
    if wide:
        return wide >= _FEWEST_WIDE_CHARS
    words = [word for word in before.split() if any(c.isalnum() for c in word)]
    return len(words) >= _FEWEST_WORDS and sum(map(len, words)) >= _FEWEST_LETTERS


def _open(text: str) -> bool:
    """Whether a quote, a bracket or emphasis is open at the end of `text`."""
    pairs = any(text.count(a) > text.count(b) for a, b in ("()", "[]", "“”", "«»", "„“", "「」", "{}"))
    return pairs or any(text.count(mark) % 2 for mark in '"`*$')
