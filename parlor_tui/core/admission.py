"""Who may have a reply made now, who waits for a place, and who is refused.

`Line` decides, and is pure; `Admission` lets those wait in the event loop who have to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from parlor_tui.counts import Count, count

MOST_WAITING = 16
MOST_OF_ONE = 2
"""So many of one client wait at most: nobody fills the line alone."""
WAIT_S = 10.0


class Busy(Exception):  # noqa: N818 - an answer to a client, not a fault
    """As many replies are being made, or waited for, as are allowed. The message is one line."""


@dataclass(slots=True, eq=False)
class Ticket:
    """One request for a place. `served_round` is what the waiting are ordered by, `number` decides between equals."""

    client: Hashable
    served_round: int
    number: int


class Line:
    """The places, and the line before them: clients take turns, however much each of them asks for.

    Start-time fair queueing: a client's next request counts as one round later than its one before, and as no earlier
    than whoever was let in last, so that one that was away has nothing saved up.
    """

    def __init__(self, places: int, most_waiting: int = MOST_WAITING, most_of_one: int = MOST_OF_ONE) -> None:
        self.places = places
        self._most_waiting = most_waiting
        self._most_of_one = most_of_one
        self._waiting: list[Ticket] = []
        self._inside: set[Ticket] = set()
        self._round = 0
        self._numbers = 0

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @property
    def inside(self) -> int:
        """How many places are taken."""
        return len(self._inside)

    @property
    def has_place(self) -> bool:
        """Whether who asks now has a place at once."""
        return len(self._inside) < self.places and not self._waiting

    def ask(self, client: Hashable) -> Ticket:
        """Stand in line. Raises Busy where the line is full, or full of this client."""
        if not self.has_place:
            own = sum(ticket.client == client for ticket in self._waiting)
            if own >= self._most_of_one or len(self._waiting) >= self._most_waiting:
                raise Busy(
                    f"{len(self._inside)} replies are being made and {len(self._waiting)} are waited for already; "
                    "try again in a moment"
                )
        latest = max((t.served_round for t in (*self._waiting, *self._inside) if t.client == client), default=0)
        self._numbers += 1
        ticket = Ticket(client, max(self._round, latest + 1), self._numbers)
        self._waiting.append(ticket)
        return ticket

    def let_in(self) -> list[Ticket]:
        """Those who have a place from now on, and had none before."""
        entered: list[Ticket] = []
        while self._waiting and len(self._inside) < self.places:
            first = min(self._waiting, key=lambda ticket: (ticket.served_round, ticket.number))
            self._waiting.remove(first)
            self._inside.add(first)
            self._round = max(self._round, first.served_round)
            entered.append(first)
        return entered

    def leave(self, ticket: Ticket) -> None:
        """Give the place back, or wait no more; again does no harm."""
        self._inside.discard(ticket)
        if ticket in self._waiting:
            self._waiting.remove(ticket)


class Admission:
    """The line of one core. To be used from one event loop."""

    def __init__(self, places: int, *, wait_s: float = WAIT_S) -> None:
        self._line = Line(places)
        self._wait_s = wait_s
        self._answers: dict[Ticket, asyncio.Future[bool]] = {}

    @property
    def has_place(self) -> bool:
        """Whether a reply could be begun at once."""
        return self._line.has_place

    @property
    def inside(self) -> int:
        """How many replies are being made."""
        return self._line.inside

    @property
    def waiting(self) -> int:
        """How many wait for a place."""
        return self._line.waiting

    def ask(self, client: Hashable) -> Place:
        """Stand in line for a place, as a context that gives it back. Raises Busy."""
        try:
            ticket = self._line.ask(client)
        except Busy:
            self.turn_away()
            raise
        self._answers[ticket] = asyncio.get_running_loop().create_future()
        self._let_in()
        return Place(self, ticket, self._answers[ticket], self._wait_s)

    def leave(self, ticket: Ticket) -> None:
        """Give the place back, or wait no more."""
        answer = self._answers.pop(ticket, None)
        if answer is not None and not answer.done():
            answer.set_result(False)
        self._line.leave(ticket)
        self._let_in()

    def turn_away(self) -> None:
        """One more that went without."""
        count(Count.SERVER_BUSY)

    def _let_in(self) -> None:
        for ticket in self._line.let_in():
            self._answers[ticket].set_result(True)


class Place:
    """A place, or the wait for one."""

    def __init__(self, admission: Admission, ticket: Ticket, answer: asyncio.Future[bool], wait_s: float) -> None:
        self._admission = admission
        self._ticket = ticket
        self._answer = answer
        self._wait_s = wait_s

    def __enter__(self) -> Place:
        """Stand in line until the context ends."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the place back."""
        self._admission.leave(self._ticket)

    async def granted(self, counting_from: asyncio.Future[Any] | None = None) -> bool:
        """Wait for the place; False if it was given up meanwhile.

        Raises Busy if that takes longer than is allowed. The wait counts from when `counting_from` is done.
        """
        if counting_from is not None:
            await asyncio.wait((self._answer, counting_from), return_when=asyncio.FIRST_COMPLETED)
        done, _ = await asyncio.wait((self._answer,), timeout=self._wait_s)
        if not done:
            self._admission.turn_away()
            raise Busy(f"no place became free in {self._wait_s:g} s: other replies are being made; try again")
        return self._answer.result()

    def give_up(self) -> None:
        """Nobody waits for it any more. A place that was granted is kept until the context ends."""
        if not self._answer.done():
            self._admission.leave(self._ticket)
