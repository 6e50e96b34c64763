"""The turns of a talk as figures: what a stage takes, how fast the model writes, how often no answer came. Pure."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parlor_tui.events import EagerCount, Event, TurnCommitted, TurnDone, TurnStatus
from parlor_tui.observe.stages import VOICE_TO_VOICE

KEPT_TURNS = 500
"""Older turns count in no figure."""
_OPEN_TURNS = 16
_ANSWERED: frozenset[TurnStatus] = frozenset({"completed", "interrupted"})
_ASKED: frozenset[TurnStatus] = _ANSWERED | {"failed"}
"""Turns that wanted an answer: one that was joined is answered with the next, one without words wants none."""


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which `share` (0..1) of `values` lie, interpolated linearly between neighbours.

    The n values in order lie at 0, 1/(n-1) .. 1; this is method 7 of Hyndman and Fan, numpy's default.
    Raises ValueError for no values, or a share outside 0..1.
    """
    ordered = sorted(values)
    if not ordered or not 0 <= share <= 1:
        raise ValueError(f"no quantile at {share} of {len(ordered)} values")
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return min(low + (high - low) * (at - below), high)


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn that is over. `at_s` is when the user was done; `stages_ms` in the order in which they happened.

    `said` and `reply` are the words of both.
    """

    turn: int
    at_s: float
    status: TurnStatus
    said: str
    reply: str
    stages_ms: Mapping[str, float]
    output_tokens: int = 0
    writing_ms: float = 0.0
    eager_ms: float = 0.0

    @property
    def total_ms(self) -> float | None:
        """From voice to voice; None for a turn that was not answered aloud."""
        return self.stages_ms.get(VOICE_TO_VOICE)

    @property
    def tokens_per_s(self) -> float | None:
        """How fast the reply was written after its first token; None where that was not measured."""
        if self.output_tokens < 2 or self.writing_ms <= 0:
            return None
        return (self.output_tokens - 1) * 1000 / self.writing_ms


@dataclass(frozen=True, slots=True)
class Figures:
    """What the kept turns took, in ms. `last` is None if the last answered turn had no such stage.

    `recent` are its values, oldest first.
    """

    last: float | None
    p50: float
    p95: float
    p99: float
    recent: tuple[float, ...]


@dataclass(slots=True)
class History:
    """The last turns. `apply` takes every event, in order; `eager` is the newest count of eager replies."""

    kept: int = KEPT_TURNS
    eager: EagerCount | None = None
    _turns: deque[PastTurn] = field(init=False)
    _asked_s: OrderedDict[int, float] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        """Begin without turns."""
        self._turns = deque(maxlen=self.kept)

    @property
    def turns(self) -> Sequence[PastTurn]:
        """Those that are kept, oldest first."""
        return self._turns

    def apply(self, event: Event) -> bool:
        """Take one event over; whether any figure changed."""
        match event:
            case TurnCommitted():
                self._asked_s[event.turn] = event.at_s
                while len(self._asked_s) > _OPEN_TURNS:
                    self._asked_s.popitem(last=False)
            case TurnDone():
                self._done(event)
                return True
            case EagerCount():
                self.eager = event
                return True
        return False

    def _done(self, event: TurnDone) -> None:
        self._turns.append(
            PastTurn(
                event.turn,
                self._asked_s.pop(event.turn, event.at_s),
                event.status,
                event.heard,
                event.reply,
                dict(event.stages_ms),
                event.output_tokens,
                event.writing_ms,
                event.eager_ms,
            )
        )

    @property
    def last(self) -> PastTurn | None:
        """The newest turn of which any stage happened and that was not joined with the next."""
        shown = (turn for turn in reversed(self._turns) if turn.stages_ms and turn.status != "joined")
        return next(shown, None)

    def figures(self, stage: str, newest: int = 0) -> Figures | None:
        """What `stage` (or `voice_to_voice`) took, with its `newest` values (0: all); None if it never happened.

        Joined turns do not count: their stages say nothing of a reply.
        """
        counted = [turn for turn in self._turns if turn.status != "joined"]
        values = [turn.stages_ms[stage] for turn in counted if stage in turn.stages_ms]
        if not values:
            return None
        last = self.last.stages_ms.get(stage) if self.last is not None else None
        p50, p95, p99 = (quantile(values, share) for share in (0.5, 0.95, 0.99))
        return Figures(last, p50, p95, p99, tuple(values[-newest:]))

    def tokens_per_s(self) -> Figures | None:
        """The same of the tokens a second that were written, in tokens a second."""
        values = [turn.tokens_per_s for turn in self._turns if turn.tokens_per_s is not None]
        if not values:
            return None
        last = self.last.tokens_per_s if self.last is not None else None
        return Figures(last, quantile(values, 0.5), quantile(values, 0.95), quantile(values, 0.99), tuple(values))

    def counts(self) -> Counter[TurnStatus]:
        """How many turns ended how."""
        return Counter(turn.status for turn in self._turns)

    def error_rate(self) -> float | None:
        """The share (0..1) of turns that should have been answered and were not; None before the first."""
        asked = sum(turn.status in _ASKED for turn in self._turns)
        return self.counts()["failed"] / asked if asked else None

    def turns_per_minute(self) -> float | None:
        """Answered turns a minute, from the first that is kept to the last; None before the second."""
        answered_s = [turn.at_s for turn in self._turns if turn.status in _ANSWERED]
        if len(answered_s) < 2 or answered_s[-1] <= answered_s[0]:
            return None
        return (len(answered_s) - 1) * 60 / (answered_s[-1] - answered_s[0])
