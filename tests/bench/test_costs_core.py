"""A core in a process of its own whose models only take time."""

from __future__ import annotations

import json
import queue
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from parlor_tui.bench.costs.command import command
from parlor_tui.bench.costs.costs import M3_PRO, REPLY
from parlor_tui.events import CoreEvent, CoreHello, CoreReady, ReplyAudio, ReplyCreated, ReplyDone
from parlor_tui.link import client_events as say
from parlor_tui.link.client import Link
from tests.conftest import Home

TONE = np.full(48_000, 0.1, np.float32)


class Client:
    """A link that can be waited on."""

    def __init__(self, port: int) -> None:
        self.events: queue.Queue[tuple[float, CoreEvent]] = queue.Queue()
        self.link = Link(
            f"ws://127.0.0.1:{port}/v1/realtime",
            "token",
            lambda event: self.events.put((time.monotonic(), event)),
            lambda _reason: None,
        )
        self.link.start()

    def until(self, kind: type[CoreEvent]) -> tuple[float, CoreEvent]:
        while True:
            at_s, event = self.events.get(timeout=10)
            if isinstance(event, kind):
                return at_s, event


@pytest.fixture
def core(isolated_home: Home, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    process = subprocess.Popen(
        command(None, [TONE], tmp_path), env=isolated_home.env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write('{"token": "token"}\n')
    process.stdin.flush()
    yield process, int(json.loads(process.stdout.readline())["port"])
    process.stdin.close()
    assert process.wait(5) == 0


def test_it_is_a_core_that_says_what_it_is_and_answers_in_time(core: tuple[subprocess.Popen[str], int]) -> None:
    process, port = core
    client = Client(port)
    _, hello = client.until(CoreHello)
    _, ready = client.until(CoreReady)
    assert isinstance(hello, CoreHello)
    assert isinstance(ready, CoreReady)
    assert "simulated" in hello.model
    assert "simulated" in ready.model
    assert (ready.profile, ready.hears, ready.sees) == ("gemma", True, True)

    spoken = (np.full(3 * 24_000, 0.1) * 32767).astype("<i2").tobytes()
    client.link.send(say.AppendAudio(spoken))
    client.link.send(say.CommitAudio())
    began_s = time.monotonic()
    client.link.send(say.CreateResponse(1))
    client.until(ReplyCreated)
    first_s, _ = client.until(ReplyAudio)
    sound_s = M3_PRO.sound_s(3.3)
    assert first_s - began_s > sound_s + M3_PRO.write_s(2) + M3_PRO.voice_base_s
    assert first_s - began_s < sound_s + M3_PRO.write_s(25) + M3_PRO.voice_s(59) + 1.0
    _, done = client.until(ReplyDone)
    assert isinstance(done, ReplyDone)
    assert (done.status, done.text) == ("completed", REPLY)

    used = psutil.Process(process.pid).cpu_times()
    time.sleep(1)
    later = psutil.Process(process.pid).cpu_times()
    assert later.user + later.system - used.user - used.system < 0.1  # idle, it costs next to nothing
    client.link.close()


def test_what_it_cannot_do_is_one_line(isolated_home: Home, tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("no sounds")
    for wrong, told in (
        (f"--said={tmp_path / 'bad.npz'}", ""),
        ("--said=gone.npz", "gone"),
        ("--costs=m9", "m9"),
        ("--config=absent.toml", "absent"),
    ):
        done = subprocess.run(
            [*command(None, [], tmp_path), wrong],
            env=isolated_home.env,
            input="",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert told in done.stderr
        assert "Traceback" not in done.stderr
