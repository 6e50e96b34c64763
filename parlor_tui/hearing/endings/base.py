"""How what people say goes on: the words after which more must follow, and those after which nothing need.

Words are in lower case, with their accents; apostrophes are straight. Commas and lines part the words of a table. In
`introductions`, `questions` and `done` a line is a regular expression of whole words instead, a line that is indented
further goes on the one before, without a space, and `{n}` is a number. In languages that put no spaces between words
all tables are words, and so many characters.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Endings:
    """The table of one language, read at the end of what was said; `clauses` and `questions` at the beginning.

    `open`: nobody stops after them: conjunctions, articles, determiners. `prepositions`: the same, but a question may
    end with one. `fillers`: the speaker thinks. `introductions`: what they introduce is still to come. `clauses`: how
    a clause begins that does not stand alone, and whose main clause follows a comma. `questions`: how a question begins
    that its word order shows. `done`: complete as they are. `numbers`: number words. `digits_after`: what is followed
    by a long number, said in pieces.
    """

    language: str
    open: str
    prepositions: str = ""
    fillers: str = ""
    introductions: str = ""
    clauses: str = ""
    questions: str = ""
    done: str = ""
    numbers: str = ""
    digits_after: str = ""
    spaced: bool = True
