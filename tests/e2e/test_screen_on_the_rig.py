"""The program as people run it: a real terminal, a microphone and a speaker, the real models."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from parlor_tui.events import now_s
from tests.conftest import Home
from tests.fault_table import Fault, RecordRow, Row
from tests.questions import QUESTIONS, question_wav
from tests.rig import Rig
from tests.terminal import Tmux

SINCE = "the fault: models loaded"
READY_S = 90.0
TURN_S = 60.0


@pytest.fixture
def screen(rig: Rig, isolated_home: Home, tmp_path: Path) -> Iterator[Tmux]:
    names = ("HOME", "PYTHONPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    terminal = Tmux(tmp_path, {**{name: isolated_home.env[name] for name in names}, **rig.env}, columns=120, rows=36)
    yield terminal
    terminal.close()


def start(screen: Tmux, *options: str) -> None:
    screen.run(f"{sys.executable} -m parlor_tui {' '.join(options)}")


def core_of(screen: Tmux) -> psutil.Process:
    (core,) = [p for p in psutil.Process(screen.program_pid()).children() if "core" in p.cmdline()]
    return core


def log_text(home: Home) -> str:
    return "".join(path.read_text(errors="replace") for path in Path(home.env["HOME"]).rglob("parlor-tui.log*"))


def test_talk_type_interrupt_and_leave(screen: Tmux, rig: Rig, isolated_home: Home) -> None:
    (Path(isolated_home.env["HOME"]) / "Documents").mkdir(exist_ok=True)
    start(screen)
    screen.wait_for("LOADING")
    screen.wait_for("LISTENING", READY_S)
    assert "demo-grade" in screen.picture()
    rig.speak(question_wav(QUESTIONS[0]))
    screen.wait_for("Paris", TURN_S)
    screen.wait("the stages of the turn", lambda: "voice to voice – " not in screen.picture(), TURN_S)
    assert "What is the capital of France?" in screen.picture()
    screen.wait_for("LISTENING", TURN_S)
    screen.keys("Tell me a story about a dog.", "Enter")
    screen.wait_for("SPEAKING", TURN_S)
    screen.keys("Escape")
    screen.wait_for("LISTENING", 3.0)
    screen.keys("C-t")
    screen.wait_for("MUTED", 3.0)
    screen.keys("C-t")
    screen.wait_for("LISTENING", 3.0)
    tune_theme_and_export(screen, isolated_home)
    core = core_of(screen)
    screen.keys("C-q")
    assert screen.wait_for_end() == 0
    screen.assert_terminal_is_whole()
    core.wait(2)
    assert "Traceback" not in log_text(isolated_home)


def tune_theme_and_export(screen: Tmux, home: Home) -> None:
    """Change a setting in the panel, see that it acts; another theme, a file of the talk, and where its time went."""
    screen.keys("F2")
    screen.wait_for("─ Tune ─", 3.0)
    while (here := marked(screen)) != "max tokens":
        screen.keys("Down")
        screen.wait("the next one", lambda was=here: marked(screen) not in (was, ""), 3.0)  # type: ignore[misc]
    screen.keys("3", "Enter")
    screen.wait_for("max tokens 3 from here on", 5.0)
    screen.keys("F2")
    screen.wait("the panel to close", lambda: "─ Tune ─" not in screen.picture(), 3.0)
    screen.keys("Tell me a long story about a cat.", "Enter")
    screen.wait_for("a long story about a cat", 5.0)
    screen.wait_for("SPEAKING", TURN_S)
    screen.wait_for("LISTENING", TURN_S)
    colours = screen.call("capture-pane", "-p", "-e")
    screen.keys("F4")
    screen.wait("other colours", lambda: screen.call("capture-pane", "-p", "-e") != colours, 3.0)
    screen.keys("F3")
    screen.wait_for("3 turns", 3.0)
    screen.keys("F3")
    screen.keys("C-e")
    screen.wait("the file", lambda: bool(exported(home)), 5.0)
    (file,) = exported(home)
    text = file.read_text(encoding="utf-8")
    assert "What is the capital of France?" in text
    assert "a long story about a cat" in text


def marked(screen: Tmux) -> str:
    """The panel's row that has the focus."""
    found = re.search(r"▸([\w-]+(?: [\w-]+)*)", screen.picture())
    return found.group(1) if found else ""


def exported(home: Home) -> list[Path]:
    return [path for path in Path(home.env["HOME"]).rglob("*.md") if path.is_file()]


def test_when_the_core_is_killed_during_a_reply_the_screen_stays_and_says_so(
    screen: Tmux, rig: Rig, fault_row: RecordRow
) -> None:
    start(screen)
    screen.wait_for("LISTENING", READY_S)
    screen.keys("Tell me a long story.", "Enter")
    screen.wait_for("SPEAKING", TURN_S)
    core, began_s = core_of(screen), now_s()
    core.kill()
    screen.wait_for("starting it again", 5.0)
    noticed_s = now_s() - began_s
    screen.wait_for("LISTENING", READY_S)
    recovered_s = now_s() - began_s
    rig.speak(question_wav(QUESTIONS[0]))
    screen.wait_for("Paris", TURN_S)
    seen = "the core was killed (maybe out of memory); starting it again, the talk goes on"
    rest = "the rest of that reply"
    fault_row(Row(Fault.CORE_DIES, "SIGKILL in a reply, on the screen", seen, noticed_s, recovered_s, SINCE, rest))


@pytest.mark.parametrize(
    ("moment", "key"),
    [("LOADING", "C-c"), ("LISTENING", "C-q"), ("HEARING", "C-c"), ("THINKING", "C-q"), ("SPEAKING", "C-c")],
)
def test_it_can_be_left_from_every_state(screen: Tmux, rig: Rig, moment: str, key: str) -> None:
    start(screen)
    screen.wait_for("LOADING")
    if moment != "LOADING":
        screen.wait_for("LISTENING", READY_S)
    core = core_of(screen) if moment != "LOADING" else None
    if moment == "HEARING":
        import threading

        threading.Thread(target=rig.speak, args=(question_wav(QUESTIONS[5]),), daemon=True).start()
        screen.wait_for("HEARING")
    if moment in ("THINKING", "SPEAKING"):
        screen.keys("Tell me a story about a dog.", "Enter")
        screen.wait_for(moment, TURN_S)
    screen.keys(key)
    assert screen.wait_for_end() == 0
    screen.assert_terminal_is_whole()
    if core is not None:
        core.wait(2)


def test_without_any_sound_system_typing_works(isolated_home: Home, tmp_path: Path) -> None:
    names = ("HOME", "PYTHONPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    # Neither this machine's sound nor the rig's, which other tests have put into the environment of this process.
    nowhere = {"PULSE_SERVER": f"unix:{tmp_path}/none", "ALSA_CONFIG_PATH": "/usr/share/alsa/alsa.conf"}
    screen = Tmux(tmp_path, {**{name: isolated_home.env[name] for name in names}, **nowhere}, columns=120, rows=36)
    try:
        start(screen)
        screen.wait_for("no speaker", READY_S)
        screen.wait_for("no microphone", READY_S)
        time.sleep(0.2)
        screen.keys("What is the capital of Italy?", "Enter")
        screen.wait_for("Rome", TURN_S)
        screen.keys("C-q")
        assert screen.wait_for_end() == 0
    finally:
        screen.close()
