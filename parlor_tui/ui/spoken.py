"""How far a reply has been spoken, word by word. Pure: units, samples and the time played in, the heard words out."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

RATE_HZ = 24_000
"""Of `ReplyAudioArrived.samples`."""


@dataclass(slots=True)
class Spoken:
    """The units of one reply that went to the voice, each with the samples of its speech that arrived so far."""

    units: list[str] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)

    def add_unit(self, text: str) -> None:
        """The next unit went to the voice; the sound that comes from now on is its."""
        self.units.append(text)
        self.samples.append(0)

    def add_samples(self, count: int) -> None:
        """Sound of the newest unit arrived."""
        if self.samples:
            self.samples[-1] += count

    def heard(self, played_ms: float) -> str:
        """What was said after `played_ms` of sound: whole words, a unit taken as spoken evenly.

        A unit without sound counts with what comes before it. A character of a script without spaces is a word.
        """
        left = played_ms * RATE_HZ / 1000
        heard: list[str] = []
        for text, samples in zip(self.units, self.samples, strict=True):
            if left < samples:
                heard.append(text[: _whole_words(text, int(len(text) * left / samples))])
                break
            if not samples and left <= 0:
                break
            heard.append(text)
            left -= samples
        return " ".join(heard)


def split_heard(reply: str, heard: str) -> tuple[str, str]:
    """`reply` cut where `heard` ends; white space need not agree. Both parts together are `reply`."""
    at, wanted = 0, [c for c in heard if not c.isspace()]
    for c in wanted:
        here = at
        while here < len(reply) and reply[here].isspace():
            here += 1
        if here >= len(reply) or reply[here] != c:
            break
        at = here + 1
    if at:
        while at < len(reply) and reply[at].isspace():
            at += 1
    return reply[:at], reply[at:]


def _whole_words(text: str, reach: int) -> int:
    """The last end of a word within the first `reach` characters of `text`."""
    while reach > 0 and reach < len(text) and not _between(text[reach - 1], text[reach]):
        reach -= 1
    return reach


def _between(before: str, after: str) -> bool:
    return before.isspace() or after.isspace() or unicodedata.east_asian_width(after) in "WF"
