"""A model that came while one talked: the turn is finished, then another core starts and is told the conversation."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from parlor_tui.assistant import Assistant, assistant
from parlor_tui.events import Event, Failed, ModelOffered, ModelOver, Notice, Ready, TurnCommitted, TurnDone, now_s
from parlor_tui.settings import Settings

CORE = Path(__file__).with_name("scripted_core.py")


class Terminal:
    """A real assistant without devices, with a core that follows a script; `told` is what both of them said."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "told.jsonl"
        self.events: list[Event] = []
        self._changed = threading.Condition()
        settings = Settings().with_values({"devices.microphone": "none", "devices.speaker": "none"}, "test")
        self.assistant = Assistant(settings, None, self._listen)

    def _listen(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait(self, kind: type[Event], count: int = 1) -> int:
        """The place among all events of the `count`-th of this kind."""

        def places() -> list[int]:
            return [place for place, event in enumerate(self.events) if isinstance(event, kind)]

        with self._changed:
            came = self._changed.wait_for(lambda: len(places()) >= count, 20)
            assert came, f"no {kind.__name__} number {count} in {self.events[-6:]}"
            return places()[count - 1]

    def told(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def place_of(self, says: Callable[[Event], bool]) -> int:
        return next(place for place, event in enumerate(self.events) if says(event))


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setattr(assistant, "not_now_file", lambda: tmp_path / "not-now")
    monkeypatch.setattr(assistant, "log_file", lambda: tmp_path / "log")
    command = [sys.executable, str(CORE), str(tmp_path / "told.jsonl")]
    monkeypatch.setattr(assistant, "core_command", lambda _settings, _config: command)
    running = Terminal(tmp_path)
    running.assistant.start()
    yield running
    running.assistant.stop(3.0)


def starts_with_it(event: Event) -> bool:
    return isinstance(event, Notice) and event.text == "Gemma 4 E2B is here: starting with it"


def test_a_turn_under_way_is_finished_and_the_new_core_is_told_the_conversation(terminal: Terminal) -> None:
    terminal.wait(ModelOffered)
    terminal.assistant.say("A question?")
    terminal.wait(TurnCommitted)
    terminal.assistant.get_model()
    here = terminal.wait(ModelOver)
    done = terminal.wait(TurnDone)
    terminal.wait(Ready, 2)
    began = terminal.place_of(starts_with_it)
    assert here < done < began
    turn = terminal.events[done]
    assert isinstance(turn, TurnDone)
    assert (turn.status, turn.reply) == ("completed", "An answer.")
    ready = terminal.events[terminal.wait(Ready, 2)]
    assert isinstance(ready, Ready)
    assert ready.profile == "gemma"
    terminal.assistant.say("And another?")
    terminal.wait(TurnDone, 2)
    told = terminal.told()
    second = told[told.index({"core": 2}) :]
    items = [message["item"]["content"][0]["text"] for message in second if "item" in message]
    assert items == ["A question?", "An answer.", "And another?"]
    assert sum(message.get("type") == "response.create" for message in second) == 1


def test_it_is_told_as_good_news_and_as_no_trouble(terminal: Terminal) -> None:
    terminal.wait(ModelOffered)
    terminal.assistant.get_model()
    terminal.wait(Ready, 2)
    told = [event for event in terminal.events if isinstance(event, Notice) and "core" in event.key]
    assert told == []
    notice = terminal.events[terminal.place_of(starts_with_it)]
    assert isinstance(notice, Notice)
    assert notice.severity == "info"
    assert not [event for event in terminal.events if isinstance(event, Failed)]


def test_what_is_typed_while_the_new_core_starts_is_answered_by_it(terminal: Terminal) -> None:
    terminal.wait(ModelOffered)
    terminal.assistant.get_model()
    terminal.wait(ModelOver)
    terminal.assistant.say("In between?")
    terminal.wait(TurnDone)
    terminal.wait(Ready, 2)
    told = terminal.told()
    asked = [place for place, message in enumerate(told) if message.get("type") == "response.create"]
    assert len(asked) == 1
    assert asked[0] > told.index({"core": 2})


def test_a_live_setting_reaches_the_core_and_the_next_one_too(terminal: Terminal) -> None:
    terminal.wait(Ready)
    terminal.assistant.tune({"answering.temperature": 1.3, "speaking.voice": "bf_emma"})
    terminal.assistant.tune({"answering.temperature": "hot"})
    terminal.wait(Failed)
    terminal.assistant.get_model()
    terminal.wait(Ready, 2)

    def sessions() -> list[dict[str, Any]]:
        return [told["session"] for told in terminal.told() if told.get("type") == "session.update"]

    deadline_s = now_s() + 20
    while len(sessions()) < 3 and now_s() < deadline_s:
        time.sleep(0.02)
    for session in sessions()[1:]:  # the change, and what the next core is told
        assert session["parlor"]["answering.temperature"] == 1.3
        assert session["audio"]["output"]["voice"] == "bf_emma"
    assert len(sessions()) == 3
