"""`--plain`: what it says of a talk, what it takes from whoever types, and the program itself."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.commands.plain import input_lines
from parlor_tui.commands.plain_lines import PlainLines, Said
from parlor_tui.commands.plain_words import COMMANDS, TypedLines, typed_value
from parlor_tui.events import AskedAgain, Event, Loading, Notice, ReplyText, State, StateChanged
from parlor_tui.settings import toml_value
from parlor_tui.ui.bridge import Bridge
from tests.conftest import Home
from tests.ui import stand_in

PLAIN = [sys.executable, "-m", "parlor_tui", "--plain", "--profile", "lite", "--mic", "none", "--speaker", "none"]


def told(*events: Event) -> list[str]:
    lines = PlainLines()
    return [line for event in events for line in lines.of(event)]


def test_a_talk_is_told_in_whole_lines() -> None:
    assert told(*stand_in.whole_talk()) == [
        "ready: lite, SmolLM2-135M; demo-grade: expect short and often wrong answers",
        "listening: talk, or type",
        "you: What's on the table in front of me?",
        "parlor: A red mug and an open notebook.",
        "interrupted by your voice",
        "heard of the reply: A red mug and an open",
        "you: And what should I write in it today?",
        "parlor: Three things you are glad about, and one that you want to try.",
        "warning: the microphone was unplugged; plug it in again or choose another",
        "error: the camera 0 cannot be opened: another program uses it",
        "you: How long does tea need to steep?",
        "parlor: Black tea needs three to five minutes.",
    ]


def test_what_was_written_of_a_reply_that_is_asked_again_is_not_taken_for_its_beginning() -> None:
    begun, again = ReplyText(at_s=1.0, turn=0, delta="Hello th"), AskedAgain(at_s=1.1, turn=0)
    assert told(begun, again, ReplyText(at_s=1.2, turn=0, delta="", final=True)) == ["it is asked again"]


def test_a_trouble_is_told_once_and_again_when_it_is_over() -> None:
    trouble = Notice(at_s=1.0, text="no sound", severity="error", key="speaker")
    over = Notice(at_s=2.0, text="", key="speaker")
    assert told(trouble, trouble, over, over) == ["error: no sound", "over: no sound"]


def test_a_download_is_told_by_quarters() -> None:
    steps = [Loading(at_s=1.0, text="Downloading Kokoro", done_bytes=done, total_bytes=100) for done in range(101)]
    again = [Loading(at_s=2.0, text="warming up"), Loading(at_s=2.1, text="warming up")]
    assert told(*steps, *again) == [*(f"Downloading Kokoro, {part} %" for part in (0, 25, 50, 75, 100)), "warming up"]


def test_the_state_is_told_after_each_loading() -> None:
    states = [State.LOADING, State.MUTED, State.THINKING, State.MUTED, State.LOADING, State.LISTENING, State.ERROR]
    assert told(*(StateChanged(at_s=1.0, state=state) for state in states)) == [
        "no microphone is open: type",
        "listening: talk, or type",
    ]


@given(st.lists(st.text(max_size=30), max_size=8))
def test_nothing_that_is_said_moves_a_cursor(pieces: list[str]) -> None:
    reply = [ReplyText(at_s=1.0, turn=0, delta=piece) for piece in pieces]
    lines = told(*reply, ReplyText(at_s=1.0, turn=0, delta="", final=True, whole="".join(pieces)))
    assert all(line.isprintable() or "\u200c" in line or "\u200d" in line for line in lines)
    assert all(line == line.strip() for line in lines)


def test_an_escape_sequence_in_a_reply_is_harmless() -> None:
    reply = ReplyText(at_s=1.0, turn=0, delta="Red \x1b[31mis\x07 not.\u202eno ", final=True, whole="")
    assert told(reply) == ["parlor: Red [31mis not. no"]


class Asked(stand_in.StandIn):
    """Notes what is asked of the assistant."""

    def __init__(self) -> None:
        super().__init__(Bridge())
        self.left = 0

    def leave(self) -> None:
        self.left += 1


@pytest.mark.parametrize(
    ("typed", "asked", "answer"),
    [
        ("  hello there ", [("say", "hello there")], ""),
        ("//quit is a word", [("say", "/quit is a word")], ""),
        ("   ", [], ""),
        ("/stop", [("interrupt", None)], ""),
        ("/mute", [("set_muted", True)], "the microphone is closed"),
        ("/set speaking.speed 1.2", [("tune", {"speaking.speed": 1.2})], ""),
        ("/set speaking.voice = af_bella", [("tune", {"speaking.voice": "af_bella"})], ""),
        ('/set captions.language "de"', [("tune", {"captions.language": "de"})], ""),
        ("/set hearing.barge_in false", [("tune", {"hearing.barge_in": False})], ""),
        ("/set speaking.speed", [], "error: /set needs a key and a value: "),
        ("/new", [("new_conversation", None)], ""),
        ("/get", [("get_model", None)], ""),
        ("/later", [("decline_model", None)], ""),
        ("/cancel", [("cancel_model", None)], ""),
        ("/stpo", [], "error: unknown command /stpo; did you mean /stop?"),
        ("/", [], "error: unknown command /; /help lists them"),
        ("/quit now", [], "error: /quit takes nothing behind it; leave 'now' out"),
    ],
)
def test_what_is_typed_is_done(typed: str, asked: list[tuple[str, object]], answer: str) -> None:
    assistant = Asked()
    answered = TypedLines(assistant, assistant.leave).take(typed)
    assert assistant.asked == asked
    assert "\n".join(answered).startswith(answer)
    assert bool(answered) == bool(answer)


def test_mute_opens_again_help_lists_all_and_quit_leaves() -> None:
    assistant = Asked()
    lines = TypedLines(assistant, assistant.leave)
    assert [lines.take("/mute") for _ in range(2)] == [["the microphone is closed"], ["the microphone is open"]]
    assert [line.partition(":")[0] for line in lines.take("/help")[1:]] == [f"/{name}" for name in COMMANDS]
    assert told(Said(at_s=1.0, lines=("a", "b"))) == ["a", "b"]
    lines.take("/quit")
    assert assistant.left == 1


@given(
    st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False), st.text())
)
def test_a_value_is_read_as_the_settings_file_reads_it(value: object) -> None:
    assert typed_value(toml_value(value)) == value


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=20), max_size=6))
def test_lines_are_read_whole_whatever_the_end(lines: list[str]) -> None:
    read_fd, write_fd = os.pipe()
    os.write(write_fd, "\n".join(lines).encode())
    os.close(write_fd)
    assert list(input_lines(read_fd, "utf-8")) == (lines[:-1] if lines[-1:] == [""] else lines)
    os.close(read_fd)


def test_what_comes_through_a_pipe_is_answered_and_then_it_ends(isolated_home: Home) -> None:
    typed = "Name two colours.\n/set speaking.speed 9\n/set hearing.silence_ms 450\n"
    done = subprocess.run(
        PLAIN, env=isolated_home.env, input=typed, capture_output=True, text=True, check=False, timeout=90
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "\x1b" not in done.stdout
    assert "error: not changed: speaking.speed = 9: must be a number from 0.5 to 2 (x)" in lines
    assert "hearing.silence_ms is 450 now" in lines
    ready = next(index for index, line in enumerate(lines) if line.startswith("ready: lite, "))
    replies = [index for index, line in enumerate(lines) if line.startswith("parlor: ")]
    assert lines.index("you: Name two colours.") < ready < replies[0]
    assert all(lines[index].endswith((".", "!", "?", ":", '"')) for index in replies[:-1])


def test_in_a_terminal_it_draws_nothing_and_ctrl_c_leaves(isolated_home: Home) -> None:
    ours, its = pty.openpty()
    with subprocess.Popen(
        PLAIN, env=isolated_home.env | {"TERM": "xterm-256color"}, stdin=its, stdout=its, stderr=its, process_group=0
    ) as program:
        os.close(its)
        said = b""

        def read_until(is_so: Callable[[], bool], limit_s: float) -> None:
            nonlocal said
            until_s = time.monotonic() + limit_s
            while not is_so():
                assert time.monotonic() < until_s, said
                if select.select([ours], [], [], 0.05)[0]:
                    try:
                        said += os.read(ours, 65536)
                    except OSError:  # Linux's way of saying that the other side has ended
                        break

        read_until(lambda: b"starting" in said, 15)
        os.write(ours, b"/help\n")
        read_until(lambda: b"/quit: leave" in said, 5)
        program.send_signal(signal.SIGINT)
        read_until(lambda: program.poll() is not None, 5)
        assert program.wait(5) == 0
        os.close(ours)
        assert b"\x1b" not in said
        assert b"Traceback" not in said


@pytest.mark.parametrize("text", ["9" * 5000, "[" * 50_000, "{a=" * 20_000], ids=["long", "deep", "a deep table"])
def test_a_value_that_nothing_can_read_is_text(text: str) -> None:
    assert typed_value(text) == text
