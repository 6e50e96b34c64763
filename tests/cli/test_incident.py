"""A real core that dies in a real talk leaves an incident with everything in it; and the journal is followed live."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil

from parlor_tui.link.wire import WEDGED_EXIT
from parlor_tui.observe import incidents
from parlor_tui.observe.incidents import FILES, WORDS_FILE
from parlor_tui.observe.journal import Entry, JournalFile, line, parse, put_by
from tests.conftest import Home
from tests.e2e.running import READY_S, TURN_S, parlor
from tests.journals import raw_lines
from tests.waiting import until

PLAIN = [sys.executable, "-m", "parlor_tui", "--plain", "--profile", "lite", "--mic", "none", "--speaker", "none"]


class Program:
    """A program whose input is typed here, and whose lines of output are waited for."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            with self._changed:
                self.lines.append(text.rstrip("\n"))
                self._changed.notify_all()

    def type(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def wait(self, is_so: Callable[[str], bool], timeout_s: float, count: int = 1) -> str:
        def found() -> list[str]:
            return [text for text in self.lines if is_so(text)]

        with self._changed:
            came = self._changed.wait_for(lambda: len(found()) >= count, timeout_s)
            assert came, self.lines
            return found()[count - 1]


@contextmanager
def program(*command: str, home: Home) -> Iterator[Program]:
    with subprocess.Popen(
        command, env=home.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        try:
            yield Program(process)
        finally:
            process.kill()


def test_a_core_that_dies_leaves_everything_that_is_needed_to_find_out_why(isolated_home: Home) -> None:
    isolated_home.write_config("[journal]\nwords = true\n[answering]\nmax_tokens = 12")
    root = Path(isolated_home.env["HOME"])

    def journal() -> list[Entry]:
        found = [parse(raw) for path in root.rglob("journal.jsonl") for raw in raw_lines(path)]
        return [entry for entry in found if entry is not None]

    def kept() -> list[Path]:
        return [folder / name for folder in root.rglob("incidents") for name in incidents.names(folder)]

    with program(*PLAIN, home=isolated_home) as talk:
        talk.wait(lambda text: text.startswith("ready: lite"), READY_S)
        talk.type("Name two colours.")
        talk.wait(lambda text: text.startswith("parlor: "), TURN_S)
        until(lambda: any(entry.kind == "turn" for entry in journal()), "the turn in the journal")
        (core,) = [one for one in psutil.Process(talk.process.pid).children() if "core" in one.cmdline()]
        core.send_signal(signal.SIGSEGV)
        until(lambda: bool(kept()), "an incident")
        talk.type("/quit")
        assert talk.process.wait(10) == 0

    (folder,) = kept()
    assert folder.name.endswith("-core-died")
    texts = {file: (folder / file).read_text("utf-8") for file in FILES}
    head = json.loads(texts["incident.json"])
    assert "signal 11" in head["what"] or "SIGSEGV" in head["what"]
    assert (head["profile"], head["cores_started"], head["terminal"]) == ("lite", 1, talk.process.pid)
    assert [told["kind"] for told in map(json.loads, texts["journal.jsonl"].splitlines())] == ["core", "turn", "core"]
    assert [file for file, text in texts.items() if "Name two colours" in text] == [WORDS_FILE]
    assert "\nmax_tokens = 12" in texts["settings.toml"]
    assert json.loads(texts["tuning.json"])["answering.max_tokens"] == 12
    versions = json.loads(texts["versions.json"])
    assert versions["python"] == sys.version
    assert versions["packages"]["onnxruntime"]
    assert json.loads(texts["probes.json"])["machine"]["reading"]["ram_total_mb"] > 100
    assert "Fatal Python error: Segmentation fault" in texts["native.log"]
    assert "Thread 0x" in texts["native.log"]
    assert "assistant.py" in texts["stacks.txt"]
    assert not [text for text in texts.values() if str(root) in text]

    turn = next(entry for entry in journal() if entry.kind == "turn")
    assert (turn.text("source"), turn.text("status"), turn.text("said")) == ("typed", "completed", "Name two colours.")
    assert turn.group("tuning") == {"answering.max_tokens": 12}
    assert turn.group("health")["core_mb"] > 10
    assert turn.stages_ms["first_token"] > 0


def test_a_core_that_hangs_says_where_before_it_ends(isolated_home: Home) -> None:
    hanging = """
import threading, time
from parlor_tui.link import server
def a_native_call_that_hangs(): time.sleep(60)
threading.Thread(target=a_native_call_that_hangs, daemon=True).start()
server._end_wedged(5.0)
"""
    done = subprocess.run(
        [sys.executable, "-c", hanging], env=isolated_home.env, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == WEDGED_EXIT
    assert "in a_native_call_that_hangs" in done.stderr
    assert "in _end_wedged" in done.stderr


def test_the_journal_is_followed_until_ctrl_c(isolated_home: Home) -> None:
    shown = parlor("journal", env=isolated_home.env)
    path = Path(shown.stderr.split(": ")[1])
    file = JournalFile(path, 400, 9)

    def add(turn: int) -> None:
        file.append(line(datetime.now(UTC), "turn", turn=turn, status="failed" if turn % 2 else "completed"))

    add(1)
    following = (sys.executable, "-m", "parlor_tui", "journal", "--follow", "--json", "--status", "failed")
    with program(*following, home=isolated_home) as follower:
        follower.wait(lambda text: '"turn": 1' in text, 20)
        for turn in range(2, 20):
            add(turn)
        follower.wait(lambda text: '"turn": 19' in text, 20)
        follower.process.send_signal(signal.SIGINT)
        assert follower.process.wait(10) == 130
    assert [json.loads(text)["turn"] for text in follower.lines] == list(range(1, 20, 2))
    assert len(put_by(path)) > 3
