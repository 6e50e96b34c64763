"""A conversation as Markdown, as JSON, or as a page (`html`): to be read elsewhere, or played again."""

from __future__ import annotations

import base64
import binascii
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from parlor_tui.conversations.record import (
    Conversation,
    ConversationError,
    Mark,
    Turn,
    Who,
    day_and_time,
    head_line,
    mark_line,
    read,
    turn_line,
)
from parlor_tui.conversations.store import picture_name, sound_name
from parlor_tui.whole_file import whole_file

Form = Literal["md", "json", "html"]
FORMS: tuple[Form, ...] = ("md", "json", "html")
EXPORT_KEY = "parlor_conversation"
Sounds = Callable[[int, Who], bytes | None]
"""The WAV file of one side of a turn, by the turn's number; None if none was kept."""
LARGEST_FILE_BYTES = 64 * 1024 * 1024
"""Of one side of a turn: the longest reply there can be is 29 MB."""
_REDIRECTING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#&$])")
_LINE_START = re.compile(r"^(\s*)([-+=:]|\d{1,9}(?=[.)]))", re.MULTILINE)
_MARKED_NAMES = 3


def no_sounds(number: int, who: Who) -> None:
    """There are no sounds."""


def sounds_in(folder: Path) -> Sounds:
    """The sounds that are kept in a conversation's folder."""

    def sound(number: int, who: Who) -> bytes | None:
        return _content(folder / sound_name(number, who))

    return sound


def picture_in(folder: Path, number: int) -> bytes | None:
    """The picture that the model was shown in a turn, as JPEG; None if none was kept."""
    return _content(folder / picture_name(number))


def _content(file: Path) -> bytes | None:
    """What is in `file`; None if it cannot be read, or is larger than anything that is kept."""
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_FILE_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= LARGEST_FILE_BYTES else None


def plain(text: str) -> str:
    """`text` as it may stand on any page: no control characters, lone surrogates or direction overrides."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    return "".join(
        sign
        for sign in text
        if sign == "\n" or (unicodedata.category(sign) not in {"Cc", "Cs"} and sign not in _REDIRECTING)
    )


def told_of(mark: Mark) -> str:
    """Changed settings in a line."""
    named = [f"{name} {value}" for name, value in mark.values.items()]
    more = f" and {len(named) - _MARKED_NAMES} more" if len(named) > _MARKED_NAMES else ""
    return f"{', '.join(named[:_MARKED_NAMES])}{more} from here on"


def in_order(conversation: Conversation) -> Iterator[Turn | Mark]:
    """Turns, and the changes of settings between them."""
    marks = sorted(conversation.marks, key=lambda mark: mark.after)
    for turn in conversation.turns:
        while marks and marks[0].after < turn.number:
            yield marks.pop(0)
        yield turn
    yield from marks


def markdown(conversation: Conversation) -> str:
    """The conversation as Markdown: what was not heard of a reply is struck through."""
    about = " · ".join(filter(None, (day_and_time(conversation.began), conversation.profile, conversation.model)))
    lines = [f"# {_escaped(conversation.title or 'A conversation')}", "", _escaped(about), ""]
    for entry in in_order(conversation):
        if isinstance(entry, Mark):
            lines += [f"> {_escaped(told_of(entry))}", ""]
            continue
        if entry.said:
            lines += [f"**you** {entry.at[11:19]}".rstrip() + "  ", _escaped(entry.said), ""]
        if entry.reply:
            heard, unheard = entry.heard_reply, entry.unheard_reply
            struck = "\n".join(f"~~{line.strip()}~~" for line in _escaped(unheard).split("\n") if line.strip())
            lines += ["**parlor**  ", " ".join(filter(None, (_escaped(heard), struck))), ""]
    return "\n".join(lines).rstrip() + "\n"


def as_json(conversation: Conversation, sounds: Sounds) -> Iterator[str]:
    """The conversation as one JSON document, in pieces; sounds in base64. `from_json` reads it."""
    head = {
        EXPORT_KEY: 1,
        "name": conversation.name,
        "began": conversation.began,
        "profile": conversation.profile,
        "model": conversation.model,
        "marks": [asdict(mark) for mark in conversation.marks],
    }
    yield json.dumps(head)[:-1] + ', "turns": ['
    for index, turn in enumerate(conversation.turns):
        told: dict[str, Any] = asdict(turn)
        kept = {who: sound for who in ("user", "reply") if (sound := sounds(turn.number, _who(who))) is not None}
        told["wav_base64"] = {who: base64.b64encode(sound).decode("ascii") for who, sound in kept.items()}
        yield (", " if index else "") + json.dumps(told)
    yield "]}\n"


def from_json(name: str, text: str) -> tuple[Conversation, Sounds]:
    """What `as_json` wrote. Raises ConversationError for anything else; `name` is what that calls it."""
    try:
        told = json.loads(text)
        if told[EXPORT_KEY] != 1:
            raise ConversationError(f"{name}: exported by a later version: update parlor-tui")
        turns, marks = list(told["turns"]), list(told["marks"])
        head = [str(told[key]) for key in ("began", "profile", "model")]
        lines = [head_line(*head), *(mark_line(Mark(**mark)) for mark in marks)]
        for turn in turns:
            kept = {key: value for key, value in turn.items() if key not in ("number", "wav_base64")}
            lines.append(turn_line(turn["number"], **kept))
        conversation = read(str(told["name"]), b"".join(lines))
        wavs = {
            (turn["number"], who): base64.b64decode(content, validate=True)
            for turn in turns
            for who, content in (turn.get("wav_base64") or {}).items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
        raise ConversationError(f"{name}: no conversation that parlor-tui exported as JSON") from error
    return conversation, lambda number, who: wavs.get((number, who))


def write(out: Path, pieces: Iterable[str]) -> Path:
    """Write `out`, for the user alone, whole or not at all; where it is. Raises ConversationError."""
    try:
        with whole_file(out) as file:
            file.writelines(piece.encode("utf-8", errors="replace") for piece in pieces)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise ConversationError(f"{out}: cannot be written: {error.strerror}", missing=missing) from None
    return out.absolute()


def fresh_file(folder: Path, now: datetime, suffix: str) -> Path:
    """A file in `folder`, named after the time, that is not there yet."""
    for number in range(1, 10_000):
        more = "" if number == 1 else f"-{number}"
        out = folder / f"parlor-{now:%Y-%m-%d-%H%M%S}{more}.{suffix}"
        if not out.exists():
            return out
    raise ConversationError(f"{folder}: too many exports of this second")


def _who(who: str) -> Who:
    return "user" if who == "user" else "reply"


def _escaped(text: str) -> str:
    """`text` such that Markdown shows it as it is, with its line breaks."""
    text = _MARKDOWN.sub(r"\\\1", plain(text).strip("\n"))
    text = _LINE_START.sub(_escaped_start, text)
    lines = [line.strip() for line in text.split("\n")]
    return "\\\n".join(line or "&nbsp;" for line in lines) if any(lines) else ""


def _escaped_start(found: re.Match[str]) -> str:
    """The start of a line that would begin a list or a heading."""
    space, sign = found.groups()
    return f"{space}{sign}\\" if sign.isdigit() else f"{space}\\{sign}"
