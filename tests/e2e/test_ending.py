"""The program is stopped, put to sleep and killed, and its core dies: nothing is lost, and nothing is left running."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.conftest import Home
from tests.e2e.running import READY_S, headless
from tests.e2e.test_talk_on_the_rig import core_of
from tests.fault_table import Fault, RecordRow, Row
from tests.questions import QUESTIONS, question_wav
from tests.rig import Rig
from tests.speaking import word_error_rate
from tests.waiting import until

PLAIN = [sys.executable, "-m", "parlor_tui", "--plain", "--profile", "lite", "--mic", "none", "--speaker", "none"]
GONE_S = 10.0
"""Far more than it takes on a machine that has nothing else to do."""
MEANWHILE = "what was said meanwhile"
CLOCK = """
import os, time
real, file = time.time, os.environ["CLOCK_FILE"]
def shifted():
    try:
        with open(file) as offset:
            return real() + float(offset.read())
    except (OSError, ValueError):
        return real()
time.time = shifted
time.time_ns = lambda: int(shifted() * 1e9)
"""
"""A clock of the wall that can be set: seconds to add are in the file."""


class Plain:
    """`parlor-tui --plain` while it runs: `lines` are what it said."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(self.process.stdout)

    def core(self) -> psutil.Process:
        def cores() -> list[psutil.Process]:
            return [p for p in psutil.Process(self.process.pid).children() if "core" in p.cmdline()]

        until(lambda: bool(cores()), "a core", READY_S)
        return cores()[0]

    def family(self) -> list[psutil.Process]:
        program = psutil.Process(self.process.pid)
        return [program, *program.children(recursive=True)]

    def ask(self, text: str) -> None:
        """Type a turn, and wait for a sentence of the answer."""
        before = sum(line.startswith("parlor:") for line in self.lines)
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        until(lambda: sum(line.startswith("parlor:") for line in self.lines) > before, f"an answer in {self.lines}", 60)


@contextmanager
def plain(home: Home, **env: str) -> Iterator[Plain]:
    command, pipe = [*PLAIN, "--camera", "none"], subprocess.PIPE
    environment = {**home.env, **env}
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Plain(process)
        finally:
            process.kill()


def test_a_machine_that_sleeps_and_a_clock_that_is_set_are_no_trouble(
    rig: Rig, isolated_home: Home, tmp_path: Path, fault_row: RecordRow
) -> None:
    isolated_home.write_config("[answering]\nmax_tokens = 2\n")
    (tmp_path / "sitecustomize.py").write_text(CLOCK)
    clock = tmp_path / "clock"
    path = os.pathsep.join((str(tmp_path), isolated_home.env["PYTHONPATH"]))
    env = {**rig.env, "PYTHONPATH": path, "CLOCK_FILE": str(clock)}
    with headless("--profile", "lite", "--camera", "none", home=isolated_home, env=env) as live:
        live.wait("ready", timeout_s=READY_S)
        core, program = core_of(live), psutil.Process(live.process.pid)
        asked = 0

        def answers_aloud(after: str) -> None:
            nonlocal asked
            asked += 1
            rig.speak(question_wav(QUESTIONS[0]))
            done = live.wait("turn_done", count=asked)
            assert done["status"] == "completed"
            assert word_error_rate(QUESTIONS[0], done["heard"]) <= 0.2
            live.wait("audio_started", turn=done["turn"])
            voice_to_voice_s = done["stages_ms"]["voice_to_voice"] / 1000
            fault_row(Row(Fault.ASLEEP, after, recovered_s=voice_to_voice_s, since="the next question", lost=MEANWHILE))

        for offset_s in (3600, -86_400):
            clock.write_text(str(offset_s))
            time.sleep(0.5)
        answers_aloud("the clock was set by an hour, and by a day back")
        core.suspend()
        program.suspend()
        time.sleep(2.2)
        program.resume()
        time.sleep(0.1)  # not all of it wakes at the same moment
        core.resume()
        answers_aloud("the machine slept")
        program.suspend()  # Ctrl+Z
        time.sleep(2.2)
        program.resume()
        answers_aloud("the terminal was stopped")
        assert core.is_running()
        told = [notice for notice in live.of("notice", severity="warning") if notice["key"] != "microphone-silent"]
        assert told + live.of("notice", severity="error") + live.of("error") == []
        live.process.send_signal(signal.SIGTERM)
        assert live.end(GONE_S) == 0


def left(family: Sequence[psutil.Process]) -> list[str]:
    """What of the family is still there after a while."""
    _, alive = psutil.wait_procs([p for p in family if p.is_running()], GONE_S)
    return [str(process) for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def make_ready(talk: Plain, state: str) -> None:
    """Bring the program into the state in which it is ended."""
    core = talk.core()
    if state == "stands still":
        core.suspend()
        until(lambda: core.status() == psutil.STATUS_STOPPED, "it stands still")
    elif state == "downloading":
        until(lambda: len(talk.family()) >= 4, "pip, and what guards it", READY_S)


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("SIGTERM", "loading"),
        ("SIGTERM", "stands still"),
        ("SIGTERM", "downloading"),
        ("SIGHUP", "downloading"),
        ("SIGKILL", "loading"),
        ("SIGKILL", "stands still"),
        ("SIGKILL", "downloading"),
    ],
)
def test_however_it_is_ended_nothing_is_left_running(
    isolated_home: Home, tmp_path: Path, name: str, state: str
) -> None:
    env = {}
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the system accepts for it; nobody ever reads
        if state == "downloading":
            folder = tmp_path / "no-models"
            isolated_home.config.write_text(f"[models]\nfolder = '{folder}'\noffer = false\nhub = false\n")
            env["PIP_INDEX_URL"] = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
        with plain(isolated_home, **env) as talk:
            make_ready(talk, state)
            family = talk.family()
            assert len(family) >= (4 if state == "downloading" else 2), family
            talk.process.send_signal(getattr(signal, name))
            code = talk.process.wait(GONE_S)
            assert code == (-signal.SIGKILL if name == "SIGKILL" else 0)
            assert left(family) == []


def test_a_core_that_is_killed_takes_its_downloads_along(isolated_home: Home, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        folder = tmp_path / "no-models"
        isolated_home.config.write_text(f"[models]\nfolder = '{folder}'\noffer = false\nhub = false\n")
        index = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
        with plain(isolated_home, PIP_INDEX_URL=index) as talk:
            make_ready(talk, "downloading")
            downloads = talk.core().children(recursive=True)
            assert len(downloads) >= 2
            talk.core().kill()
            assert left(downloads) == []
