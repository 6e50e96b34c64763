"""Brings the assistant under test up, and takes it down again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from parlor_tui.assistant import Assistant
from parlor_tui.bench.rig import Rig
from parlor_tui.bench.room import Room
from parlor_tui.bench.utterances import BenchError, Report
from parlor_tui.bench.watching import Watch, first
from parlor_tui.events import Failed, Loading, Ready, State, now_s

_START_S = 120.0
"""Nothing new from a core that loads for this long means that nothing will come."""
_STOP_S = 2.0


@contextmanager
def at_work(place: Room | Rig, assistant: Assistant) -> Iterator[None]:
    """The place open and the assistant started; both ended whatever happens."""
    try:
        place.open()
        assistant.start()
        yield
    finally:
        assistant.stop(_STOP_S)
        place.close()


def wait_until_ready(watch: Watch, report: Report) -> Ready:
    """What the core says once it can answer. Raises BenchError if it cannot."""
    text, known, new_s = "", 0, now_s()
    while now_s() - new_s < _START_S:
        ready = watch.wait(0, Ready, 0.5)
        if ready is not None:
            return ready
        events = watch.since(0)
        failed = first(events, Failed)
        if failed is not None and watch.state is State.ERROR:
            raise BenchError(failed.text, missing=failed.missing)
        if len(events) > known:
            known, new_s = len(events), now_s()
        loading = [event.text for event in events if isinstance(event, Loading)]
        if loading and loading[-1] != text:
            text = loading[-1]
            report(text)
    raise BenchError(f"the core says nothing new for {_START_S:.0f} s; its log may say why")
