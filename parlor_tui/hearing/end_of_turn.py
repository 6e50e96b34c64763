"""How much silence ends a turn: little after what sounds and reads finished, long after "and", "my name is", "um"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from parlor_tui.hearing.endings import ENDINGS, Endings
from parlor_tui.settings import Hearing


class Why(StrEnum):
    """What decided how long to wait."""

    FIXED = "fixed"
    """The settings want the same silence always."""
    UNKNOWN = "unknown"
    """Neither the sound nor the words say anything."""
    SOUND = "sound"
    """The words leave it open; the sound decided."""
    QUESTION = "question"
    """A whole question by its word order."""
    DONE = "done"
    """Words that are complete as they are."""
    OPEN_WORD = "open word"
    """Ends with a conjunction, an article, a preposition: more must follow."""
    INTRODUCTION = "introduction"
    """Introduces what was not said yet."""
    CLAUSE = "clause"
    """A clause that does not stand alone: "if you want help"."""
    FILLER = "filler"
    """Ends with "um" and the like: the speaker thinks."""
    NUMBER = "number"
    """Ends within a number that is said in pieces."""
    TRAILS_OFF = "trails off"
    """Ends with a comma, a dash or an ellipsis."""


@dataclass(frozen=True, slots=True)
class Wait:
    """`ms` of silence end the turn; `why` says what decided it."""

    ms: int
    why: Why


_WEIGHT = {
    Why.QUESTION: 0.4,
    Why.DONE: 0.2,
    Why.SOUND: 0.0,
    Why.TRAILS_OFF: -0.45,
    Why.NUMBER: -0.6,
    Why.CLAUSE: -0.6,
    Why.INTRODUCTION: -0.6,
    Why.OPEN_WORD: -0.6,
    Why.FILLER: -0.8,
}
"""What the words add to the probability that the sound gives."""
_LONGEST_BELOW = 0.4
_MIDDLE_AT = 0.7
_SHORTEST_ABOVE = 0.95
"""Where the longest wait ends, where silence_ms stands, and where the shortest begins; in between it is graded."""
_UNREAD = 0.5
"""The shortest wait if the words leave it open, between the shortest of all and silence_ms: main clauses that go on
sound finished, too, and people pause for 200-400 ms between them."""
_LONGEST_READ_CHARACTERS = 300
"""Only the end of a long turn is read."""


def wait_for(finished: float | None, words: str, language: str, hearing: Hearing) -> Wait:
    """How much silence ends the turn, and why.

    `finished` is the probability that it sounds over (None: no model said), `words` its caption so far, `language` the
    code of its language; of a language without a table only the sound and the marks count. The wait lies between
    the least and the most of finished_ms, silence_ms and unfinished_ms, and never grows with `finished`.
    """
    if hearing.end_of_turn == "fixed":
        return Wait(hearing.silence_ms, Why.FIXED)
    read = reading(words, language)
    if finished is None and read is Why.SOUND:
        return Wait(hearing.silence_ms, Why.UNKNOWN)
    heard = _MIDDLE_AT if finished is None else finished
    sure = heard + _WEIGHT[read]
    shortest, middle, longest = sorted((hearing.finished_ms, hearing.silence_ms, hearing.unfinished_ms))
    if read is Why.SOUND:
        shortest = round(shortest + _UNREAD * (middle - shortest))
    if sure >= _MIDDLE_AT:
        share = min(1.0, (sure - _MIDDLE_AT) / (_SHORTEST_ABOVE - _MIDDLE_AT))
        return Wait(round(middle + share * (shortest - middle)), read)
    share = min(1.0, (_MIDDLE_AT - sure) / (_MIDDLE_AT - _LONGEST_BELOW))
    return Wait(round(middle + share * (longest - middle)), read)


def reading(words: str, language: str) -> Why:
    """What the end of `words` says on whether more follows; SOUND if it says nothing."""
    tail = words.strip()[-_LONGEST_READ_CHARACTERS:].rstrip('"”»)」』 ')
    if not tail:
        return Why.SOUND
    table = _TABLES.get(language.lower().partition("-")[0])
    trails_off = re.search(r"(?:[,;:、，：；–—-]|\.\.+|…)\s*$", tail) is not None
    if table is None:
        return Why.TRAILS_OFF if trails_off else Why.SOUND
    sentences = [part for part in re.split(r"(?<=[.!?])\s+|(?<=[。！？])", tail) if _plain(part)] or [tail]
    last = sentences[-1]
    found = _compiled(table).read(_plain(last), asks=tail[-1] in "?？", one_clause="," not in last.rstrip(", "))
    if trails_off and found in (Why.SOUND, Why.DONE, Why.QUESTION):
        return Why.TRAILS_OFF
    return found


def _plain(text: str) -> str:
    """`text` in lower case, with straight apostrophes and without other marks, single-spaced."""
    folded = unicodedata.normalize("NFC", text.lower()).replace("’", "'").replace("`", "'")
    kept = "".join(c if c.isalnum() or c in "'-" or unicodedata.category(c)[0] == "M" else " " for c in folded)
    return " ".join(word for word in (part.strip("-") for part in kept.split()) if word)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A table as regular expressions."""

    done: re.Pattern[str]
    fillers: re.Pattern[str]
    open: re.Pattern[str]
    prepositions: re.Pattern[str]
    introductions: re.Pattern[str]
    clauses: re.Pattern[str]
    questions: re.Pattern[str]
    digits: re.Pattern[str]
    digits_after: re.Pattern[str]
    spaced: bool

    def read(self, text: str, *, asks: bool, one_clause: bool) -> Why:
        """What the plain `text` of one sentence says; `asks`: it has a question mark; `one_clause`:
        no comma."""
        text = text if self.spaced else text.replace(" ", "")
        question = self.questions.match(text) is not None
        if self.fillers.search(text):
            return Why.FILLER
        if one_clause and not asks and self.clauses.search(text) and len(text.split()) <= _LONGEST_CLAUSE_WORDS:
            return Why.OPEN_WORD if self.open.search(text) else Why.CLAUSE
        if self.done.search(text):
            return Why.QUESTION if question and asks else Why.DONE
        if self.open.search(text):
            return Why.OPEN_WORD
        if self.introductions.search(text):
            return Why.INTRODUCTION
        if self.prepositions.search(text):
            return Why.SOUND if question and asks else Why.OPEN_WORD
        if question:
            return Why.QUESTION if asks else Why.DONE
        return Why.NUMBER if self._number_goes_on(text) else Why.SOUND

    def _number_goes_on(self, text: str) -> bool:
        run = self.digits.search(text)
        if run is None:
            return False
        pieces = run.group().split()
        count = sum(len(re.sub(r"\D", "", piece)) or 1 for piece in pieces)
        if count >= _WHOLE_NUMBER_DIGITS:
            return False
        return self.digits_after.search(text[: run.start()]) is not None or len(pieces) >= _SPOKEN_DIGITS


