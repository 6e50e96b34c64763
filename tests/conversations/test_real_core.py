"""A conversation forgotten and restored, judged by what the real model is told: the tokens of its prompt."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import TypeVar

from parlor_tui.assistant.talk.memories import Memories
from parlor_tui.events import CoreEvent, CoreReady, ReplyDone, ReplyUnit
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import CreateItem, CreateResponse, ForgetAll, UpdateSession
from tests.conftest import Home
from tests.link.core_process import CoreProcess, start_core

QUESTION = "What is my name?"
READY_S, REPLY_S = 90.0, 60.0
Kind = TypeVar("Kind")


class Client:
    """One client of `core`."""

    def __init__(self, core: CoreProcess) -> None:
        self._core = core
        self._events: queue.Queue[CoreEvent | str] = queue.Queue()
        self.link = Link(core.url, core.token, self._events.put, self._events.put)
        self.link.start()
        self._turn = 0

    def until(self, kind: type[Kind], timeout_s: float) -> Kind:
        while True:
            event = self._events.get(timeout=timeout_s)
            if isinstance(event, str):
                code, log = self._core.process.wait(10), self._core.log.read_text()[-2000:]
                raise AssertionError(f"{event}; the core ended with {code}: {log}")
            if isinstance(event, kind):
                return event

    def begin(self, text: str) -> None:
        self._turn += 1
        self.link.send(CreateItem("user", text))
        self.link.send(CreateResponse(self._turn))

    def ask(self, text: str) -> ReplyDone:
        self.begin(text)
        while (done := self.until(ReplyDone, REPLY_S)).turn != self._turn:
            pass
        assert done.status == "completed", done
        assert done.usage.input_tokens, done
        return done


def test_what_is_forgotten_is_not_told_to_the_model_and_what_is_restored_is(
    isolated_home: Home, tmp_path: Path
) -> None:
    isolated_home.write_config('[core]\nprofile = "lite"')
    core = start_core(isolated_home, tmp_path)
    try:
        client = Client(core)
        client.until(CoreReady, READY_S)
        # The same each time, and to the model's own end: of a reply that is ended early no prompt is counted.
        settled = {"answering.temperature": 0.0, "answering.max_tokens": 400}
        client.link.send(UpdateSession(speak=False, tuning=settled))
        alone_tokens = client.ask(QUESTION).usage.input_tokens
        client.link.send(ForgetAll())
        name = client.ask("My name is Ada, and I live by the sea.")
        longer_tokens = client.ask(QUESTION).usage.input_tokens
        assert longer_tokens > alone_tokens + 15

        client.begin("Tell me a long story about the sea.")
        client.until(ReplyUnit, REPLY_S)
        client.link.send(ForgetAll())  # in the middle of a reply
        assert client.ask(QUESTION).usage.input_tokens == alone_tokens

        client.link.send(ForgetAll())
        memories = Memories()
        memories.close(1, "My name is Ada, and I live by the sea.", name.text)
        for event in memories.restoring():
            client.link.send(event)
        assert client.ask(QUESTION).usage.input_tokens == longer_tokens
        client.link.close()
    finally:
        core.stop()
