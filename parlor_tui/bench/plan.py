"""Which scenarios are run, with what and how often."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from parlor_tui.bench.lines import Line, lines, pauses, words
from parlor_tui.bench.names import SCENARIOS
from parlor_tui.bench.sound import Echo

ECHOES = (Echo(60, -6), Echo(20, -12), Echo(200, -20), Echo(400, -30))
"""From a loudspeaker beside a microphone to one across a room with a slow sound system."""
OVER_ECHO = Echo(60, -12)
"""Somebody speaks over a reply that leaks in about as loud as the voice itself, from the middle of the room."""
NOISE_DBFS = -44.0
"""20 dB below the voice."""
ALONE_S = 600.0
"""A whole run goes on until replies have sounded under echo for so long."""
PAUSES = 20
"""One of so many is 5 %, the most that may be cut."""

_TURNS: Mapping[str, int] = {
    "talk": 8,
    "talk_noise": 4,
    "barge_in": 6,
    "barge_in_echo": 4,
    "false_barge_in": 6,
    "short_words": 10,
    "short_words_over": 10,
    "pauses": PAUSES,
    "clipping": 6,
    "echo_alone": 200,
    "eager": 6,
}
_QUICK: Mapping[str, int] = {"talk": 2, "barge_in": 1, "short_words": 1, "pauses": 1}
"""All of it in less than a minute."""
_QUICK_REPLIES = 8
"""Of `echo_alone`, where it is asked for by name with `--quick`."""


@dataclass(frozen=True, slots=True)
class Part:
    """One scenario: its utterances in the order in which they are said.

    For `echo_alone` there are none: `count` is how many replies there are at most, `sounding_s` (infinite if only the
    count matters) for how long they sound in all.
    """

    scenario: str
    said: tuple[Line, ...]
    count: int
    sounding_s: float = math.inf

    @property
    def told(self) -> str:
        """How much there is to do."""
        if math.isfinite(self.sounding_s):
            return f"{self.sounding_s:.0f} s of replies"
        return f"{self.count} to do"


def plan(only: Sequence[str], turns: int | None, *, quick: bool) -> tuple[Part, ...]:
    """The parts of a run of `only` these scenarios (none: all of them, but `eager`, which the others show too).

    `turns` is how often each is tried; None: its own number.
    """
    usual = _QUICK if quick else _TURNS
    wanted = [name for name in SCENARIOS if (name in only if only else name in usual and name != "eager")]
    counts = {**_TURNS, "echo_alone": _QUICK_REPLIES, **_QUICK} if quick else _TURNS
    parts = []
    for name in wanted:
        count = turns or counts[name]
        whole = name == "echo_alone" and turns is None and not quick
        parts.append(Part(name, _said(name, count), count, ALONE_S if whole else math.inf))
    return tuple(parts)


def _said(scenario: str, count: int) -> tuple[Line, ...]:
    questions, longer = lines("question"), lines("long_question")
    match scenario:
        case "talk":
            mixed: Sequence[Line] = _mixed(questions, questions[5:], longer)
        case "talk_noise":
            mixed = questions[6:] + questions[:6]
        case "barge_in" | "barge_in_echo":
            mixed = questions[3:] + questions[:3]
        case "false_barge_in":
            mixed = _mixed(lines("mhm"), lines("cough"), lines("click"))
        case "short_words" | "short_words_over":
            mixed = words() if scenario == "short_words" else words()[7:] + words()[:7]
        case "pauses":
            mixed = pauses()
        case "clipping":
            mixed = lines("soft")
        case "eager":
            mixed = _mixed(questions, lines("pause"))
        case _:
            return ()
    return tuple(mixed[number % len(mixed)] for number in range(count))


def _mixed(*kinds: Sequence[Line]) -> list[Line]:
    """One of each in turn; each line once."""
    found = [line for line in chain.from_iterable(zip_longest(*kinds)) if line is not None]
    return list(dict.fromkeys(found))
