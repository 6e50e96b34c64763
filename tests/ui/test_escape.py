"""Esc and what is typed right after it, as a terminal sends them."""

from __future__ import annotations

import base64
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key

from parlor_tui.ui.actions import ACTIONS
from parlor_tui.ui.escape import ESC, EscapeParser, both_keys

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("terminal_program.py")


class RawTerminal:
    """The program on a bare terminal: what is written are the bytes that it reads, when they are written."""

    def __init__(self, folder: Path, *faults: str) -> None:
        import pty
        import termios

        self._folder = folder
        self._fd, other = pty.openpty()
        termios.tcsetwinsize(other, (24, 80))
        environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "HOME": str(folder),
            "TERM": "xterm-256color",
        }
        self._program = subprocess.Popen(
            [sys.executable, PROGRAM, *faults], stdin=other, stdout=other, stderr=other, env=environment
        )
        os.close(other)
        self.drawn = b""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while read := os.read(self._fd, 65536):
                self.drawn += read

    def send(self, *parts: bytes, gap_s: float = 0.0) -> None:
        for part in parts:
            os.write(self._fd, part)
            time.sleep(gap_s)

    def log(self) -> str:
        return "".join(file.read_text() for file in self._folder.rglob("parlor-tui.log"))

    def wait(self, what: str, is_so: object, limit_s: float = 30.0) -> float:
        began_s = time.monotonic()
        while not is_so():  # type: ignore[operator]
            assert time.monotonic() - began_s < limit_s, f"not within {limit_s} s: {what}\n{self.log()[-600:]}"
            time.sleep(0.005)
        return time.monotonic() - began_s

    def __enter__(self) -> RawTerminal:
        try:
            self.wait("the screen", lambda: b"LISTENING" in self.drawn or b"SPEAKING" in self.drawn)
        except AssertionError:
            self._program.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.send(b"\x11")
            assert self._program.wait(20) == 0
        finally:
            self._program.kill()
            os.close(self._fd)


@pytest.fixture
def speaking(tmp_path: Path) -> Iterator[RawTerminal]:
    with RawTerminal(tmp_path, "quiet", "speaking") as terminal:
        yield terminal


def test_esc_and_a_quick_key_stop_the_reply_and_type_the_key(speaking: RawTerminal) -> None:
    stopped = 0

    def interrupted() -> bool:
        return speaking.log().count("INTERRUPTED") == stopped + 1

    took_s = []
    for _ in range(3):
        speaking.send(b"\x1b")
        took_s.append(speaking.wait("interrupted by Esc alone", interrupted))
        stopped += 1
    assert min(took_s) < 0.08  # a tenth of a second passes where Esc is waited upon as textual does
    said = []
    for gap_s, quick in [(0.0, "hbf1 ,O[é"), (0.004, "gbf[O"), (0.05, "b[")]:
        for character in quick:
            word = f"{character}{len(said)}"
            speaking.send(b"\x1b", character.encode(), gap_s=gap_s)
            speaking.wait(f"interrupted before {character!r} after {gap_s} s", interrupted)
            stopped += 1
            if character in "[O":
                time.sleep(0.06)  # with more behind them they are arrow and function keys
            speaking.send(word[1:].encode(), b"\r")
            said.append(word.strip())
            speaking.wait(f"{word!r} typed", lambda: f"SAID {said[-1]}\n" in speaking.log())
    speaking.send(b"enter\x1b\r")
    speaking.wait("interrupted before Enter", interrupted)
    speaking.wait("sent by Enter", lambda: "SAID enter\n" in speaking.log())
    speaking.send(b"arrows\x1b[D\x1bOC\r")
    speaking.wait("arrow keys are arrow keys", lambda: "SAID arrows\n" in speaking.log())
    assert speaking.log().count("INTERRUPTED") == stopped + 1


