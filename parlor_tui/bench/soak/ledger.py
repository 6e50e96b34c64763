"""What became of everything that was said: each utterance and typed turn comes to an end, or is lost. Pure."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from parlor_tui.bench.soak.kinds import Kind
from parlor_tui.events import Event, Failed, Interrupted, SpeechStarted, SpeechStopped, TurnCommitted, TurnDone

Outcome = Literal["answered", "interrupted", "joined", "cut short", "unheard", "lost"]
"""`cut short`: a fault ended a reply that was heard in part. `unheard`: by a microphone that was not there, muted or
asleep meanwhile, which no program can help."""
OUTCOMES: tuple[Outcome, ...] = ("answered", "interrupted", "joined", "cut short", "unheard", "lost")

BEFORE_S, AFTER_S = 0.5, 1.0
"""Speech that begins so long before or after an utterance is that one."""
TO_A_TURN_S = 4.0
"""A turn comes of an utterance within this time after its end, or none does."""
_BY_KEY_S = 3.0
_TRAILS_S = 4.0
_KEPT_FAULTS = 64


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that was said and came to nothing. `fault`: those that happened meanwhile, with commas; "" for none."""

    said: str
    by: Literal["voice", "typed"]
    at_s: float
    why: str
    fault: str


@dataclass(slots=True)
class _Said:
    """Something that was said. `turns` are those that came of it."""

    by: Literal["voice", "typed"]
    text: str
    began_s: float
    ended_s: float
    turns: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Turn:
    """What is known of a turn. `why` is what was told when it failed."""

    status: str = ""
    reply: str = ""
    unasked: bool = False
    why: str = ""


@dataclass(slots=True)
class _Fault:
    """A fault from when to when it lasted."""

    kind: Kind
    from_s: float
    until_s: float = math.inf


