"""The terminal's end of a link: what goes wrong with it is one line, and it can tell whether the core lives."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from websockets.sync.server import ServerConnection, serve

from parlor_tui.events import CoreEvent, now_s
from parlor_tui.link.client import Link, LinkError
from parlor_tui.link.client_events import UpdateSession
from tests.waiting import until

HELLO = json.dumps({"type": "session.created", "session": {"id": "sess_1", "model": "none"}})


def answers_with(raw: bytes) -> Callable[[socket.socket], None]:
    def answer(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(raw)

    return answer


@pytest.mark.parametrize(
    "server",
    [
        None,
        lambda _listening: None,
        answers_with(b""),
        answers_with(b"220 mail.example ESMTP\r\n"),
        answers_with(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 3\r\n\r\nno\n"),
        answers_with(b"HTTP/1.1 101 Switching Protocols\r\n\r\n"),
        answers_with(bytes(range(256)) * 100),
    ],
    ids=["closed", "silent", "hangs up", "mail", "refuses", "half a handshake", "noise"],
)
def test_a_core_that_cannot_be_linked_to_is_one_line(server: Callable[[socket.socket], None] | None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        if server is None:
            listening.close()
        else:
            threading.Thread(target=server, args=(listening,), daemon=True).start()
        began_s = now_s()
        with pytest.raises(LinkError, match=r"^no link to the core: [^\n]+$"):
            Link(f"ws://127.0.0.1:{port}/v1/realtime", "token", lambda _: None, lambda _: None, open_s=0.5)
        assert now_s() - began_s < 5


@contextmanager
def linked(
    talk: Callable[[ServerConnection], None], on_event: Callable[[CoreEvent], None]
) -> Iterator[tuple[Link, list[str]]]:
    reasons: list[str] = []
    with serve(talk, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        link = Link(f"ws://127.0.0.1:{port}", "token", on_event, reasons.append)
        link.start()
        yield link, reasons
        link.close()
        until(lambda: bool(reasons), "the link is closed")


def test_a_core_that_says_nothing_but_answers_is_heard() -> None:
    gone = threading.Event()

    def talk(_connection: ServerConnection) -> None:
        gone.wait(20)

    with linked(talk, lambda _: None) as (link, _):
        began_s = now_s()
        while now_s() - began_s < 3.0:
            at_s = now_s()
            assert at_s - link.heard_s(at_s) < 2.0
            gone.wait(0.05)
        gone.set()


def test_what_is_still_being_taken_here_is_no_silence_of_the_core() -> None:
    taking, go_on = threading.Event(), threading.Event()

    def take(_event: CoreEvent) -> None:
        taking.set()
        go_on.wait(20)

    def talk(connection: ServerConnection) -> None:
        connection.send(HELLO)
        for _ in connection:
            pass

    with linked(talk, take) as (link, _):
        assert taking.wait(20)
        at_s = now_s() + 100
        assert link.heard_s(at_s) == at_s
        go_on.set()


def test_once_it_is_closed_nothing_more_is_told_and_its_end_is_told_once_in_one_line() -> None:
    events: list[CoreEvent] = []
    closed = threading.Event()

    def talk(connection: ServerConnection) -> None:
        connection.send(HELLO)
        closed.wait(20)
        connection.send(HELLO)

    with linked(talk, events.append) as (link, reasons):
        until(lambda: len(events) == 1, "a greeting")
        link.close()
        link.close()
        closed.set()
        until(lambda: bool(reasons), "its end")
        assert len(events) == 1
    assert len(reasons) == 1
    assert "\n" not in reasons[0]


def test_a_link_that_cannot_send_ends_and_says_so() -> None:
    """With its sender gone it would look alive for ever, and carry nothing."""
    gone = threading.Event()

    def talk(_connection: ServerConnection) -> None:
        gone.wait(20)

    with linked(talk, lambda _: None) as (link, reasons):
        link.send(UpdateSession(tuning={"answering.temperature": object()}))
        until(lambda: bool(reasons), "its end")
        gone.set()
