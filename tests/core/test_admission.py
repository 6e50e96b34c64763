"""Places for replies: never more than there are, taken in turns, and nothing left of whoever goes away."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from parlor_tui.core.admission import Admission, Busy, Line, Ticket
from parlor_tui.counts import Count, counts


class Lines(RuleBasedStateMachine):
    """Clients that come, wait, leave and are served, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.line = Line(2, most_waiting=5, most_of_one=2)
        self.inside: list[Ticket] = []
        self.waiting: list[Ticket] = []

    def enter(self) -> None:
        for ticket in self.line.let_in():
            self.waiting.remove(ticket)
            self.inside.append(ticket)

    @rule(client=st.sampled_from("abcd"))
    def ask(self, client: str) -> None:
        own = sum(ticket.client == client for ticket in self.waiting)
        full = own == 2 or len(self.waiting) == 5
        if full and not self.line.has_place:
            with pytest.raises(Busy, match=r"^[^\n]+try again"):
                self.line.ask(client)
        else:
            self.waiting.append(self.line.ask(client))
        self.enter()

    @precondition(lambda self: self.inside)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.inside))
        self.inside.remove(ticket)
        self.line.leave(ticket)
        self.line.leave(ticket)
        self.enter()

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.waiting))
        self.waiting.remove(ticket)
        self.line.leave(ticket)
        self.enter()

    @invariant()
    def bounded_and_never_idle(self) -> None:
        assert self.line.inside == len(self.inside) <= 2
        assert self.line.waiting == len(self.waiting) <= 5
        assert max(Counter(ticket.client for ticket in self.waiting).values(), default=0) <= 2
        assert len(self.inside) == 2 or not self.waiting


TestLines = Lines.TestCase


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 3))
def test_whoever_waits_is_passed_by_each_other_client_once_at_most(greedy: list[int], places: int) -> None:
    """Three clients ask again and again, in any order; the fourth asks once, and has its turn after one of each."""
    line = Line(places, most_waiting=100, most_of_one=100)
    for client in greedy:
        line.ask(client if client < 3 else 0)
    inside = line.let_in()
    patient = line.ask("patient")
    passed: Counter[object] = Counter()
    while patient not in inside:
        line.leave(inside.pop(0))
        entered = line.let_in()
        inside += entered
        passed.update(ticket.client for ticket in entered if ticket is not patient)
    assert max(passed.values(), default=0) <= 1


def test_a_client_that_was_away_has_nothing_saved_up() -> None:
    line = Line(1)
    for _ in range(50):
        line.ask("busy")
        (ticket,) = line.let_in()
        line.leave(ticket)
    line.ask("holds it")
    line.let_in()
    first, second = line.ask("busy"), line.ask("back")
    assert first.served_round == second.served_round


async def _served(admission: Admission, client: str, order: list[str], hold_s: float = 0.0) -> None:
    with admission.ask(client) as place:
        if await place.granted():
            order.append(client)
            await asyncio.sleep(hold_s)


def test_two_at_once_and_the_others_in_turn() -> None:
    async def run() -> list[str]:
        admission, order = Admission(2), list[str]()
        async with asyncio.TaskGroup() as group:
            for client in "aabbc":
                group.create_task(_served(admission, client, order, 0.02))
                await asyncio.sleep(0)
                assert admission.inside <= 2
        assert (admission.inside, admission.waiting) == (0, 0)
        return order

    assert asyncio.run(run()) == ["a", "a", "b", "c", "b"]


def test_a_wait_that_is_too_long_or_given_up_or_cancelled_leaves_no_trace() -> None:
    async def run() -> None:
        admission = Admission(1, wait_s=0.05)
        with admission.ask("holder") as holder:
            assert await holder.granted()
            before = counts()[Count.SERVER_BUSY]
            with pytest.raises(Busy, match="try again"), admission.ask("late") as late:
                await late.granted()
            assert counts()[Count.SERVER_BUSY] == before + 1
            cancelled = asyncio.create_task(_served(admission, "cancelled", []))
            await asyncio.sleep(0)
            assert admission.waiting == 1
            cancelled.cancel()
            with admission.ask("given up") as given_up:
                given_up.give_up()
                assert not await given_up.granted()
            await asyncio.gather(cancelled, return_exceptions=True)
            assert (admission.inside, admission.waiting) == (1, 0)
            holder.give_up()
            assert admission.inside == 1, "a place that is held is given back at the end alone"
        assert admission.has_place

    asyncio.run(run())


def test_a_place_that_is_granted_as_its_wait_ends_is_not_lost() -> None:
    async def run() -> None:
        admission = Admission(1)
        with admission.ask("first"):
            waiting = asyncio.create_task(_served(admission, "second", [], 60))
            await asyncio.sleep(0)
        waiting.cancel()  # it was let in, and does not know yet
        await asyncio.gather(waiting, return_exceptions=True)
        assert admission.has_place

    asyncio.run(run())


def test_the_wait_counts_from_when_the_models_are_there() -> None:
    async def run() -> None:
        admission = Admission(1, wait_s=0.05)
        loaded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with admission.ask("first"), admission.ask("second") as second:
            waiting = asyncio.create_task(second.granted(loaded))
            await asyncio.sleep(0.15)
            assert not waiting.done()
            loaded.set_result(None)
            with pytest.raises(Busy):
                await waiting

    asyncio.run(run())
