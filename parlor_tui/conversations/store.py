"""The folder in which conversations are kept: one folder for each, found, read and deleted.

A folder holds `talk.jsonl`, and with sound `0001-user.wav`, `0001-reply.wav` and `0001-shown.jpg` for each turn.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from parlor_tui.conversations.record import Conversation, ConversationError, Who, read

TALK = "talk.jsonl"
LAST = "last"
"""Stands for the newest conversation."""
LARGEST_TALK_BYTES = 64 * 1024 * 1024
_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-\d{6}(-\d{1,4})?")
_SOUND = re.compile(r"\d{4,7}-(user|reply)\.wav")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list shows of a conversation. `words` is all that was said in it, for the search."""

    name: str
    day: str
    time: str
    turns: int
    title: str
    has_sound: bool
    words: str = ""

    def matches(self, wanted: str) -> bool:
        """Whether every word of `wanted` was said in it, or is part of its date or time; case does not matter."""
        known = f"{self.words} {self.day} {self.time} {self.name}"
        return all(word in known for word in wanted.casefold().split())


class Store:
    """The conversations in `folder`, which need not be there. Every method may take as long as the disk does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """The names of all, newest first. Raises ConversationError."""
        try:
            found = [entry.name for entry in os.scandir(self.folder) if _NAME.fullmatch(entry.name)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ConversationError(f"{self.folder}: cannot be read: {error.strerror}") from None
        return sorted((name for name in found if (self.folder / name / TALK).is_file()), key=_order, reverse=True)

    def find(self, text: str) -> str:
        """The name of the one that `text` means: a name, the only one that begins so, or `last`.

        Raises ConversationError if there is none, or several.
        """
        names = self.names()
        if text in names:
            return text
        found = names[:1] if text == LAST else [name for name in names if text and name.startswith(text)]
        if not found:
            raise ConversationError(f"{text}: there is no such conversation in {self.folder}", missing=True)
        if len(found) > 1:
            raise ConversationError(f"{text}: {len(found)} conversations begin so: {', '.join(found[:3])}, ...")
        return found[0]

    def load(self, name: str) -> Conversation:
        """The conversation `name`. Raises ConversationError."""
        return load_folder(self.folder / _checked(name))

    def summaries(self) -> list[Summary]:
        """All conversations, newest first; one that cannot be read says so in its title. Raises ConversationError."""
        return [self._summary(name) for name in self.names()]

    def delete(self, name: str) -> None:
        """Delete a conversation and its sound. Raises ConversationError.

        It is out of the way at once, also for a program that still adds to it.
        """
        folder = self.folder / _checked(name)
        gone = folder.with_name(f".deleted-{name}-{os.getpid()}")
        try:
            folder.rename(gone)
            shutil.rmtree(gone)
        except FileNotFoundError:
            raise ConversationError(f"{name}: there is no such conversation in {self.folder}", missing=True) from None
        except OSError as error:
            raise ConversationError(
                f"{gone if gone.exists() else folder}: cannot be deleted: {error.strerror}"
            ) from None

    def fresh_name(self, now: datetime, taken: Container[str] = ()) -> str:
        """A name for a conversation that begins `now`, which no other has; those of `taken` are yet to be made."""
        base = f"{now:%Y-%m-%d-%H%M%S}"
        names = (_numbered(base, number) for number in range(1, 10_000))
        return next((name for name in names if name not in taken and not (self.folder / name).exists()), base)

    def _summary(self, name: str) -> Summary:
        day, time = name[:10], f"{name[11:13]}:{name[13:15]}"
        try:
            talk = self.load(name)
        except ConversationError as error:
            return Summary(name, day, time, 0, f"({error})", has_sound=False)
        words = "\n".join(text for turn in talk.turns for text in (turn.said, turn.reply)).casefold()
        title = talk.title or "(no words)"
        return Summary(name, day, time, len(talk.turns), title, has_sound=has_sound(self.folder / name), words=words)


def load_folder(folder: Path) -> Conversation:
    """The conversation that is kept in `folder`. Raises ConversationError."""
    try:
        with (folder / TALK).open("rb") as file:
            return read(folder.name, file.read(LARGEST_TALK_BYTES))
    except FileNotFoundError:
        raise ConversationError(
            f"{folder.name}: there is no such conversation in {folder.parent}", missing=True
        ) from None
    except OSError as error:
        raise ConversationError(f"{folder / TALK}: cannot be read: {error.strerror}") from None


def sound_name(number: int, who: Who) -> str:
    """The name of the sound file of one side of a turn."""
    return f"{number:04d}-{who}.wav"


def picture_name(number: int) -> str:
    """The name of the picture that the model was shown in a turn."""
    return f"{number:04d}-shown.jpg"


def has_sound(folder: Path) -> bool:
    """Whether any sound is kept in a conversation's folder."""
    return sound_bytes(folder) > 0


def sound_bytes(folder: Path) -> int:
    """How much sound is kept in a conversation's folder."""
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder) if _SOUND.fullmatch(entry.name))
    except OSError:
        return 0


def found(summaries: Sequence[Summary], wanted: str) -> list[Summary]:
    """Those of `summaries` that match; all of them if nothing is wanted."""
    return [one for one in summaries if one.matches(wanted)]


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ConversationError(f"{name}: that is no name of a conversation", missing=True)
    return name


def _numbered(base: str, number: int) -> str:
    return base if number == 1 else f"{base}-{number}"


def _order(name: str) -> tuple[str, int]:
    return name[:17], int(name[18:] or 1)