class Ledger:
    """Takes what the user does, what happens, and the assistant's events, all in the order of their times.

    `counts` holds how often each outcome came about; `unsaid` the turns that nobody spoke.
    """

    def __init__(self) -> None:
        self.counts: Counter[Outcome] = Counter(dict.fromkeys(OUTCOMES, 0))
        self.losses: list[Loss] = []
        self.unsaid = 0
        self._open: list[_Said] = []
        self._turns: dict[int, _Turn] = {}
        self._faults: deque[_Fault] = deque(maxlen=_KEPT_FAULTS)
        self._pressed_s = -math.inf
        self._failed = ""

    # --- what is done ---------------------------------------------------------------------------------------------

    def said(self, by: Literal["voice", "typed"], text: str, began_s: float, ended_s: float) -> None:
        """The user says `text` from `began_s` on, until `ended_s`."""
        self._open.append(_Said(by, text, began_s, ended_s))

    def pressed(self, at_s: float) -> None:
        """The user presses the key that stops a reply."""
        self._pressed_s = at_s

    def fault_begins(self, kind: Kind, at_s: float) -> None:
        """A fault happens."""
        self._faults.append(_Fault(kind, at_s))

    def fault_ends(self, at_s: float) -> None:
        """The newest one is over."""
        if self._faults:
            self._faults[-1].until_s = at_s

    # --- what the assistant tells -----------------------------------------------------------------------------------

    def take(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case SpeechStarted():
                self._turns[event.turn] = _Turn()
                said = self._speaking(event.at_s, BEFORE_S, AFTER_S)
                if said is not None:
                    said.turns.append(event.turn)
            case SpeechStopped(dropped=True):
                self._turns.pop(event.turn, None)
                for one in self._open:
                    one.turns = [turn for turn in one.turns if turn != event.turn]
            case TurnCommitted(last_speech_at_s=None):
                self._turns[event.turn] = _Turn()
                typed = next((one for one in self._open if one.by == "typed" and not one.turns), None)
                if typed is not None:
                    typed.turns.append(event.turn)
            case TurnCommitted():
                self.unsaid += not any(event.turn in one.turns for one in self._open)
            case Interrupted():
                self._turn(event.turn).unasked = not self._is_asked(event)
            case Failed():
                self._failed = event.text
            case TurnDone():
                turn = self._turn(event.turn)
                turn.status, turn.reply = event.status, event.reply
                turn.why, self._failed = self._failed, ""
            case _:
                pass

    # --- what became of it ------------------------------------------------------------------------------------------

    def waits(self, at_s: float) -> bool:
        """Whether anything that was said has not come to its end yet."""
        return any(self._waits(one, at_s) for one in self._open)

    def close(self) -> list[Outcome]:
        """Nothing more will come of what was said so far: what did, in order."""
        outcomes = []
        for one in self._open:
            outcome, why = self._outcome(one)
            self.counts[outcome] += 1
            outcomes.append(outcome)
            if outcome == "lost":
                self.losses.append(Loss(one.text, one.by, one.began_s, why, ", ".join(self._meanwhile(one))))
        self._open.clear()
        for old in sorted(self._turns)[:-_KEPT_FAULTS]:
            del self._turns[old]
        return outcomes

    # --- inside -----------------------------------------------------------------------------------------------------

    def _turn(self, number: int) -> _Turn:
        return self._turns.setdefault(number, _Turn())

    def _speaking(self, at_s: float, before_s: float, after_s: float) -> _Said | None:
        """What is being said aloud at `at_s`, the newest of it."""
        spoken = (one for one in reversed(self._open) if one.by == "voice")
        return next((one for one in spoken if one.began_s - before_s <= at_s <= one.ended_s + after_s), None)

    def _is_asked(self, event: Interrupted) -> bool:
        match event.by:
            case "turn":
                return True
            case "key":
                muted = any(fault.kind.mute for fault in self._between(event.at_s, event.at_s))
                return muted or 0 <= event.at_s - self._pressed_s <= _BY_KEY_S
            case "voice":
                return self._speaking(event.at_s, BEFORE_S, _TRAILS_S) is not None

    def _waits(self, one: _Said, at_s: float) -> bool:
        if not one.turns:
            return one.by == "typed" or at_s < one.ended_s + TO_A_TURN_S
        return at_s < one.ended_s or any(not self._turn(turn).status for turn in one.turns)

    def _outcome(self, one: _Said) -> tuple[Outcome, str]:
        turns = [self._turn(number) for number in one.turns]
        deaf = one.by == "voice" and any(
            fault.kind.deaf for fault in self._between(one.began_s - BEFORE_S, one.ended_s + AFTER_S)
        )
        for turn in turns:
            if not turn.status:
                return "lost", "it never came to an end"
            if turn.status == "failed" and not turn.reply:
                return "lost", turn.why or "no answer"
            if turn.status == "interrupted" and turn.unasked:
                return "lost", "its reply was stopped, and nobody had asked for that"
        statuses = {turn.status for turn in turns}
        if "completed" in statuses:
            return "answered", ""
        if "failed" in statuses:
            return ("cut short", "") if self._meanwhile(one) else ("lost", "its reply broke off")
        if "interrupted" in statuses:
            return "interrupted", ""
        if "joined" in statuses:
            return ("joined", "") if self._answers(max(one.turns)) else ("lost", "it was joined with nothing")
        if deaf:
            return "unheard", ""
        return "lost", "no words were understood" if turns else "no turn came of it"

    def _answers(self, turn: int) -> bool:
        """Whether a turn after `turn` was answered, or at least begun to be."""
        later = (known.status for number, known in self._turns.items() if number > turn)
        return any(status in ("completed", "interrupted") for status in later)

    def _between(self, from_s: float, until_s: float) -> Sequence[_Fault]:
        return [fault for fault in self._faults if fault.from_s <= until_s and fault.until_s >= from_s]

    def _meanwhile(self, one: _Said) -> list[str]:
        return [fault.kind.name for fault in self._between(one.began_s - BEFORE_S, math.inf)]
