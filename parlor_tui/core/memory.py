"""What was said in one conversation, and how much of it was heard. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from parlor_tui.core.digest import digest
from parlor_tui.engines.base import Message
from parlor_tui.events import Role
from parlor_tui.speech.word_times import words

_LONGEST_HISTORY = 400
_MOST_MEDIA_BYTES = 64 * 1024 * 1024
"""Of sound and pictures of one talk: a hundred of a camera's pictures, and more than any context takes."""
_FULL = 0.75
"""The talk rolls over when prompt and reply would fill this much of the context: engines have died before its end."""
_CARRIED = 0.35
"""So much of the context do the last turns take after that: reading them is quick, and the next roll-over far off."""
_DIGEST = 0.12
"""And so much what is told of the turns before them."""
_DIGEST_HEAD = "Earlier in this talk the user said:"

Tokens = Callable[[Message], int]


class Spoken(NamedTuple):
    """A unit of a reply, and its speech.

    `samples` is the length of that, with the silence behind it; 0 if nothing of the unit is said. `word_ends` tells for
    each of its words (see `speech.word_times`) after how many samples it has been said; empty if that is not known.
    """

    text: str
    samples: int
    word_ends: tuple[int, ...] = ()


@dataclass(slots=True)
class Item:
    """One message of the conversation.

    `audio_wav` is there until the message was answered, for engines that hear. `shown`: the model was shown the picture
    of this item. `spoken` holds the reply's units in order, and what is known of their speech.
    `heard_text` is None as long as nobody cut the reply off. `ended_early`: the reply was long enough before the model
    was done. `fed_tokens`: what the message takes in an engine that was fed its sound or picture.
    """

    item_id: str
    role: Role
    text: str = ""
    image_jpeg: bytes | None = None
    audio_wav: bytes | None = None
    shown: bool = False
    spoken: list[Spoken] = field(default_factory=list)
    heard_text: str | None = None
    ended_early: bool = False
    fed_tokens: int = 0
    rolled: bool = False
    """The talk rolled over since: the model is no longer told it word for word."""
    key: str = field(default_factory=lambda: secrets.token_hex(8))
    """What engines know it by. Ids are the clients' own: two talks may use the same."""

    @property
    def remembered(self) -> str:
        """The words that the model is told of this item."""
        return self.text if self.heard_text is None else self.heard_text

    @property
    def cut(self) -> Literal["", "interrupted", "ended"]:
        """Whether a reply was spoken only in part."""
        return "interrupted" if self.heard_text is not None else "ended" if self.ended_early else ""

    @property
    def counts(self) -> bool:
        """It is part of what the model is told word for word."""
        return not self.rolled and bool(self.remembered or self.audio_wav or self.shown or self.cut)

    def message(self) -> Message:
        """The item as an engine takes it."""
        picture = self.image_jpeg if self.shown else None
        return Message(self.role, self.remembered, self.audio_wav, picture, self.key, self.cut)


class RollsOver(Exception):  # noqa: N818 - nothing went wrong
    """The talk has to roll over, which a branch of it must not."""


