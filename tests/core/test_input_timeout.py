"""Audio that is never completed is dropped; one whose user pauses, or whose core was busy, is not."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core import pauses
from parlor_tui.core.input_timeout import LONGEST_WAIT_S, LOOK_EVERY_S, Unfinished
from parlor_tui.events import InputCommitted
from tests.core.unloaded import SECOND, unloaded


@given(st.lists(st.tuples(st.floats(0.01, 5.0), st.sampled_from(["nothing", "came", "held"])), max_size=60))
def test_nothing_is_dropped_before_its_time_nor_kept_long_after(looks: list[tuple[float, str]]) -> None:
    unfinished = Unfinished()
    at_s, silent_since_s = 0.0, 0.0
    unfinished.look(at_s, held=False)
    counted_s = 0.0
    for passed_s, what in looks:
        at_s += passed_s
        counted_s += min(passed_s, 2 * LOOK_EVERY_S)
        if what == "came":
            unfinished.came()
        if what != "nothing":
            silent_since_s, counted_s = at_s, 0.0
        dropped = unfinished.look(at_s, held=what == "held")
        assert not dropped or at_s - silent_since_s >= LONGEST_WAIT_S - 1e-6
        assert dropped or counted_s < LONGEST_WAIT_S + 1e-6
        if dropped:
            return


def test_time_in_which_this_process_did_not_run_does_not_count() -> None:
    unfinished = Unfinished()
    unfinished.look(0.0, held=False)
    assert not unfinished.look(3600.0, held=False), "what came meanwhile has not been read yet"


def test_while_the_models_load_nothing_is_dropped() -> None:
    """A terminal whose core died tells the new one what was said so far, and goes on once that is ready."""

    async def run() -> None:
        async with unloaded() as core:
            core.session.append(SECOND)
            await asyncio.sleep(LONGEST_WAIT_S + 2 * LOOK_EVERY_S)
            core.session.commit()
        assert core.errors() == []
        assert [event for event in core.told if isinstance(event, InputCommitted)]

    asyncio.run(run())


@pytest.mark.parametrize("answer", [True, False])
def test_a_pause_of_which_nothing_more_is_said_ends(monkeypatch: pytest.MonkeyPatch, *, answer: bool) -> None:
    """As long as there is one, the audio before it is not unfinished."""
    monkeypatch.setattr(pauses, "LONGEST_PAUSE_S", 0.1)

    async def run() -> None:
        async with unloaded() as core:
            core.session.append(SECOND)
            core.session.paused(1, 1, answer=answer)
            assert core.session.pauses.ahead is not None
            await asyncio.sleep(0.5)
            assert core.session.pauses.ahead is None

    asyncio.run(run())
