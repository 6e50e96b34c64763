"""The format of a kept conversation: lines of JSON, appended one after the other. Pure.

The first line is the head; every other one tells something of a turn (what is told later of the same turn is added to
what is known) or that settings were changed. A line that cannot be read is passed over: the last one is torn where the
program was killed while it wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from parlor_tui.events import EarlierTurn

VERSION = 1
LONGEST_TEXT_CHARS = 100_000
"""Of one text; what is longer is cut."""
MOST_TURNS = 1_000_000
_TITLE_CHARS = 70

By = Literal["voice", "typed"]
Who = Literal["user", "reply"]
Scalar = bool | int | float | str


class ConversationError(Exception):
    """A conversation that cannot be read, found or written. One line; `missing` as for every error of a command."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(" ".join(message.split()))
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `at` is its time of day and date, as ISO 8601 has it; `heard` is None unless the reply was cut off."""

    number: int
    at: str = ""
    by: By = "voice"
    said: str = ""
    reply: str = ""
    heard: str | None = None
    status: str = ""
    stages_ms: Mapping[str, float] = field(default_factory=dict)
    output_tokens: int = 0

    @property
    def heard_reply(self) -> str:
        """What the user heard of the reply, and the model is to remember."""
        if self.heard is not None:
            return self.heard
        return self.reply if self.status == "completed" else ""

    @property
    def unheard_reply(self) -> str:
        """The rest of a reply that was cut off."""
        count = len(self.heard_reply.split())  # what was heard is told word by word; between words it may differ
        rest = self.reply.split(maxsplit=count)
        return rest[count] if len(rest) > count else ""


@dataclass(frozen=True, slots=True)
class Mark:
    """Settings (`section.key`) that were changed after the turn `after`; 0 is before the first."""

    after: int
    at: str
    values: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as it was kept. `unread_lines`: so many lines of it could not be read."""

    name: str
    began: str = ""
    profile: str = ""
    model: str = ""
    turns: tuple[Turn, ...] = ()
    marks: tuple[Mark, ...] = ()
    unread_lines: int = 0

    @property
    def title(self) -> str:
        """The first words of the user's, in one line."""
        said = next((turn.said for turn in self.turns if turn.said.strip()), "")
        line = " ".join("".join(sign if sign.isprintable() else " " for sign in said).split())
        return line if len(line) <= _TITLE_CHARS else f"{line[: _TITLE_CHARS - 1]}…"


def head_line(began: str, profile: str, model: str) -> bytes:
    """The first line; again where a conversation is taken up once more, with the model of that time."""
    return _line({"parlor": VERSION, "began": began, "profile": profile, "model": model})


def turn_line(number: int, **told: Any) -> bytes:
    """A line that tells fields of `Turn` of the turn `number`."""
    return _line({"turn": number, **told})


def mark_line(mark: Mark) -> bytes:
    """A line that tells of changed settings."""
    return _line({"tuned": dict(mark.values), "after": mark.after, "at": mark.at})


def read(name: str, data: bytes) -> Conversation:
    """The conversation in `data`. Raises ConversationError if a later version wrote it.

    Turns of which nothing is known but that they were are left out.
    """
    found = Conversation(name)
    turns: dict[int, Turn] = {}
    marks: list[Mark] = []
    unread = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        told = _object(line)
        if told is None:
            unread += 1
        elif isinstance(version := told.get("parlor"), int):
            if version > VERSION:
                raise ConversationError(f"conversation {name}: kept by a later version: update parlor-tui")
            found = replace(
                found,
                began=found.began or _text(told.get("began")),
                profile=_text(told.get("profile")),
                model=_text(told.get("model")),
            )
        elif (number := _whole(told.get("turn"), MOST_TURNS)) is not None and number > 0:
            turns[number] = _with(turns.get(number, Turn(number)), told)
        elif (mark := _mark(told)) is not None:
            marks.append(mark)
        else:
            unread += 1
    known = sorted(turns.values(), key=lambda turn: turn.number)
    return replace(
        found,
        turns=tuple(turn for turn in known if turn.said or turn.reply or turn.status not in ("", "no_words")),
        marks=tuple(marks),
        unread_lines=unread,
    )


def day_and_time(at: str) -> str:
    """An ISO time as people read it."""
    return at[:16].replace("T", " ")


def earlier(conversation: Conversation, most_turns: int) -> tuple[EarlierTurn, ...]:
    """The last turns as the screen shows them above those that follow."""
    return tuple(
        EarlierTurn(turn.said, turn.heard_reply, turn.unheard_reply, day_and_time(turn.at))
        for turn in conversation.turns[-most_turns:]
        if turn.said or turn.reply
    )


def _line(told: Mapping[str, Any]) -> bytes:
    cut = {key: value[:LONGEST_TEXT_CHARS] if isinstance(value, str) else value for key, value in told.items()}
    try:
        return json.dumps(cut, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half a character
        return json.dumps(cut).encode() + b"\n"


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _with(turn: Turn, told: Mapping[str, Any]) -> Turn:
    """`turn` with what a line tells of it; what is not of the right kind tells nothing."""
    texts = ("at", "said", "reply", "heard", "status")
    known: dict[str, Any] = {name: _text(told[name]) for name in texts if isinstance(told.get(name), str)}
    if told.get("by") in ("voice", "typed"):
        known["by"] = told["by"]
    if isinstance(stages := told.get("stages_ms"), dict):
        known["stages_ms"] = {_text(name): float(ms) for name, ms in stages.items() if _is_time(ms)}
    if (tokens := _whole(told.get("output_tokens"), MOST_TURNS)) is not None:
        known["output_tokens"] = tokens
    return replace(turn, **known)


def _mark(told: Mapping[str, Any]) -> Mark | None:
    values, after = told.get("tuned"), _whole(told.get("after"), MOST_TURNS)
    if not isinstance(values, dict) or after is None:
        return None
    kept = {name: value for name, value in values.items() if isinstance(value, bool | int | float | str)}
    return Mark(after, _text(told.get("at")), kept)


def _text(value: Any) -> str:
    return value[:LONGEST_TEXT_CHARS] if isinstance(value, str) else ""


def _whole(value: Any, most: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else None


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12
