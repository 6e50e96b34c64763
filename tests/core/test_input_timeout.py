"""Audio that is never completed is dropped; one whose user pauses, or whose core was busy, is not."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from parlor_tui.captions.base import FinalCaption
from parlor_tui.core import pauses
from parlor_tui.core.input_timeout import LONGEST_WAIT_S, LOOK_EVERY_S, Unfinished
from parlor_tui.core.profiles import LITE, Parts
from parlor_tui.engines.base import Abilities
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


class Recogniser:
    """Writes nothing down before it may."""

    name = "a slow one"

    def __init__(self) -> None:
        self.may = threading.Event()

    def partial(self, samples: NDArray[np.float32], talk_language: str = "") -> str:
        return ""

    def final(self, samples: NDArray[np.float32], talk_language: str = "") -> FinalCaption:
        self.may.wait(30)
        return FinalCaption("")


def test_what_a_core_that_is_behind_refuses_for_now_is_there_when_it_is_tried_again() -> None:
    recogniser = Recogniser()
    engine = SimpleNamespace(name="none", abilities=Abilities(), stuck_s=lambda _at_s: 0.0)
    parts = Parts(LITE, cast("Any", engine), recogniser, cast("Any", SimpleNamespace(voices=("none",))))

    async def run() -> None:
        async with unloaded(parts) as core:
            await core.core.parts()
            while not core.errors():
                core.session.add_audio_item(SECOND)
            core.session.append(SECOND)
            core.session.commit()
            assert [error.code for error in core.errors()] == ["server_busy", "server_busy"]
            await asyncio.sleep(LONGEST_WAIT_S + 2 * LOOK_EVERY_S)
            recogniser.may.set()
            async with asyncio.timeout(20):
                await core.session.listening.words()
            core.session.commit()
            assert [error.code for error in core.errors()] == ["server_busy", "server_busy"]
            assert [event for event in core.told if isinstance(event, InputCommitted)]

    try:
        asyncio.run(run())
    finally:
        recogniser.may.set()
