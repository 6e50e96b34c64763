"""From a stream of text to the units that are spoken: sentences, the first one maybe a clause. Pure."""

from __future__ import annotations

import re

# fmt: off
_ABBREVIATIONS = frozenset({
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "mt", "vs", "etc", "approx", "dept", "est", "fig", "gen",
    "gov", "inc", "ltd", "co", "corp", "rep", "sen", "capt", "lt", "col", "sgt", "e.g", "i.e", "a.m", "p.m", "cf", "al",
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    "mon", "tue", "wed", "thu", "fri", "sat", "sun",
})
_TITLES = frozenset({
    "mr", "mrs", "ms", "dr", "prof", "st", "mt", "fig", "gen", "gov", "rep", "sen", "capt", "lt", "col", "sgt",
    "e.g", "i.e", "vs", "cf", "approx",
})
# fmt: on
"""Abbreviations that a name, number or example follows: never the end of a sentence."""
_CLOSERS = "\"'”’)]»*_"
_WIDE_END = "。！？"
_CLAUSE = re.compile(r"[,;:—–](?=\s)|[，、；：]|\s[—–-](?=\s)")
_END = re.compile(rf"[.!?…]+[{re.escape(_CLOSERS)}]*(?=\s)|[{_WIDE_END}]+[{re.escape(_CLOSERS)}」』]*|\n+")
_FIRST_CLAUSE_CHARS = 14
_LONGEST_CHARS = 280
"""Kokoro takes 510 phonemes at a time; English has about as many phonemes as letters."""


class SentenceSplitter:
    """Cuts a reply, fed piece by piece, into units. Joined again, the units are the reply without its outer spaces."""

    def __init__(self, *, first_clause: bool = True) -> None:
        self._text = ""
        self._clause_wanted = first_clause

    def feed(self, piece: str) -> list[str]:
        """Take the next piece; the units that are complete now. A unit keeps the spaces behind it out."""
        self._text += piece
        units: list[str] = []
        while (cut := self._cut()) is not None:
            unit, self._text = self._text[:cut].strip(), self._text[cut:].lstrip()
            if unit:
                units.append(unit)
                self._clause_wanted = False
        return units

    def finish(self) -> list[str]:
        """What is left at the end of the reply."""
        rest, self._text = self._text.strip(), ""
        return [rest] if rest else []

    def _cut(self) -> int | None:
        end = next((m.end() for m in _END.finditer(self._text) if self._is_end(m)), None)
        clause = self._first_clause(end) if self._clause_wanted else None
        if clause is not None:
            return clause
        if end is None and len(self._text) > _LONGEST_CHARS:
            return self._forced()
        if end is not None and end > _LONGEST_CHARS:
            return self._forced()
        return end

    def _is_end(self, mark: re.Match[str]) -> bool:
        if mark.group()[0] in _WIDE_END or "\n" in mark.group():
            return True
        following = self._text[mark.end() :].lstrip()
        if not following and "\n" not in self._text[mark.end() :]:
            return False  # what comes next decides; finish() gives the rest out anyway
        return is_sentence_end(self._text[: mark.end()], following)

    def _first_clause(self, before: int | None) -> int | None:
        for mark in _CLAUSE.finditer(self._text):
            if before is not None and mark.end() >= before:
                return None
            if mark.end() >= _FIRST_CLAUSE_CHARS and len(self._text[: mark.end()].split()) >= 2:
                return mark.end()
            if mark.end() >= 5 and mark.group() in "，、；：":
                return mark.end()
        return None

    def _forced(self) -> int:
        """A place to cut a text without an end: behind a clause, else between words, else anywhere."""
        window = self._text[:_LONGEST_CHARS]
        clauses = [m.end() for m in _CLAUSE.finditer(window) if m.end() > _LONGEST_CHARS // 3]
        if clauses:
            return clauses[-1]
        space = window.rfind(" ")
        return space if space > 0 else _LONGEST_CHARS


def is_sentence_end(text: str, following: str) -> bool:
    """Does the sentence that `text` closes (with its mark and closers) end there, if `following` comes next?"""
    bare = text.rstrip(_CLOSERS)
    if not bare or bare[-1] not in ".!?…":
        return False
    if bare[-1] != "." or bare.endswith(".."):
        # "Wait... what" goes on; "Really? yes" does not.
        return not (bare.endswith(("...", "…")) and following[:1].islower())
    word = re.split(r"[\s(\"'“‘\[]", bare[:-1])[-1].lower()
    if re.fullmatch(r"\d{1,3}", word) and re.search(r"(^|\n)\s*\d{1,3}\.$", bare):
        return False  # "1. Eggs": the number of a list
    if word == "no":
        return not following[:1].isdigit()  # "No. 5 is alive", but "He said no. Then he left."
    if word in _TITLES or re.fullmatch(r"[a-z]", word):
        return False  # "Dr. Smith", "J. Smith"
    if following[:1].islower():
        return False  # "p.m. we", "U.S. is"
    if re.fullmatch(r"([a-z]\.)+[a-z]", word) or word in _ABBREVIATIONS:
        return bool(re.match(r"[A-Z\"'“‘(]", following)) and word not in ("u.s", "u.k", "e.u")
    return True
