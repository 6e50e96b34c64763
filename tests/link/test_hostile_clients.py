"""Whatever a client sends: it is told in one line what is wrong with it, and the talk goes on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError

from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.profiles import LITE, OnProgress, Parts
from parlor_tui.link import client_events, wire
from parlor_tui.link.server import _OUTBOX_MESSAGES, CoreServer
from parlor_tui.settings import Settings
from tests.link.test_events import CLIENT_EVENTS, JSON, OUR_REQUESTS

Result = TypeVar("Result")
TOKEN = "a token"


class Served:
    """A server whose models never come, on an event loop of its own, and one client of it."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.connection = self.run(self._begin())

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def _load(self, _progress: OnProgress, _cancelled: threading.Event) -> Parts:
        self._over.wait()
        raise RuntimeError("ended")

    async def _begin(self) -> ClientConnection:
        self._core = InferenceCore(LITE, self._load, 2, on_wedged=lambda _: None)
        self._core.start()
        self._server = await CoreServer(self._core, Settings(), TOKEN).listen(0)
        return await self._connect()

    async def _connect(self) -> ClientConnection:
        port = self._server.sockets[0].getsockname()[1]
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return await connect(f"ws://127.0.0.1:{port}", additional_headers=headers, max_size=None)

    def another_client(self) -> ClientConnection:
        return self.run(self._connect())

    def errors_of(self, message: bytes, connection: ClientConnection | None = None) -> list[dict[str, Any]]:
        """What the server has to say against `message`, a text frame of these bytes; it has to go on after it."""
        return self.run(self._errors_of(message, connection or self.connection))

    async def _errors_of(self, message: bytes, connection: ClientConnection) -> list[dict[str, Any]]:
        await connection.send(message, text=True)
        await connection.send(json.dumps({"type": "no.such", "event_id": "the end"}))
        found: list[dict[str, Any]] = []
        while True:
            event = json.loads(await connection.recv())
            if event["type"] == "error":
                if event["error"]["event_id"] == "the end":
                    return found
                found.append(event["error"])

    async def answers_to_a_burst(self, messages_count: int) -> int:
        """How many of so many requests, sent at one go, are answered to a client that reads."""
        connection = await self._connect()
        for _ in range(messages_count):
            await connection.send('{"type":"x"}')
        answered = 0
        with contextlib.suppress(ConnectionClosedError):
            while answered < messages_count:
                answered += json.loads(await connection.recv())["type"] == "error"
        await connection.close()
        return answered

    async def _end(self) -> None:
        await self.connection.close()
        self._server.close()
        await self._server.wait_closed()
        self._core.close()

    def end(self) -> None:
        self.run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()
        self._over.set()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    running = Served()
    yield running
    running.end()


def check(errors: list[dict[str, Any]]) -> None:
    for error in errors:
        assert error["code"] != "server_error", error
        assert error["message"]
        assert error["message"].isprintable()
        assert len(error["message"]) <= 300
        assert len(error["param"] or "") <= 300


ODD = st.sampled_from(
    ["NaN", "1e999", "-Infinity", "1" * 400, "24000.0", '"' + "x" * 2000 + '"', "[" * 200 + "]" * 200]
)
VALID = st.sampled_from([client_events.encode(event) for event in [*CLIENT_EVENTS, *OUR_REQUESTS]])


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """An event of the protocol's with something else in one place of it, or bytes that are no event."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.binary(max_size=200))
    event = json.loads(json.dumps(draw(VALID)))
    within = event
    while True:
        keys = list(within) if isinstance(within, dict) else range(len(within))
        key: Any = draw(st.sampled_from(list(keys)))
        if isinstance(within[key], dict | list) and within[key] and draw(st.booleans()):
            within = within[key]
            continue
        break
    within[key] = "<odd>"
    odd = draw(ODD | JSON.map(json.dumps))
    return json.dumps(event).replace('"<odd>"', odd).encode("utf-8", "surrogatepass")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(message=messages())
def test_no_message_ends_the_talk_or_is_an_error_of_the_servers(served: Served, message: bytes) -> None:
    check(served.errors_of(message))


def item(**fields: Any) -> bytes:
    return json.dumps(
        {"type": "conversation.item.create", "item": {"type": "message", "role": "user"} | fields}
    ).encode()


LONG = "x" * 10_000_000
HUGE = [
    (b"[" * 1_000_000, "invalid_json", "not JSON"),
    (b'{"type": ' + b"[" * 900 + b"]" * 900 + b"}", "missing_required_parameter", "has a type"),
    (b'{"type": "x\xff"}', "invalid_json", "not UTF-8 (byte 11)"),
    (b"\xff\xfe{\0}\0", "invalid_json", "not UTF-8 (byte 0)"),
    (json.dumps({"type": LONG}).encode(), "invalid_event_type", "x…"),
    (json.dumps({"type": "response.create", "event_id": LONG}).encode(), "invalid_value", "event_id has 10000000"),
    (json.dumps({"type": "response.cancel", "response_id": LONG}).encode(), "invalid_value", "at most 256"),
    (item(content=[{"type": "input_text", "text": LONG}]), "invalid_value", "10000000 characters; at most 100000"),
    (item(content=[{"type": "input_text", "text": "x" * 60_000}] * 2), "invalid_value", "at most 100000 characters"),
    (item(content=[{"type": "input_audio", "audio": "AAAA"}] * 200_000), "invalid_value", "at most 64 content parts"),
    (item(id=LONG, content=[{"type": "input_text", "text": "x"}]), "invalid_value", "item.id has 10000000"),
    (json.dumps({"type": "session.update", "session": {"instructions": LONG}}).encode(), "invalid_value", "10000000"),
    (json.dumps({"type": "session.update", "session": {"parlor": {LONG: 1}}}).encode(), "invalid_value", "no setting"),
    (
        json.dumps({"type": "session.update", "session": {"parlor": {"speaking.voice": LONG}}}).encode(),
        "invalid_value",
        "at most 256",
    ),
    (b" " * (wire.MAX_MESSAGE_BYTES + 1), "message_too_large", "16777217 bytes; at most 16 MB"),
    (
        json.dumps({"type": "input_audio_buffer.append", "audio": "A" * 12_000_000}).encode(),
        "input_audio_buffer_full",
        "",
    ),
]


@pytest.mark.parametrize(("message", "code", "words"), HUGE, ids=range(len(HUGE)))
def test_what_is_too_much_is_refused_at_once_in_a_line(served: Served, message: bytes, code: str, words: str) -> None:
    errors = served.errors_of(message)
    check(errors)
    ((found, text),) = [(error["code"], error["message"]) for error in errors]
    assert found == code
    assert words in text


def test_a_message_beyond_all_measure_ends_its_connection_alone_and_says_why(served: Served) -> None:
    other = served.another_client()

    async def send() -> None:
        await other.send(b" " * (wire.CLOSING_BYTES + 1), text=True)
        while True:
            await other.recv()

    with pytest.raises(ConnectionClosedError) as caught:
        served.run(send())
    assert caught.value.rcvd is not None
    assert caught.value.rcvd.code == 1009
    assert "exceeds limit" in caught.value.rcvd.reason
    check(served.errors_of(b"{}"))


def test_a_client_that_asks_for_much_at_one_go_and_reads_is_not_cut_off(served: Served) -> None:
    many = 3 * _OUTBOX_MESSAGES
    assert served.run(served.answers_to_a_burst(many)) == many
