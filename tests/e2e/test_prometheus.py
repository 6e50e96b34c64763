"""The real Prometheus reads a real core while somebody talks with it, and every panel of the dashboard has data."""

from __future__ import annotations

import json
import math
import queue
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from parlor_tui.assistant import Assistant
from parlor_tui.commands.observe import exported
from parlor_tui.events import Event, Ready, TurnDone
from parlor_tui.settings import load
from tests.conftest import Home
from tests.prometheus import program, queries

LONGEST_S = 40.0


class Prometheus:
    """A server that reads the core on `core_port` every half second, as the exported configuration says."""

    def __init__(self, folder: Path, core_port: int, token_file: Path) -> None:
        for name, text in exported(core_port, token_file).items():
            often = re.sub(r"(scrape|evaluation)_interval: \d+s", r"\1_interval: 500ms", text)
            (folder / name).write_text(often, encoding="utf-8")
        self._log = folder / "prometheus.log"
        self.port = free_port()
        command = [program("prometheus"), f"--config.file={folder / 'prometheus.yml'}"]
        command += [f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, stderr=self._log.open("w"), stdout=subprocess.DEVNULL)

    def ask(self, path: str, **parameters: str) -> Any:
        """What its HTTP API answers; None while it does not."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error
        except OSError:
            assert self.process.poll() is None, self._log.read_text(encoding="utf-8")
            return None

    def values(self, query: str) -> list[float]:
        """The values that a query has now; none of them for what there is nothing of (NaN)."""
        found = self.ask("query", query=query)
        values = [float(one["value"][1]) for one in found["result"]] if found is not None else []
        return [value for value in values if not math.isnan(value)]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def until(there: Callable[[], bool], what: Callable[[], str]) -> None:
    deadline_s = monotonic() + LONGEST_S
    while not there():
        assert monotonic() < deadline_s, what()
        sleep(0.1)


@contextmanager
def talking(home: Home, folder: Path, core_port: int) -> Iterator[tuple[Assistant, queue.Queue[Event]]]:
    """A terminal that records what it would say, and its core, which listens on `core_port`."""
    home.write_config(
        f"[core]\nport = {core_port}\nprofile = 'lite'\n[answering]\nmax_tokens = 2\n"
        f"[devices]\nmicrophone = 'none'\nspeaker = '{(folder / 'said.wav').as_posix()}'\n"
    )
    events: queue.Queue[Event] = queue.Queue()
    core = [sys.executable, "-m", "tests.e2e.metered_core", str(home.config), str(folder / "token")]
    assistant = Assistant(load(home.config), home.config, events.put, core=core)
    assistant.start()
    try:
        yield assistant, events
    finally:
        assistant.stop(5.0)


def wait_for(events: queue.Queue[Event], kind: type[Event]) -> Event:
    deadline_s = monotonic() + LONGEST_S
    while True:
        event = events.get(timeout=max(0.0, deadline_s - monotonic()))
        if isinstance(event, kind):
            return event


def test_two_turns_are_seen_on_every_panel(
    isolated_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in isolated_home.env.items():
        monkeypatch.setenv(name, value)
    core_port = free_port()
    prometheus = Prometheus(tmp_path, core_port, tmp_path / "token")
    try:
        with talking(isolated_home, tmp_path, core_port) as (assistant, events):
            wait_for(events, Ready)
            until(lambda: prometheus.values("parlor_ready") == [1], lambda: str(prometheus.ask("targets")))
            for question in ("What is the capital of Italy?", "And of France?"):
                assistant.say(question)
                done = wait_for(events, TurnDone)
                assert isinstance(done, TurnDone)
                assert done.status == "completed", done

            def told_of_both() -> bool:
                return prometheus.values('parlor_turns_total{status="completed"}') == [2]

            until(told_of_both, lambda: str(prometheus.ask("query", query="parlor_turns_total")))
            assert prometheus.values("parlor_requests_total") == [2]
            assert prometheus.values("parlor_voice_to_voice_seconds_count") == [2]
            assert prometheus.values("parlor_gpu_temperature_celsius") == [61]
            late = round(sum(prometheus.values("parlor_voice_to_voice_seconds_sum")), 3)
            assert 0 < late < 2 * LONGEST_S

            def empty() -> dict[str, list[str]]:
                asked = {panel: [q for q in wanted if not prometheus.values(q)] for panel, wanted in queries().items()}
                return {panel: without for panel, without in asked.items() if without}

            until(lambda: not empty(), lambda: f"panels without data: {empty()}")
            assert len(queries()) > 20
            groups = prometheus.ask("rules")["groups"]
            rules = {rule["name"]: rule["health"] for group in groups for rule in group["rules"]}
            assert rules == {"ParlorSlow": "ok", "ParlorErrors": "ok", "ParlorDown": "ok"}
        until(lambda: prometheus.values("up") == [0], lambda: "a core that has ended is up")
    finally:
        prometheus.close()
