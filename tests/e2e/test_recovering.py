"""Whatever befalls the core or the link to it is noticed, told and repaired, and the talk goes on. Real models."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from parlor_tui.assistant import Assistant
from parlor_tui.events import AskedAgain, Event, Notice, Ready, TurnCommitted, TurnDone, now_s
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import ClientEvent, CreateItem
from parlor_tui.link.supervisor import core_command
from parlor_tui.settings import load
from tests.conftest import Home, make_home
from tests.e2e.running import READY_S

PROXY = Path(__file__).parent.parent / "link" / "behind_proxy.py"
NOTICED_S = 3.0
"""Two seconds (see `tests/link/test_pulse.py`), and what a busy machine adds."""
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


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talking]:
    with talking(tmp_path_factory.mktemp("talk")) as running:
        yield running


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("control") / "control"


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory, control: Path) -> Iterator[Talking]:
    with talking(tmp_path_factory.mktemp("proxied"), sys.executable, str(PROXY), str(control)) as running:
        yield running


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


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGSEGV, "the core crashed (SIGSEGV)"),
        (signal.SIGKILL, "the core was killed (maybe out of memory)"),
        (signal.SIGSTOP, "the core stood still and did not answer"),
    ],
)
def test_a_core_that_dies_or_stands_still_is_started_again_and_answers(
    talk: Talking, number: signal.Signals, words: str
) -> None:
    pid, before = talk.core_pid, len(talk.events)
    notice, done = happens(talk, lambda: os.kill(pid, number), number.name)
    assert notice.text.startswith(words)
    assert notice.text.endswith("starting it again, the talk goes on")
    assert talk.core_pid != pid
    assert done.status == "completed"
    assert done.reply
    talk.wait(AskedAgain, before)


@pytest.mark.parametrize(("wish", "words"), [("cut", "the link to the core was lost"), ("freeze", "did not answer")])
def test_a_link_that_is_cut_or_goes_dead_is_made_anew_and_the_core_is_kept(
    proxied: Talking, control: Path, wish: str, words: str
) -> None:
    def fault() -> None:
        with control.open("a") as file:
            file.write(f"{wish}\n")

    pid = proxied.core_pid
    notice, done = happens(proxied, fault, f"link: {wish}")
    assert words in notice.text
    assert notice.text.endswith("linking again, the talk goes on")
    assert proxied.core_pid == pid
    assert done.status == "completed"
