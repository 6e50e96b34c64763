"""What an engine's conversation was fed already, and what is new in a prompt. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parlor_tui.engines.base import Message

ENDED_NOTE = '(Of your last reply only this was spoken: "{heard}".)'
CUT_NOTE = '(You were cut off: of your last reply the user heard only "{heard}".)'
UNHEARD_NOTE = "(You were cut off before the user heard anything of your last reply.)"
ANSWERED_NOTE = '(The user said "{said}". You answered "{heard}".)'
BROKEN_OFF_NOTE = '(The user said "{said}". You began to answer "{heard}" and were cut off.)'
NOT_BEGUN_NOTE = '(The user said "{said}". You were cut off before you answered.)'

MOST_RETOLD = 3
"""More replies than this are not told in words: the conversation is read anew instead."""


@dataclass(frozen=True, slots=True)
class Fed:
    """A message that a conversation has read, or written. `heard`: of a reply, what it takes to have been heard."""

    key: str
    role: str
    heard: str = ""

    @classmethod
    def of(cls, message: Message) -> Fed:
        """What `message` is once it was fed. One without a key is known by its words."""
        heard = message.text if message.role == "assistant" else ""
        return cls(message.key or f"{message.role}: {message.text}", message.role, heard)


@dataclass(frozen=True, slots=True)
class News:
    """What is new in a prompt for a conversation.

    `rest` is still to be fed, after `note` ("" for none), which tells what was not heard of the last reply. `known` is
    what the conversation has been told before `rest`, once it has read the note.
    """

    rest: tuple[Message, ...]
    note: str
    known: tuple[Fed, ...]

    @property
    def then_known(self) -> tuple[Fed, ...]:
        """What it has been told once all is fed."""
        return (*self.known, *(Fed.of(message) for message in self.rest))


def news(fed: Sequence[Fed], wanted: Sequence[Message]) -> News | None:
    """How a conversation that was fed `fed` can go on to `wanted`; None if it cannot.

    It can if all that it was fed is in `wanted`, in that order. Its last message may be a reply of which less was heard
    than it takes for heard: that is told in a note, for what was written cannot be taken back. Replies that it never
    wrote to their end (they were broken off) are told in a note as well, as long as they are few.
    """
    place = 0
    note = ""
    known: list[Fed] = []
    for index, entry in enumerate(fed):
        message = wanted[place] if place < len(wanted) else None
        last = index == len(fed) - 1
        if message is not None and Fed.of(message).key == entry.key:
            place += 1
            if message.cut and message.text.strip() != entry.heard.strip():
                if not last:
                    return None
                form = ENDED_NOTE if message.cut == "ended" else CUT_NOTE
                note = form.format(heard=message.text) if message.text else UNHEARD_NOTE
                known.append(replace(entry, heard=message.text))
            else:
                known.append(entry)
        elif last and entry.role == "assistant":  # it is not in the prompt at all
            note = UNHEARD_NOTE
        else:
            return None
    rest = tuple(wanted[place:])
    retold = sum(message.role == "assistant" for message in rest)
    if not rest or retold > MOST_RETOLD or any(message.role == "system" for message in rest):
        return None
    return News(rest, note, tuple(known))


def folded(rest: Sequence[Message], note: str) -> tuple[str, tuple[Message, ...]]:
    """`rest` as one message of the user's: the text that goes first, and the messages that go in as they are.

    What comes before a broken-off reply is history and is told in words; what follows the last of them is the turn. A
    picture of that history is shown again, unless the turn has a newer one: looking takes long.
    """
    lines = [note] if note else []
    earlier: list[Message] = []
    turn: list[Message] = []
    for message in rest:
        if message.role == "assistant":
            said = " ".join(m.text for m in turn if m.text)
            form = NOT_BEGUN_NOTE
            if message.text:
                form = BROKEN_OFF_NOTE if message.cut == "interrupted" else ANSWERED_NOTE
            lines.append(form.format(said=said, heard=message.text))
            earlier = [m for m in turn if m.image_jpeg is not None] or earlier
            turn = []
        else:
            turn.append(message)
    newer = any(message.image_jpeg is not None for message in turn)
    return "\n".join(lines), (*(() if newer else earlier), *turn)


def split_history(wanted: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """`wanted` as what was (up to the last reply, or the opening) and what is to be answered now."""
    end = max((index + 1 for index, message in enumerate(wanted) if message.role != "user"), default=0)
    return tuple(wanted[:end]), tuple(wanted[end:])
