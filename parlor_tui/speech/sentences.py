"""From a stream of text to the units that are spoken: sentences, the first one maybe a clause. Pure.

A cut is never taken back, and never depends on the pieces in which the text came: each mark is decided on once so much
of what follows it is there as the decision needs.
"""

from __future__ import annotations

import re

from parlor_tui.speech.boundaries import CLOSERS, WIDE_MARKS, is_sentence_end
from parlor_tui.speech.clauses import clause_ends, conjunction_place
from parlor_tui.speech.scripts import script

__all__ = ["SentenceSplitter", "is_sentence_end", "sentences"]

_MARK = re.compile(
    rf"(?P<block>```+|(?m:^)~~~+|<(?P<tag>think|thinking|thought|reasoning|tool_call|script|style)\b[^<>]{{0,200}}>"
    r"|<\|channel\|?>\s*(?:analysis|thought|commentary))"
    rf"|(?P<code>``?)"
    rf"|(?P<wide>[{WIDE_MARKS}][{WIDE_MARKS}…]*[{re.escape(CLOSERS)}]*)"
    rf"|(?P<end>[.!?…؟۔।॥։።။។;]+[{re.escape(CLOSERS)}]*(?:[ \u00a0]»)?)"
    r"|(?P<line>\s*\n\s*)"
    r"|(?P<clause>[,:،؛，、；：—–]|(?<=\s)-(?=\s))",
)
_LONGEST_CHARS = 280
"""Kokoro takes 510 phonemes at a time; English has about as many phonemes as letters."""
_LETTERS_OF_WIDE = 4
"""A character of Chinese or Japanese is read with about so many phonemes."""
_LONGEST_CODE_CHARS = 160
"""A lone backtick is no code: nothing waits longer than this for its end."""
_SHORTEST_WORDS = 3
_SHORTEST_WIDE_CHARS = 4


