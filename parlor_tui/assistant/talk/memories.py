"""What the terminal must know to bring a conversation back when its core died. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from parlor_tui.devices.base import MIC_RATE_HZ
from parlor_tui.hearing.turn import LONGEST_TURN_S
from parlor_tui.link.client_events import (
    AppendAudio,
    ClientEvent,
    CommitAudio,
    CreateItem,
    CreateResponse,
)

_KEPT_ITEMS = 200
MOST_LOSSES = 3
"""After so many dead cores a turn is the likely reason, and is asked no more."""
_LONGEST_UTTERANCE_BYTES = LONGEST_TURN_S * 2 * MIC_RATE_HZ


@dataclass(slots=True)
class OpenTurn:
    """A turn that has no answer yet. `pcm16` of a spoken one is at 16 kHz; `committed` once the user was done.

    `losses`: how many cores died over it.
    """

    turn: int
    text: str = ""
    image: bytes | None = None
    pcm16: bytearray = field(default_factory=bytearray)
    committed: bool = False
    losses: int = 0


class Memories:
    """The words of the conversation so far, and the turns without an answer yet."""

    def __init__(self) -> None:
        self._items: deque[CreateItem] = deque(maxlen=_KEPT_ITEMS)
        self._open: dict[int, OpenTurn] = {}

    def open(self, turn: int) -> OpenTurn:
        """The turn, which has no answer yet."""
        return self._open.setdefault(turn, OpenTurn(turn))

    def add_sound(self, turn: int, pcm16: bytes) -> None:
        """More of a spoken turn."""
        sound = self.open(turn).pcm16
        if len(sound) < _LONGEST_UTTERANCE_BYTES:
            sound += pcm16

    def sound(self, turn: int) -> list[AppendAudio]:
        """What was said so far in the turn, as it is told a core."""
        return _pieces(self.open(turn).pcm16)

    def close(self, turn: int, said: str = "", heard: str = "") -> None:
        """The turn is over: the user said `said` and heard `heard`. Without words it leaves nothing behind."""
        self._open.pop(turn, None)
        if said:
            self._items.append(CreateItem("user", said))
        if heard:
            self._items.append(CreateItem("assistant", heard))

    def heard_of_last(self, turn: int, heard: str) -> None:
        """Of the reply of `turn`, which was cut off, the user heard `heard`."""
        if heard and turn not in self._open:
            self._items.append(CreateItem("assistant", heard))

    def waiting_turns(self) -> list[OpenTurn]:
        """The turns that the user ended and that have no answer yet, oldest first."""
        return [turn for turn in self._open.values() if turn.committed]

    def core_lost(self) -> list[int]:
        """The core is gone; the turns over which so many died that they are asked no more. Nothing is left of them."""
        hopeless: list[int] = []
        for turn in self.waiting_turns():
            turn.losses += 1
            if turn.losses >= MOST_LOSSES:
                hopeless.append(turn.turn)
                del self._open[turn.turn]
        return hopeless

    def restoring(self) -> list[ClientEvent]:
        """Everything that a new core must be told, in order."""
        events: list[ClientEvent] = list(self._items)
        waiting = self.waiting_turns()
        for turn in waiting:
            if turn.image is not None:
                events.append(CreateItem("user", image=turn.image, frame=True))
            if turn.pcm16:
                events += [*_pieces(turn.pcm16), CommitAudio()]
            elif turn.text:
                events.append(CreateItem("user", turn.text))
        if waiting:
            events.append(CreateResponse(waiting[-1].turn))
        for turn in self._open.values():
            if not turn.committed:
                events += _pieces(turn.pcm16)
        return events


def _pieces(pcm16: bytearray) -> list[AppendAudio]:
    size = 64 * 1024
    return [AppendAudio(bytes(pcm16[start : start + size])) for start in range(0, len(pcm16), size)]
