"""What was said in one conversation, and how much of it was heard. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from parlor_tui.engines.base import Message
from parlor_tui.events import Role

_CHARS_PER_TOKEN = 3
"""Fewer than English really has (about 4), so that the estimate errs towards a prompt that fits."""
_OVERHEAD_CHARS = 24
"""What the chat template adds to a message, about eight tokens."""
_CUT = " —"
"""Ends a reply that was cut off, in what the model is told of it."""
_LONGEST_HISTORY = 400


@dataclass(slots=True)
class Item:
    """One message of the conversation.

    `spoken` holds the reply's units in order, each with the number of samples its speech has.
    `heard_text` is None as long as nobody cut the reply off.
    """

    item_id: str
    role: Role
    text: str = ""
    image_jpeg: bytes | None = None
    spoken: list[tuple[str, int]] = field(default_factory=list)
    heard_text: str | None = None

    @property
    def remembered(self) -> str:
        """What the model is told of this item."""
        if self.heard_text is None:
            return self.text
        return self.heard_text + _CUT if self.heard_text else ""


class Memory:
    """The items of one conversation, oldest first."""

    def __init__(self) -> None:
        self._items: list[Item] = []

    @property
    def items(self) -> Sequence[Item]:
        """All items, oldest first."""
        return self._items

    def add(self, item: Item, after: str | None = None) -> None:
        """Put `item` at the end, or behind the item `after`.

        Raises KeyError if there is no item `after`.
        """
        place = len(self._items) if after is None else self._index(after) + 1
        self._items.insert(place, item)
        del self._items[: max(0, len(self._items) - _LONGEST_HISTORY)]

    def get(self, item_id: str) -> Item:
        """The item `item_id`; KeyError if there is none."""
        return self._items[self._index(item_id)]

    def remove(self, item_id: str) -> None:
        """Forget an item; KeyError if there is none."""
        del self._items[self._index(item_id)]

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

    def messages(self, opening: Sequence[Message], context_tokens: int, reply_tokens: int) -> list[Message]:
        """The prompt: `opening`, then as many of the last items as fit beside a reply of `reply_tokens`.

        Neighbours of the same role become one message, as chat templates want it.
        """
        reply_tokens = min(reply_tokens, context_tokens // 2)
        room = (context_tokens - reply_tokens) * _CHARS_PER_TOKEN - sum(len(m.text) for m in opening)
        kept: list[tuple[Item, str]] = []
        for item in reversed(self._items):
            if not item.remembered:
                continue
            room -= _OVERHEAD_CHARS
            if len(item.remembered) > room:
                if not kept:  # the newest one is answered in any case: its end, where the question is
                    kept.append((item, item.remembered[-max(1, room) :]))
                break
            room -= len(item.remembered)
            kept.append((item, item.remembered))
        kept.reverse()
        while kept and kept[0][0].role == "assistant":
            kept.pop(0)
        messages: list[Message] = []
        for item, text in kept:
            if messages and messages[-1].role == item.role:
                before = messages.pop()
                image = item.image_jpeg or before.image_jpeg
                messages.append(Message(item.role, f"{before.text} {text}", image_jpeg=image))
            else:
                messages.append(Message(item.role, text, image_jpeg=item.image_jpeg))
        return [*opening, *messages]

    def _index(self, item_id: str) -> int:
        for index, item in enumerate(self._items):
            if item.item_id == item_id:
                return index
        raise KeyError(item_id)


def heard_text(spoken: Sequence[tuple[str, int]], played_samples: int) -> str:
    """The words of `spoken` that `played_samples` cover, taking each unit as spoken evenly; whole words only.

    A unit without sound (nothing of it can be said, or replies are only shown) counts with what comes before it.
    """
    heard: list[str] = []
    for text, samples in spoken:
        if played_samples < samples:
            heard += _first_words(text, len(text) * played_samples / samples)
            break
        heard.append(text)
        played_samples -= samples
    return " ".join(heard)


def _first_words(text: str, reach_chars: float) -> list[str]:
    words: list[str] = []
    length = 0
    for word in text.split():
        length += len(word)
        if length > reach_chars:
            break
        words.append(word)
        length += 1
    return words