class Memory:
    """The items of one conversation, oldest first, and the part of them that the model is still told word for word."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._gone: list[str] = []
        self._digest: list[str] = []
        self._is_branch = False
        self.roll_overs = 0

    def branch(self) -> Memory:
        """The same talk, to which items can be added without a trace in this one. It shares the items there are."""
        branch = Memory()
        branch._items, branch._gone, branch._digest = list(self._items), list(self._gone), list(self._digest)
        branch._is_branch = True
        return branch

    def told(self, before: str | None = None) -> tuple[object, ...]:
        """Which items before `before` the model is told, and what was heard of them: by it two talks are compared."""
        return tuple((item.key, item.heard_text, item.cut) for item in self.before(before) if item.counts)

    @property
    def items(self) -> Sequence[Item]:
        """All items, oldest first."""
        return self._items

    def add(self, item: Item, after: str | None = None) -> None:
        """Put `item` at the end, behind the item `after`, or, if that is "root", at the beginning.

        Raises KeyError if there is no item `after`.
        """
        place = len(self._items) if after is None else 0 if after == "root" else self._index(after) + 1
        self._items.insert(place, item)
        del self._items[: max(0, len(self._items) - _LONGEST_HISTORY)]
        self._forget_old_media()

    def get(self, item_id: str) -> Item:
        """The item `item_id`; KeyError if there is none."""
        return self._items[self._index(item_id)]

    def remove(self, item_id: str) -> None:
        """Forget an item; KeyError if there is none."""
        del self._items[self._index(item_id)]

    def before(self, item_id: str | None) -> list[Item]:
        """The items before `item_id`; all of them if it is None or unknown."""
        place = next((i for i, item in enumerate(self._items) if item.item_id == item_id), len(self._items))
        return self._items[:place]

    def last_id(self) -> str | None:
        """The newest item's id."""
        return self._items[-1].item_id if self._items else None

    def truncate(self, item_id: str, audio_end_ms: int, rate_hz: int) -> str:
        """Remember only what was heard of a reply: its first `audio_end_ms`. Returns that text.

        Raises KeyError if there is no such item, ValueError if it is not a reply.
        """
        item = self.get(item_id)
        if item.role != "assistant":
            raise ValueError("only a reply can be truncated")
        item.heard_text = heard_text(item.spoken, audio_end_ms * rate_hz // 1000)
        return item.heard_text

    def turn_words(self, reply_id: str) -> str:
        """What the user said in the turn that the reply `reply_id` answers."""
        said: list[str] = []
        for item in reversed(self.before(reply_id)):
            if item.role == "assistant":
                break
            said.insert(0, item.text)
        return " ".join(text for text in said if text)

    def answered(self, reply_id: str, tokens: Tokens) -> None:
        """The reply is over: the sound before it is done with, and of the pictures the newest is enough.

        What they took in the engine's context still counts.
        """
        before = self.before(reply_id)
        for item in before:
            if item.audio_wav is not None or (item.shown and item.image_jpeg is not None):
                item.fed_tokens = max(item.fed_tokens, tokens(item.message()))
            item.audio_wav = None
        for item in [item for item in before if item.image_jpeg is not None][:-1]:
            item.image_jpeg = None

    def forget_sounds(self) -> None:
        """The captions are what the model is told."""
        for item in self._items:
            item.audio_wav = None

    def prompt(
        self,
        opening: Sequence[Message],
        context_tokens: int,
        reply_tokens: int,
        tokens: Tokens,
        *,
        before: str | None = None,
        tight: bool = False,
    ) -> list[Message]:
        """What the model is told: `opening`, what is carried along of earlier turns, then the last items word for word,
        up to those `before` the item of that id. Raises RollsOver where a branch would have to.

        The talk rolls over when it would fill the context, or at once if `tight`: the last turns stay, the user's words
        of those before them are carried along in the system message as far as they fit. Between two roll-overs a prompt
        only grows at its end, so that an engine need not read it anew.
        """
        reply_tokens = min(reply_tokens, context_tokens // 2)
        most = int(context_tokens * _FULL)
        kept = [item for item in self.before(before) if item.counts]
        head = self._opening(opening)
        total = sum(map(tokens, head)) + sum(_cost(item, tokens) for item in kept) + reply_tokens
        if total > most or tight:
            if self._is_branch:
                raise RollsOver
            room = min(int(context_tokens * _CARRIED), most - reply_tokens - sum(map(tokens, opening)))
            kept = self._roll_over(kept, room // 2 if tight else room, int(context_tokens * _DIGEST), tokens)
            head = self._opening(opening)
        messages = [item.message() for item in kept]
        if messages:
            room = max(most - reply_tokens - sum(map(tokens, head)), context_tokens // 8)
            messages[-1] = _end_of(messages[-1], room, tokens)
        return [*head, *messages]

    def _roll_over(self, items: Sequence[Item], room: int, digest_room: int, tokens: Tokens) -> list[Item]:
        self.roll_overs += 1
        kept: list[Item] = []
        for item in reversed(items):
            item.fed_tokens = 0  # it will be read as words
            cost = tokens(item.message())
            if kept and cost > room:
                break
            room -= cost
            kept.insert(0, item)
        while len(kept) > 1 and kept[0].role == "assistant":
            kept.pop(0)
        gone = items[: len(items) - len(kept)]
        for item in gone:
            item.rolled = True
            item.image_jpeg = item.audio_wav = None
            if item.role == "user" and item.text:
                self._gone.append(item.text)
        del self._gone[1:-_LONGEST_HISTORY]
        self._digest = digest(self._gone, digest_room, lambda line: tokens(Message("user", line)))
        return kept

    def _opening(self, opening: Sequence[Message]) -> list[Message]:
        if not self._digest or not opening:
            return list(opening)
        told = "\n".join([opening[0].text, "", _DIGEST_HEAD, *(f"- {line}" for line in self._digest)])
        return [replace(opening[0], text=told), *opening[1:]]

    def _forget_old_media(self) -> None:
        """Somebody shows and says more than is ever answered: of the oldest, only words are kept."""
        total = 0
        for item in reversed(self._items):
            total += len(item.image_jpeg or b"") + len(item.audio_wav or b"")
            if total > _MOST_MEDIA_BYTES:
                item.image_jpeg = item.audio_wav = None

    def _index(self, item_id: str) -> int:
        for index, item in enumerate(self._items):
            if item.item_id == item_id:
                return index
        raise KeyError(item_id)


def _cost(item: Item, tokens: Tokens) -> int:
    return max(item.fed_tokens, tokens(item.message()))


def _end_of(message: Message, room_tokens: int, tokens: Tokens) -> Message:
    """`message` with as much of its end, where the question is, as fits."""
    text = message.text
    while text and tokens(replace(message, text=text)) > room_tokens:
        text = text[-(len(text) * 3 // 4) :] if len(text) > 3 else ""
    return message if len(text) == len(message.text) else replace(message, text=text)


def heard_text(spoken: Sequence[Spoken], played_samples: int) -> str:
    """The words of `spoken` that `played_samples` cover, whole words only.

    A unit of which no ends of words are known counts as spoken evenly, one without sound (nothing of it can be said, or
    replies are only shown) with what comes before it.
    """
    heard: list[str] = []
    for unit in spoken:
        if played_samples < unit.samples:
            heard += _first_words(unit, played_samples)
            break
        heard.append(unit.text)
        played_samples -= unit.samples
    return " ".join(heard)


def _first_words(unit: Spoken, played_samples: int) -> list[str]:
    places = words(unit.text)
    ends: Sequence[float] = unit.word_ends
    if len(ends) != len(places):
        ends = [last * unit.samples / len(unit.text) for _, last in places]
    count = sum(end <= played_samples for end in ends)
    return [unit.text[: places[count - 1][1]]] if count else []
