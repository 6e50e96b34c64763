"""A core that will not stay up is given up on, in words, and tried again once the user wants to talk. And: no room."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.assistant import Assistant, assistant
from parlor_tui.assistant.inbox import FromCore
from parlor_tui.assistant.overflow import Lost, Overflow
from parlor_tui.counts import Count, counts
from parlor_tui.events import CoreLoading, Event, Failed, Notice, Ready, State, StateChanged, TurnDone
from parlor_tui.link import back_off
from parlor_tui.settings import Settings

FOLDER = Path(__file__).parent


class Terminal:
    """A real assistant without devices, whose core starts only once there is `flag`."""

    def __init__(self, folder: Path) -> None:
        self.flag = folder / "flag"
        self.events: list[Event] = []
        self.stuck = threading.Event()
        self.go_on = threading.Event()
        self._changed = threading.Condition()
        settings = Settings().with_values({"devices.microphone": "none", "devices.speaker": "none"}, "test")
        command = [sys.executable, str(FOLDER / "failing_core.py"), str(self.flag), str(folder / "told.jsonl")]
        self.assistant = Assistant(settings, None, self._listen, core=command)

    def _listen(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()
        if isinstance(event, Failed) and event.text.startswith("nothing can be said aloud"):  # the screen hangs here
            self.stuck.set()
            self.go_on.wait(20)

    def wait(self, says: Callable[[Event], bool], after: int = 0) -> Event:
        with self._changed:
            found = self._changed.wait_for(lambda: any(map(says, self.events[after:])), 20)
            assert found, self.events[after:][-6:]
            return next(event for event in self.events[after:] if says(event))


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parents[1]))
    monkeypatch.setattr(assistant, "not_now_file", lambda: tmp_path / "not-now")
    monkeypatch.setattr(assistant, "log_file", lambda: tmp_path / "log")
    monkeypatch.setattr(back_off, "WAITS_S", (0.02, 0.02))
    running = Terminal(tmp_path)
    yield running
    running.go_on.set()
    running.assistant.stop(3.0)


def is_stopped(event: Event) -> bool:
    return isinstance(event, Notice) and event.text.endswith("type something to have it tried again")


def test_after_the_limit_it_stops_clearly_and_a_typed_turn_starts_it_again_and_is_answered(terminal: Terminal) -> None:
    terminal.assistant.start()
    stopped = terminal.wait(is_stopped)
    assert isinstance(stopped, Notice)
    assert (stopped.key, stopped.severity) == ("core", "error")
    assert stopped.text.startswith("the core ended with code 3; see ")
    terminal.wait(lambda event: isinstance(event, StateChanged) and event.state is State.ERROR)
    tries = [event for event in terminal.events if isinstance(event, Notice) and "starting it again" in event.text]
    assert len(tries) == 1, "one line, however often it is tried"
    before = len(terminal.events)
    terminal.assistant.talk_key()
    terminal.wait(is_stopped, before)  # still nothing: it says so again
    before = len(terminal.events)
    terminal.flag.touch()
    terminal.assistant.say("Are you there?")
    done = terminal.wait(lambda event: isinstance(event, TurnDone), before)
    assert isinstance(done, TurnDone)
    assert (done.heard, done.status) == ("Are you there?", "completed")
    assert any(isinstance(e, Notice) and (e.key, e.text) == ("core", "") for e in terminal.events[before:])


def test_what_finds_no_room_is_counted_and_told_and_the_core_is_heard_out(terminal: Terminal) -> None:
    terminal.flag.touch()
    terminal.assistant.start()
    terminal.wait(lambda event: isinstance(event, Ready))
    counted = counts()
    terminal.assistant.speak("Hello.")  # there is no speaker
    assert terminal.stuck.wait(20)
    refused = len(terminal.events)
    while not any(isinstance(e, Failed) and "does not keep up" in e.text for e in terminal.events[refused:]):
        terminal.assistant.set_muted(False)
    terminal.assistant._put(FromCore(CoreLoading("lost")))  # after two seconds in which nobody took anything
    assert counts()[Count.INBOX_MESSAGES_LOST] == counted[Count.INBOX_MESSAGES_LOST] + 1
    before = len(terminal.events)
    terminal.go_on.set()
    told = terminal.wait(lambda event: isinstance(event, Notice) and "keep up" in event.text, before)
    assert isinstance(told, Notice)
    assert told.text == "this machine does not keep up: 1 message lost"
    terminal.wait(lambda event: isinstance(event, Notice) and "linking again" in event.text, before)
    terminal.wait(lambda event: isinstance(event, Ready), before)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=30))
def test_everything_that_is_dropped_is_told_once(drops: list[tuple[int, int, int, bool]]) -> None:
    overflow, told = Overflow(), [0, 0, 0]
    for blocks, of_core, others, look in [*drops, (0, 0, 0, True)]:
        overflow.add(blocks=blocks, of_core=of_core, others=others)
        if look:
            lost = overflow.take()
            told = [told[0] + lost.blocks, told[1] + lost.of_core, told[2] + lost.others]
    assert told == [sum(drop[kind] for drop in drops) for kind in range(3)]
    assert not overflow.take().any


def test_what_was_lost_in_words() -> None:
    assert Lost(blocks=50).in_words() == "this machine does not keep up: 1.6 s of sound lost"
    assert Lost(50, 1, 2).in_words() == "this machine does not keep up: 1.6 s of sound and 3 messages lost"