class SentenceSplitter:
    """Cuts a reply, fed piece by piece, into units. Joined again, the units are the reply without its outer spaces.

    The first unit is as short as a voice can speak it well (a clause, or a sentence); later ones are sentences, those
    of less than three words together with the next of their line. `first_clause` False: every sentence by itself.
    A line ends a unit. A block of code, or of a model's thoughts, is one unit, however long. `language` is that of the
    reply, such as "de", if it is known.
    """

    def __init__(self, *, first_clause: bool = True, language: str = "") -> None:
        self._text = ""
        self._language = language
        self._clause_wanted = first_clause
        self._join = first_clause
        self._first = True
        self._seen = 0
        """So far every mark of the text was decided on."""
        self._kept_to = 0
        """A sentence too short to be a unit ends here."""
        self._reach = 0.0
        """How long the text is for the voice, in letters."""

    def feed(self, piece: str) -> list[str]:
        """Take the next piece; the units that are complete now. A unit keeps the spaces behind it out."""
        units: list[str] = []
        for character in piece:
            if not self._text and character.isspace():
                continue
            self._text += character
            self._reach += _LETTERS_OF_WIDE if script(character) in ("han", "kana") else 1
            if (cut := self._cut(final=False)) is not None:
                units += self._take(cut)
        return units

    def finish(self) -> list[str]:
        """What is left at the end of the reply."""
        units: list[str] = []
        while self._text:
            cut = self._cut(final=True)
            units += self._take(len(self._text) if cut is None else cut)
        return units

    def _take(self, cut: int) -> list[str]:
        unit, self._text = self._text[:cut].strip(), self._text[cut:].lstrip()
        self._seen = self._kept_to = 0
        self._reach = sum(_LETTERS_OF_WIDE if script(c) in ("han", "kana") else 1 for c in self._text)
        if not unit:
            return []
        if any(character.isalnum() for character in unit):
            self._first = self._clause_wanted = False
        return [unit]

    def _cut(self, *, final: bool) -> int | None:
        while mark := _MARK.search(self._text, self._seen):
            if mark.end() == len(self._text) and not final and not self._sure(mark):
                break
            place = self._place(mark, final=final)
            if place is None:
                break
            if place > 0:
                return place
            self._seen = max(self._seen, mark.end())
        if self._open_block():
            return None
        if self._clause_wanted and (place := conjunction_place(self._text, self._seen, self._language)):
            return place
        return self._forced() if self._reach > _LONGEST_CHARS else None

    def _sure(self, mark: re.Match[str]) -> bool:
        """Whether a mark at the end of what came so far needs nothing that comes after it."""
        if mark["line"]:
            return True
        return bool(mark["clause"]) and self._clause_wanted and clause_ends(self._text, mark.start(), "")

    def _place(self, mark: re.Match[str], *, final: bool) -> int | None:
        """Where to cut because of `mark`: 0 nowhere, None if what follows has to be waited for."""
        if mark["block"]:
            return self._block(mark, final=final)
        if mark["code"]:
            return self._inline_code(mark, final=final)
        if mark["line"]:
            return mark.end()
        if mark["clause"]:
            return self._clause(mark, final=final)
        return self._sentence(mark, final=final)

    def _block(self, mark: re.Match[str], *, final: bool) -> int | None:
        if self._text[: mark.start()].strip():
            return mark.start()
        fence = mark[0][0] in "`~"
        closing = f"{mark[0]}+" if fence else f"</{mark['tag']}>" if mark["tag"] else r"<\|end\|>|<channel\|>"
        end = re.compile(closing).search(self._text, mark.end())
        if end is None:
            return len(self._text) if final else None
        if fence and not final and end.end() == len(self._text):
            return None  # it may be longer than the one that it closes
        return end.end()

    def _open_block(self) -> bool:
        mark = _MARK.search(self._text, self._seen)
        return bool(mark and mark["block"] and not self._text[: mark.start()].strip())

    def _inline_code(self, mark: re.Match[str], *, final: bool) -> int | None:
        end = self._text.find(mark[0], mark.end())
        line = self._text.find("\n", mark.end())
        if end >= 0 and (line < 0 or end < line) and end - mark.end() <= _LONGEST_CODE_CHARS:
            self._seen = end + len(mark[0])
            return 0
        waits = end < 0 and line < 0 and len(self._text) - mark.end() <= _LONGEST_CODE_CHARS
        return None if waits and not final else 0

    def _clause(self, mark: re.Match[str], *, final: bool) -> int | None:
        if not self._clause_wanted:
            return 0
        following = self._text[mark.end() : mark.end() + 2]
        if not final and len(following) < 2 and not self._sure(mark):
            return None
        return mark.end() if clause_ends(self._text, mark.start(), following or " ") else 0

    def _sentence(self, mark: re.Match[str], *, final: bool) -> int | None:
        text, end = self._text[: mark.end()], mark.end()
        after = self._text[end:]
        following = after.lstrip()
        if not mark["wide"] and after and not after[0].isspace():
            joined = mark[0][-1] in "!?" and after[0].isupper()  # "Hi!How are you?"
            if not joined and not re.match(r"[।॥؟۔።]", mark[0]):
                return 0
        if not following:
            return end if final else None
        word = re.match(r"\S+(?=\s)", following)
        if word is None and not final and self._needs_word(text, following):
            return None
        told = following[:1] if not self._needs_word(text, following[:1]) else word[0] if word else following
        if not is_sentence_end(text, told, self._language):
            return 0
        return self._joined(end)

    def _needs_word(self, text: str, following: str) -> bool:
        """Whether the first letter of what follows does not decide yet: an abbreviation, an initial or a number."""
        if not text.rstrip(CLOSERS).endswith("."):
            return False
        word = re.split(r"[\s(\"'“‘\[]", text.rstrip(CLOSERS)[:-1])[-1]
        plain = word.isalpha() and len(word) > 3 and following[:1].isalpha()
        return not plain or not is_sentence_end(text, following[:1], self._language)

    def _joined(self, end: int) -> int:
        """A cut at `end`, or none if what it makes is too short to be spoken by itself."""
        if not self._join or self._first:
            return end
        return 0 if _too_short(self._text[:end]) else end

    def _forced(self) -> int:
        """A place to cut a text without an end: behind a clause, else between words, else anywhere."""
        longest = int(_LONGEST_CHARS * len(self._text) / self._reach)
        window = self._text[:longest]
        marks = [m.end() for m in re.finditer(r"[,;:—–](?=\s)|[，、；：،؛]", window) if m.end() > longest // 3]
        if marks:
            return marks[-1]
        space = window.rstrip().rfind(" ")
        return space if space > 0 else longest


def sentences(text: str, language: str = "") -> list[str]:
    """The sentences of a whole text, each by itself."""
    splitter = SentenceSplitter(first_clause=False, language=language)
    return [*splitter.feed(text), *splitter.finish()]


def _too_short(unit: str) -> bool:
    wide = sum(script(character) in ("han", "kana", "hangul", "thai") for character in unit)
    if wide:
        return wide < _SHORTEST_WIDE_CHARS
    return sum(any(c.isalnum() for c in word) for word in unit.split()) < _SHORTEST_WORDS
