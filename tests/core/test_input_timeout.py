"""Audio that is never completed is dropped; one whose user pauses, or whose core was busy, is not."""

from __future__ import annotations

import asyncio
import threading

from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.input_timeout import LONGEST_WAIT_S, LOOK_EVERY_S, Unfinished
from parlor_tui.core.profiles import LITE, OnProgress, Parts
from parlor_tui.core.session import Session
from parlor_tui.events import CoreError, CoreEvent, InputCommitted
from parlor_tui.settings import Tuning

SECOND = bytes(2 * 16_000)


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
        over = threading.Event()

        def load(_progress: OnProgress, _cancelled: threading.Event) -> Parts:
            over.wait(30)
            raise RuntimeError("ended")

        told: list[CoreEvent] = []
        core = InferenceCore(LITE, load, 2, on_wedged=lambda _: None)
        core.start()
        session = Session(core, told.append, Tuning())
        session.update(input_rate_hz=16_000)
        try:
            session.append(SECOND)
            await asyncio.sleep(LONGEST_WAIT_S + 2 * LOOK_EVERY_S)
            session.commit()
        finally:
            await session.close()
            core.close()
            over.set()
        assert [event for event in told if isinstance(event, CoreError)] == []
        assert [event for event in told if isinstance(event, InputCommitted)]

    asyncio.run(run())
