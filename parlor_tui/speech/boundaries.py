"""Whether a sentence ends at a mark: Wikimedia's sentencex, and the few cases that it does not know. Pure."""

from __future__ import annotations

import re

from parlor_tui.speech.scripts import LANGUAGE_OF_SCRIPT, main_script, script

CLOSERS = "\"'”’»)]*_」』）】》〉`"
"""Marks that belong to the sentence before them."""
WIDE_MARKS = "。！？｡"
"""Marks that no space need follow."""
_MARKS = ".!?…؟۔।॥։።။។;" + WIDE_MARKS
_TAIL_CHARS = 240
"""So much of the text before a mark decides: initials, an abbreviation, an open quote."""

# fmt: off
_NUMBERED = frozenset({
    "no", "nos", "nr", "n", "num", "núm", "p", "pp", "fig", "art", "ch", "vol", "sec", "approx", "ca", "c", "str",
    "abs", "kap", "bd", "s", "tel", "ext", "v", "ver", "op", "cap", "pág", "pag", "с", "стр", "№",
})
"""Abbreviations before a number."""
_FOLLOWED = frozenset({
    "mr", "mrs", "ms", "dr", "prof", "st", "mt", "messrs", "mme", "mlle", "mgr", "sr", "sra", "srta", "dra", "sig",
    "dott", "av", "ave", "avda", "hr", "fr", "gen", "capt", "sgt", "lt", "col", "gov", "sen", "rep", "rev", "hon",
    "approx", "vs", "cf", "e.g", "i.e", "z.b", "d.h", "u.a", "v.a", "bzw", "ca", "т.е", "т.к", "ул", "им",
    "г-н", "г-жа",
})
"""Abbreviations that a name or an example follows: no sentence ends with them."""
# fmt: on


def language_of_text(text: str, language: str = "") -> str:
    """The language whose rules `text` is cut by: `language`, unless the script of `text` says otherwise."""
    name = main_script(text[-_TAIL_CHARS:])
    if name in ("", "latin") or (name == "han" and language in ("zh", "ja")):
        return language or "en"
    return language if language and name == _SCRIPT_OF.get(language) else LANGUAGE_OF_SCRIPT[name]


_SCRIPT_OF = {language: name for name, language in LANGUAGE_OF_SCRIPT.items()} | {
    "uk": "cyrillic", "bg": "cyrillic", "sr": "cyrillic", "mr": "devanagari", "ne": "devanagari", "fa": "arabic",
    "ur": "arabic",
}  # fmt: skip


def is_sentence_end(text: str, following: str, language: str = "") -> bool:
    """Does the sentence that `text` closes (with its mark and closers) end there, if `following` comes next?

    `following` is what comes after the space; the more of it, the surer. `language` is that of the text, if known; a
    script of its own (Greek, Chinese ...) is seen without it.
    """
    bare = text.rstrip(CLOSERS + " \u00a0") if text[-1:] in CLOSERS else text
    if not bare or bare[-1] not in _MARKS:
        return False
    language = language_of_text(text, language)
    if bare[-1] == ";":
        return language == "el"
    line = text[text.rfind("\n") + 1 :][-_TAIL_CHARS:]
    if line.lstrip().startswith("|"):
        return False  # a row of a table
    if bare[-1] in ".…" and not bare.endswith(_WIDE_DOTS):
        if bare[-1] == "." and re.fullmatch(r"\s*[*_#>]*\s*(\d{1,3}|[A-Za-z])[.)]", line):
            return False  # "1. Eggs": the number of a list
        first = following.lstrip("\"'“‘«(*_¿¡")[:1]
        if first.islower() or _goes_on(bare, following, language):
            return False
    return bare[-1] in ("؟", "۔") or _cut_by_library(line, following, language)


_WIDE_DOTS = ("……", "。")


def _goes_on(bare: str, following: str, language: str) -> bool:
    """An abbreviation, initial or ordinal that what follows belongs to."""
    word = re.split(r"[\s(\"'“‘«\[*_]", bare[:-1])[-1].lower()
    if word in _FOLLOWED:
        return True
    if following[:1].isdigit() and (word in _NUMBERED or (language == "de" and word.endswith("str"))):
        return True  # "No. 5 is alive", but "He said no. Then he left."
    if language == "fr" and word == "m":
        return True
    if word in ("p", "a") and re.search(r"\d\s*[ap]\.\s*$", bare, re.IGNORECASE):
        return True  # "5 p. m."
    if language == "de" and re.fullmatch(r"\d{1,2}", word):
        return True  # "am 3. Oktober", "der 2. Versuch"
    # One letter of another script than Latin; those of Latin the library knows.
    return len(word) == 1 and script(word) in ("cyrillic", "greek") and following[:1].isupper()


def _cut_by_library(line: str, following: str, language: str) -> bool:
    from sentencex import segment

    line = re.sub(r"[*_`]", "", line)
    start = 0
    if following[:1] in tuple("\"'") and line.count(following[0]) % 2 == 0:
        following = following[1:]  # an opening quote, whose end is not there yet
    gap = "" if line[-1:] in tuple(WIDE_MARKS + CLOSERS) and not following[:1].isascii() else " "
    whole = f"{line}{gap}{following}"
    for sentence in segment(language, whole):
        start += len(sentence)
        if start >= len(line):
            return start <= len(line) + 1 and start < len(whole)
    return False
