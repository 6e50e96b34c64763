"""`/healthz` and `/metrics` beside the link: what they say, and to whom."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.profiles import LITE, OnProgress, Parts
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import ReportCounts, ReportTurn
from parlor_tui.link.server import CoreServer
from parlor_tui.observe.turn_report import TerminalCounts, TurnReport
from parlor_tui.settings import Settings

MODEL = "SmolLM2-135M"
TOKEN = "s3cret"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    type: str
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


def get(port: int, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    found = Answer(answer.status, answer.headers.get("Content-Type", ""), answer.read().decode())
    connection.close()
    return found


def until(port: int, path: str, wanted: Callable[[Answer], bool]) -> Answer:
    """Ask with the token, again and again, for an answer as it is `wanted`."""
    for _ in range(1000):
        answer = get(port, path, BEARER)
        if wanted(answer):
            return answer
        time.sleep(0.01)
    raise AssertionError(answer)


def serving(
    ask: Callable[[int], None], values: dict[str, Any] | None = None, load: Callable[[], Parts] | None = None
) -> None:
    """Call `ask` with the port of a core that loads as `load` does (at first, for ever), on a thread of its own."""
    over = threading.Event()

    def loader(_progress: OnProgress, _cancelled: threading.Event) -> Parts:
        if load is not None:
            return load()
        over.wait(20)
        raise OSError("over")

    async def run() -> None:
        settings = Settings().with_values(values or {}, "here")
        core = InferenceCore(LITE, loader, 2, lambda stuck_s: None)
        server = CoreServer(core, settings, TOKEN)
        listening = await server.listen(0)
        core.start()
        try:
            async with asyncio.timeout(20):
                await asyncio.to_thread(ask, listening.sockets[0].getsockname()[1])
        finally:
            over.set()
            core.close()
            listening.close()
            await listening.wait_closed()

    asyncio.run(run())


def test_health_is_told_without_the_token() -> None:
    def ask(port: int) -> None:
        found = get(port, "/healthz?verbose")
        assert (found.status, found.type) == (503, "application/json")
        uptime_s = found.json.pop("uptime_s")
        assert found.json | {"uptime_s": 0} == {"status": "loading", "profile": "lite", "model": MODEL, "uptime_s": 0}
        assert 0 <= uptime_s < 20

    serving(ask)


def test_a_core_that_cannot_load_says_that_it_failed() -> None:
    def fail() -> Parts:
        raise OSError("no such model")

    def ask(port: int) -> None:
        found = until(port, "/healthz", lambda answer: answer.json["status"] != "loading")
        assert (found.status, found.json["status"]) == (503, "failed")

    serving(ask, load=fail)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}])
def test_figures_take_the_token(headers: dict[str, str]) -> None:
    def ask(port: int) -> None:
        refused = get(port, "/metrics", headers)
        assert refused.status == 401
        assert "core.metrics_open" in refused.text
        assert "parlor_" not in refused.text
        told = get(port, "/metrics", BEARER)
        assert (told.status, told.type) == (200, "text/plain; version=0.0.4; charset=utf-8")
        assert "\nparlor_ready 0.0\n" in told.text

    serving(ask)


def test_open_figures_and_health_are_for_programs_of_this_machine_alone() -> None:
    def ask(port: int) -> None:
        for path in ("/metrics", "/healthz"):
            for host in (f"127.0.0.1:{port}", "localhost", "LOCALHOST:8800", "[::1]:1"):
                assert get(port, path, {"Host": host}).status in (200, 503), host
            for host in ("parlor.example:8800", "127.0.0.1.example", "localhost.example:80", ""):
                assert get(port, path, {"Host": host}).status == 403, host
        assert get(port, "/metrics", {"Host": "proxy.example"} | BEARER).status == 200

    serving(ask, {"core.metrics_open": True})


def test_everything_else_is_for_the_link_and_takes_the_token() -> None:
    def ask(port: int) -> None:
        for path in ("/", "/metrics/more", "/healthz2", "/v1/realtime"):
            assert get(port, path).status == 401, path
            assert get(port, path, BEARER).status == 426, path

    serving(ask, {"core.metrics_open": True})


def test_a_report_is_counted_and_a_nonsense_one_is_refused_with_the_talk_going_on() -> None:
    def ask(port: int) -> None:
        told = threading.Event()
        errors: list[Any] = []

        def on_event(event: Any) -> None:
            if type(event).__name__ == "CoreError":
                errors.append(event)
                told.set()

        link = Link(f"ws://127.0.0.1:{port}/v1/realtime", TOKEN, on_event, lambda _reason: None)
        link.start()
        link.send(ReportTurn(TurnReport(1, "completed", {"first_token": -5.0})))
        link.send(ReportTurn(TurnReport(1, "interrupted", {"first_token": 80.0}, interrupted_by="voice")))
        for _ in range(2):  # once more, as after a cut
            link.send(ReportCounts(TerminalCounts("a1", {"cores_died": 2, "turns_lost": 1})))
        assert told.wait(10)
        page = until(port, "/metrics", lambda answer: "\nparlor_core_deaths_total 2.0\n" in answer.text).text
        link.close()
        (error,) = errors
        assert (error.code, error.param) == ("invalid_value", "stages_ms.first_token")
        assert "must be a number from 0" in error.message
        assert 'parlor_stage_seconds_count{stage="first_token"} 1.0' in page
        assert 'parlor_barge_ins_total{by="voice"} 1.0' in page
        assert 'parlor_errors_total{kind="core_lost"} 1.0' in page
        assert 'parlor_lost_total{what="messages_refused"} ' in page
        assert 'parlor_errors_total{kind="invalid_value"} 1.0' in page
        assert "\nparlor_terminals 1.0\n" in page

    serving(ask)


def test_a_port_that_is_taken_is_only_a_wish_where_it_is_said_to_be_one() -> None:
    async def run() -> None:
        core = InferenceCore(LITE, lambda _progress, _cancelled: (_ for _ in ()).throw(OSError("no")), 2, print)
        server = CoreServer(core, Settings(), TOKEN)
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            with pytest.raises(OSError, match=str(port)):
                await server.listen(port)
            listening = await server.listen(port, else_any=True)
            assert listening.sockets[0].getsockname()[1] not in (0, port)
            listening.close()
            await listening.wait_closed()
        core.close()

    asyncio.run(run())