SENT: dict[str, tuple[bytes, str, bytes]] = {
    "talk_key": (b"\x1b[18~", "ASKED talk_key", b""),
    "mute": (b"\x1b[19~", "MUTED True", b""),
    "repeat": (b"\x1b[15~", "ASKED speak ('Black tea", b""),
    "copy": (b"\x19", "", b"\x1b]52;c;" + base64.b64encode(b"Black tea needs")[:16]),
    "camera": (b"\x1b[17~", "ASKED use_device ('camera', 'default')", b""),
    "new_conversation": (b"\x0e", "ASKED new_conversation", b""),
    "get_model": (b"\x07", "GET MODEL", b"cancel"),
    "no_model": (b"\x18", "CANCEL MODEL", b""),
    "export": (b"\x05", "", b"Exported to"),
    "theme": (b"\x1bOS", "", b"catppuccin-latte"),
    "help": (b"\x1bOP", "", b"How talking works"),
    "history": (b"\x1bOR", "", b"History"),
    "devices": (b"\x1b[20~", "ASKED watch_devices (True,)", b""),
    "conversations": (b"\x0f", "", b"Conversations"),
    "commands": (b"\x10", "", b"hat do you want to do?"),
    "tune": (b"\x1bOQ", "ASKED tell_tuning", b""),
}
"""The bytes that xterm and those like it send for each action's key, and what then is in the log or drawn."""


@pytest.fixture
def talked(tmp_path: Path) -> Iterator[RawTerminal]:
    (tmp_path / "Documents").mkdir()
    with RawTerminal(tmp_path, "quiet", "talked", "offers") as terminal:
        yield terminal


def test_every_key_as_a_terminal_sends_it(talked: RawTerminal) -> None:
    assert set(SENT) == {action.id for action in ACTIONS} - {"interrupt", "leave"}
    talked.wait("the talk", lambda: b"Black tea" in talked.drawn)
    for action, (sent, logged, drawn) in SENT.items():
        before = len(talked.drawn)
        assert not logged or logged not in talked.log(), action
        talked.send(sent)
        talked.wait(action, lambda: logged in talked.log() and drawn in talked.drawn[before:])  # noqa: B023
        if action == "help":
            talked.send(b"\x1b")  # the reply sounds: it is stopped first, and what is open stays
            talked.wait("interrupted", lambda: "INTERRUPTED" in talked.log())
            time.sleep(0.3)  # the screen takes up what happened twelve times a second
        if action in ("help", "history", "devices", "conversations", "commands"):
            before = len(talked.drawn)
            talked.send(b"\x1b")
            talked.wait(f"{action} closed", lambda: b"ype here" in talked.drawn[before:])  # noqa: B023
    assert talked.log().count("INTERRUPTED") == 1


def keys_of(sequence: str) -> list[tuple[str, str | None]]:
    """What the parser makes of `sequence`, once nothing more follows it."""
    parser = EscapeParser()
    found = list(parser.feed(sequence))
    while (due_s := parser._timeout_time) is not None:
        time.sleep(max(due_s - time.monotonic(), 0) + 0.001)
        found += list(parser.tick())
    assert all(isinstance(key, Key) for key in found)
    return [(key.key, key.character) for key in found if isinstance(key, Key)]


@pytest.mark.parametrize(
    ("sequence", "keys"),
    [
        (ESC, [("escape", ESC)]),
        ("\x1b\x14", [("escape", ESC), ("ctrl+t", "\x14")]),
        ("\x1b\r", [("alt+enter", "\r")]),
        ("\x1bb", [("alt+b", "b")]),
        ("\x1b\x1b[A", [("escape", ESC), ("up", None)]),
        ("\x1bOP", [("f1", None)]),
        ("\x1b[1;5D", [("ctrl+left", None)]),
        ("\x1b[97;3u", [("alt+a", None)]),
        ("é\x14", [("é", "é"), ("ctrl+t", "\x14")]),
    ],
)
def test_what_terminals_send(sequence: str, keys: list[tuple[str, str | None]]) -> None:
    assert keys_of(sequence) == keys


@given(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), st.booleans())
def test_whatever_stands_behind_esc_is_typed(character: str, sounding: bool) -> None:
    raw = list(EscapeParser()._sequence_to_key_events(character, alt=True))
    keys = [key for event in raw for key in both_keys(event, sounding)]
    if character in "bf" and not sounding:
        assert [key.key for key in keys] == [{"b": "ctrl+left", "f": "ctrl+right"}[character]]
        return
    assert keys[0].key == "escape"
    assert [key.character for key in keys[1:]] == [character]


@given(st.sampled_from(["a", "f5", "ctrl+t", "escape", "enter", "alt+delete", "alt+a"]), st.booleans())
def test_what_is_one_key_stays_one(name: str, sounding: bool) -> None:
    event = Key(name, None)
    assert both_keys(event, sounding) == [event]
