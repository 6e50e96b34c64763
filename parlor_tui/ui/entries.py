"""What a transcript is made of: turns, and lines between them. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from parlor_tui.events import EarlierTurn, PauseJudged, Severity, TurnStatus
from parlor_tui.ui.spoken import Spoken
from parlor_tui.ui.text import clean


@dataclass(slots=True)
class TurnEntry:
    """One turn as it stands. `turn` is None while a typed turn has not been taken up by the assistant.

    `heard` is what was heard of a reply that was cut off; None until that is known, or if it was not. `sounded` is what
    was heard so far of one that is spoken. `follows_joined`: the turn before it is answered together with it.
    `earlier`: it is of a conversation that is taken up again; such turns have numbers below 0, and `stamp` is the time.
    `early`: it was typed before there was a core to answer. `shown_s`: when the model had looked at a picture in it;
    `unseen`: one went along, and the model did not look at it anew. `cut_s`: when its reply was cut off.
    """

    number: int
    at_s: float
    turn: int | None
    typed: bool = False
    caption: str = ""
    settled: bool = False
    shown: bool = False
    committed: bool = False
    refused: bool = False
    reply: str = ""
    reply_final: bool = False
    spoken: Spoken = field(default_factory=Spoken)
    sounded: str = ""
    heard: str | None = None
    cut_by: Literal["voice", "key", "turn"] | None = None
    played_ms: float = 0.0
    status: TurnStatus | None = None
    follows_joined: bool = False
    pause: PauseJudged | None = None
    ended: str = ""
    voice_to_voice_ms: float | None = None
    output_tokens: int = 0
    earlier: bool = False
    stamp: str = ""
    early: bool = False
    shown_s: float | None = None
    unseen: bool = False
    cut_s: float | None = None

    @property
    def waits(self) -> bool:
        """Whether it was typed before there was a core, and nothing came of it yet."""
        return self.early and not self.reply and self.status is None and not self.refused


@dataclass(slots=True)
class LineEntry:
    """One line between turns: a notice or an error, where it happened. `rule`: another conversation begins here.

    `lasts`: it tells of a trouble that a banner tells of, too, as long as it lasts.
    """

    number: int
    at_s: float
    text: str
    severity: Severity
    rule: bool = False
    lasts: bool = False


Entry = TurnEntry | LineEntry


@dataclass(slots=True)
class Changes:
    """What to draw anew: entries `added` at the end, in order; numbers of entries `changed` and `removed`."""

    added: list[Entry] = field(default_factory=list)
    changed: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)

    def __bool__(self) -> bool:
        """Whether there is anything to draw."""
        return bool(self.added or self.changed or self.removed)


def earlier_entry(told: EarlierTurn, number: int, at_s: float) -> TurnEntry:
    """The entry of a turn from before."""
    heard = clean(told.heard)
    return TurnEntry(
        number,
        at_s,
        turn=-number,
        caption=clean(told.said),
        settled=True,
        committed=True,
        reply=" ".join(filter(None, (heard, clean(told.unheard)))),
        reply_final=True,
        heard=heard if told.unheard else None,
        status="completed",
        earlier=True,
        stamp=told.when[-5:],
    )
