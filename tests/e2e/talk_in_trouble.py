"""A talk by typing, with a real core and real models, to which something happens while a turn is answered."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from parlor_tui.assistant import Assistant
from parlor_tui.events import Event, Notice, Ready, TurnCommitted, TurnDone, now_s
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import ClientEvent, CreateItem
from parlor_tui.link.supervisor import core_command
from parlor_tui.settings import load
from tests.conftest import Home, make_home
from tests.e2e.running import READY_S

NOTICED_S = 8.0
"""Two seconds at most (see `tests/link/test_pulse.py`), and what a busy machine adds."""
Kind = TypeVar("Kind", bound=Event)


class Talking:
    """A real assistant without devices and its real core; `sent` is what the core was told, in order."""

    def __init__(self, home: Home, wrapper: list[str]) -> None:
        settings = load(home.config).with_values(
            {"devices.microphone": "none", "devices.speaker": "none", "core.profile": "lite"}, "test"
        )
        settings = settings.with_values({"conversations.record": "off", "answering.max_tokens": 8}, "test")
        self.events: list[Event] = []
        self.sent: list[ClientEvent] = []
        self._changed = threading.Condition()
        command = [*wrapper, *core_command(settings, home.config)]
        self.assistant = Assistant(settings, home.config, self._listen, core=command)

    def _listen(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    @property
    def core_pid(self) -> int:
        pid = self.assistant.core_pid
        assert pid is not None
        return pid

    def wait(self, kind: type[Kind], after: int, says: Callable[[Kind], bool] = bool, within_s: float = 60) -> Kind:
        """The first event of this kind behind the first `after`."""

        def found() -> Kind | None:
            return next((e for e in self.events[after:] if isinstance(e, kind) and says(e)), None)

        with self._changed:
            assert self._changed.wait_for(lambda: found() is not None, within_s), (kind, self.events[after:][-8:])
            event = found()
        assert event is not None
        return event

    def ask(self, text: str) -> TurnDone:
        before = len(self.events)
        self.assistant.say(text)
        return self.wait(TurnDone, before)


@contextmanager
def talking(folder: Path, *wrapper: str) -> Iterator[Talking]:
    home = make_home(folder)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in home.env.items():
            patch.setenv(name, value)
        talk = Talking(home, list(wrapper))
        send = Link.send

        def told(link: Link, event: ClientEvent) -> None:
            talk.sent.append(event)
            send(link, event)

        patch.setattr(Link, "send", told)
        talk.assistant.start()
        try:
            talk.wait(Ready, 0, within_s=READY_S)
            assert talk.ask("My name is Anna.").status == "completed"
            yield talk
        finally:
            talk.assistant.stop(3.0)


def happens(talk: Talking, fault: Callable[[], Any], name: str) -> tuple[Notice, TurnDone]:
    """While a turn is being answered the `fault` happens: what the user is told, and what becomes of the turn."""
    before, sent = len(talk.events), len(talk.sent)
    talk.assistant.say("What is the capital of France?")
    committed = talk.wait(TurnCommitted, before)
    began_s = now_s()
    fault()
    notice = talk.wait(Notice, before, lambda event: event.key == "core" and bool(event.text))
    noticed_s = notice.at_s - began_s
    again = talk.wait(Ready, before)
    done = talk.wait(TurnDone, before)
    sys.stderr.write(
        f"{name}: noticed after {noticed_s * 1000:.0f} ms, ready after {(again.at_s - began_s) * 1000:.0f} ms, "
        f"answered after {(done.at_s - began_s) * 1000:.0f} ms: {notice.text}\n"
    )
    assert noticed_s < NOTICED_S
    assert done.turn == committed.turn
    told = [event.text for event in talk.sent[sent:] if isinstance(event, CreateItem)]
    assert "My name is Anna." in told[1:], "the new core is told the conversation"
    talk.wait(Notice, before, lambda event: event.key == "core" and not event.text)
    return notice, done
