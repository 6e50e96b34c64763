"""What `parlor-tui --plain` says of each event: whole lines in plain words, nothing that is taken back. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from parlor_tui.events import (
    AskedAgain,
    Caption,
    ConversationBegun,
    CoreFound,
    Event,
    Failed,
    HeardText,
    Interrupted,
    Loading,
    ModelComing,
    ModelOffered,
    ModelOver,
    Notice,
    Ready,
    ReplyText,
    State,
    StateChanged,
    TurnDone,
)
from parlor_tui.events.tuning import Tuned
from parlor_tui.speech.sentences import SentenceSplitter


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Event):
    """What is answered to a typed command."""

    lines: tuple[str, ...]


STEPS = 4
"""A download is told at its beginning and at each of so many parts."""
WORDS = {State.LISTENING: "listening: talk, or type", State.MUTED: "no microphone is open: type"}
"""Told once after each loading; what changes it later is told by what changes it."""
CUT_BY = {"voice": "by your voice", "key": "by you", "turn": "by your next turn"}


class PlainLines:
    """Takes every event in order (`of`) and gives the lines to print for it.

    A reply comes sentence by sentence as it is written. Of states only those are told that change what the user can
    do; a trouble is told when it begins, and when it is over.
    """

    def __init__(self) -> None:
        self._told: State | None = None
        self._demo = ""
        self._splitter = SentenceSplitter(first_clause=False)
        self._loading = ""
        self._part = -1
        self._troubles: dict[str, str] = {}

    def of(self, event: Event) -> list[str]:
        """The lines for `event`: none for most. Each is without line breaks and control characters."""
        return [line for line in map(_plain, self._lines(event)) if line]

    def _lines(self, event: Event) -> list[str]:
        match event:
            case Loading():
                return self._progress(event.text, event.done_bytes, event.total_bytes)
            case CoreFound():
                self._demo = "; demo-grade: expect short and often wrong answers" if event.demo_grade else ""
            case Ready():
                self._loading = ""
                return [f"ready: {event.profile}, {event.model}{self._demo}"]
            case StateChanged():
                return self._changed(event.state)
            case Caption(final=True):
                return [f"you: {event.text}" if event.text.strip() else "you: no words"]
            case ReplyText():
                return self._reply(event)
            case AskedAgain():
                self._splitter = SentenceSplitter(first_clause=False)
                return ["it is asked again"]
            case Interrupted():
                return [f"interrupted {CUT_BY[event.by]}"]
            case HeardText() if event.heard.strip():
                return [f"heard of the reply: {event.heard}"]
            case TurnDone():
                return self._done(event)
            case Tuned(changed=changed):
                return [f"{name} is {event.values[name]} now" for name in changed]
            case ConversationBegun():
                return [f"conversation {event.name} goes on" if event.name else "a new conversation"]
            case _:
                return self._around(event)
        return []

    def _around(self, event: Event) -> list[str]:
        """Troubles and the offer of a model."""
        match event:
            case Said(lines=lines):
                return list(lines)
            case Notice():
                return self._notice(event)
            case Failed():
                return [f"error: {event.text}"]
            case ModelOffered(declined=False):
                return [f"{event.model} can be got: {'; '.join(event.lines)}", "/get downloads it, /later does not"]
            case ModelComing():
                return self._progress(event.text, event.done_bytes, event.total_bytes, event.name)
            case ModelOver():
                self._loading = ""
                return [event.text]
        return []

    def _changed(self, state: State) -> list[str]:
        if state is State.LOADING:
            self._told = None
        if self._told is not None or state not in WORDS:
            return []
        self._told = state
        return [WORDS[state]]

    def _reply(self, event: ReplyText) -> list[str]:
        sentences = self._splitter.feed(event.delta)
        if event.final:
            sentences += self._splitter.finish()
            self._splitter = SentenceSplitter(first_clause=False)
        return [f"parlor: {sentence}" for sentence in sentences]

    def _done(self, event: TurnDone) -> list[str]:
        self._splitter = SentenceSplitter(first_clause=False)  # what a reply that was cut off had begun was not heard
        match event.status:
            case "failed":
                return ["the turn failed"]
            case "joined":
                return ["you went on: both are answered together"]
        return []

    def _notice(self, event: Notice) -> list[str]:
        over = self._troubles.pop(event.key, "") if event.key else ""
        if not event.text:
            return [f"over: {over}"] if over else []
        if event.key:
            self._troubles[event.key] = event.text
        return [] if over == event.text else [f"{'note' if event.severity == 'info' else event.severity}: {event.text}"]

    def _progress(self, text: str, done: int, total: int, about: str = "") -> list[str]:
        """A step when it begins, and at each part of it; a text that only counts is not told again and again."""
        about = about or text
        part = min(max(done, 0) * STEPS // total, STEPS) if total > 0 else 0
        if (about, part) == (self._loading, self._part) or (about == self._loading and part < self._part):
            return []
        self._loading, self._part = about, part
        return [f"{text}, {part * 100 // STEPS} %" if total > 0 else text]


def _plain(line: str) -> str:
    """`line` as a terminal may have it: one line, without what would move its cursor or turn its writing round."""
    kept = (sign if unicodedata.category(sign)[0] not in "CZ" or sign in _JOINERS else " " for sign in line)
    return " ".join("".join(kept).split())


_JOINERS = "\u200c\u200d"
"""Characters of their class that belong to words: of Persian and Indic scripts, and in emoji."""
