"""Where cores listen: the one that is to be watched on the port of the settings, all others anywhere."""

from __future__ import annotations

import errno
import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parlor_tui.commands.options import parse
from parlor_tui.events import CoreEvent, CoreNotice
from parlor_tui.link.client import Link
from parlor_tui.link.supervisor import core_command
from parlor_tui.settings import Settings
from tests.waiting import until

CORE = str(Path(__file__).with_name("ported_core.py"))
TOKEN = "s3cret"
Start = Callable[..., int]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a core with these arguments; the port that it tells."""
    cores: list[subprocess.Popen[str]] = []

    def started(*arguments: str) -> int:
        command = [sys.executable, "-P", CORE, *arguments]
        core = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        cores.append(core)
        assert core.stdin is not None
        assert core.stdout is not None
        core.stdin.write(json.dumps({"token": TOKEN}) + "\n")
        core.stdin.flush()
        return int(json.loads(core.stdout.readline())["port"])

    yield started
    for core in cores:
        core.kill()
        core.communicate()


def open_to_all(port: int) -> bool:
    """Whether the core there shows its figures to whoever asks."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/metrics")
    status = connection.getresponse().status
    connection.close()
    assert status in (200, 401)
    return status == 200


def notices(port: int) -> list[str]:
    """What the core there has to say to who links to it."""
    said: list[CoreEvent] = []
    link = Link(f"ws://127.0.0.1:{port}/v1/realtime", TOKEN, said.append, lambda _: None)
    link.start()
    until(lambda: len(said) >= 3, "it greets, and says that it loads")
    link.close()
    return [event.text for event in said if isinstance(event, CoreNotice)]


def test_the_core_of_a_screen_takes_the_port_and_others_leave_it(start: Start, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    config = tmp_path / "config.toml"
    config.write_text(f"[core]\nport = {port}\nmetrics_open = true\n", encoding="utf-8")
    of_a_command = start(str(config), "0")
    assert of_a_command != port
    assert not open_to_all(of_a_command), "nobody is meant to watch it"
    of_the_screen = start(str(config))
    assert of_the_screen == port
    assert open_to_all(port)
    assert notices(port) == []
    second = start(str(config))
    assert second not in (0, port)
    assert notices(second) == [
        f"the core listens on port {second}: core.port = {port} cannot be had ({os.strerror(errno.EADDRINUSE)})"
    ]


def test_who_takes_the_port_of_the_settings() -> None:
    assert core_command(Settings(), None, apart=True) == [*core_command(Settings(), None), "--port", "0"]
    assert parse(["core"]).port is None
    assert parse(["core", "--port", "0"]).port == 0