_LONGEST_CLAUSE_WORDS = 8
"""A longer one has its main clause in it, and the caption lacks the comma."""
_WHOLE_NUMBER_DIGITS = 10
"""A telephone number is whole with so many."""
_SPOKEN_DIGITS = 3
"""So many numbers in a row are one that is said in pieces."""


@cache
def _compiled(table: Endings) -> _Compiled:
    spaced = table.spaced
    number = _one_of(table.numbers, spaced=spaced)
    number = f"(?:{number}|[0-9][0-9-]*)"
    between = r"[ ]" if spaced else ""
    edge = r"(?:^|(?<=\s))" if spaced else ""
    patterns = "|".join(_lines(table.introductions)) if spaced else _one_of(table.introductions, spaced=False)
    whole = "|".join(_lines(table.done)) if spaced else _one_of(table.done, spaced=False)
    return _Compiled(
        done=re.compile(rf"^(?:{whole or '(?!)'})$" if spaced else rf"(?:{whole})$"),
        fillers=re.compile(rf"{edge}(?:{_one_of(table.fillers, spaced=spaced)})$"),
        open=re.compile(rf"{edge}(?:{_one_of(table.open, spaced=spaced)})$"),
        prepositions=re.compile(rf"{edge}(?:{_one_of(table.prepositions, spaced=spaced)})$"),
        introductions=re.compile(rf"{edge}(?:{patterns.replace('{n}', number) or '(?!)'})$"),
        clauses=re.compile(rf"^(?:{_one_of(table.clauses, spaced=spaced)})\b"),
        questions=re.compile("|".join(_lines(table.questions)) or "(?!)"),
        digits=re.compile(rf"{edge}{number}(?:{between}{number})*$"),
        digits_after=re.compile(rf"{edge}(?:{_one_of(table.digits_after, spaced=spaced)})" + (r"\b" if spaced else "")),
        spaced=spaced,
    )


def _one_of(words: str, *, spaced: bool) -> str:
    """An alternative of the words in a table, which commas and lines part."""
    parts = [part.strip() for part in re.split(r"[,\n]", words) if part.strip()]
    escaped = [re.escape(part).replace(r"\ ", " " if spaced else "") for part in parts]
    return "|".join(sorted(escaped, key=len, reverse=True)) or "(?!)"


def _lines(table: str) -> list[str]:
    """The regular expressions of a table; a line that is indented further goes on the one before, without a space."""
    lines = [line for line in table.splitlines() if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    joined: list[str] = []
    for line in lines:
        if len(line) - len(line.lstrip()) > least and joined:
            joined[-1] += line.strip()
        else:
            joined.append(line.strip())
    return [f"(?:{line})" for line in joined]


_TABLES = {table.language: table for table in ENDINGS}
