"""How far a reply has been spoken, word by word. Pure: units, samples and the time played in, the heard words out."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

RATE_HZ = 24_000
"""Of `ReplyAudioArrived.samples`."""
WordEnds = tuple[tuple[int, float], ...]
"""For each word of a unit its end, in characters of the unit and in ms of the reply's sound."""


@dataclass(slots=True)
class Unit:
    """A unit that went to the voice: `samples` of its speech arrived so far, `ends` is empty until it is known."""

    text: str
    samples: int = 0
    ends: WordEnds = ()


@dataclass(slots=True)
class Spoken:
    """The units of one reply, in order."""

    units: list[Unit] = field(default_factory=list)

    @property
    def has_sound(self) -> bool:
        """Whether any of it can be heard."""
        return any(unit.samples for unit in self.units)

    def add_unit(self, text: str) -> None:
        """The next unit went to the voice; the sound that comes from now on is its."""
        self.units.append(Unit(text))

    def add_samples(self, count: int) -> None:
        """Sound of the newest unit arrived."""
        if self.units:
            self.units[-1].samples += count

    def add_words(self, text: str, ends: WordEnds) -> None:
        """It became known when the words of the unit `text` have been said."""
        for unit in self.units:
            if unit.text == text and not unit.ends:
                unit.ends = ends
                return

    def heard(self, played_ms: float) -> str:
        """What has been said after `played_ms` of sound, whole words only.

        A unit of which no ends of words are known counts as spoken evenly, one without sound with what comes before it.
        There, a character of a script without spaces is a word.
        """
        left = played_ms * RATE_HZ / 1000
        heard: list[str] = []
        for unit in self.units:
            if left < unit.samples:
                heard.append(unit.text[: _reach(unit, played_ms, left)].rstrip())
                break
            if not unit.samples and left <= 0:
                break
            heard.append(unit.text)
            left -= unit.samples
        return " ".join(heard)


def _reach(unit: Unit, played_ms: float, samples: float) -> int:
    """How many characters of `unit` have been said, `samples` into it."""
    if unit.ends:
        return max((place for place, end_ms in unit.ends if end_ms <= played_ms), default=0)
    return _whole_words(unit.text, int(len(unit.text) * samples / unit.samples))


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
