"""The format of a kept conversation: whatever was said, and wherever the writing ended."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.conversations.record import (
    LONGEST_TEXT_CHARS,
    ConversationError,
    Mark,
    Turn,
    earlier,
    head_line,
    mark_line,
    read,
    turn_line,
)

BUSY = settings(deadline=None)  # a machine that does much else is no fault
TEXT = st.text(max_size=200)  # lone surrogates, control characters and all
WORDS = TEXT.filter(bool)
TIMES_MS = st.dictionaries(st.sampled_from(["endpoint", "first_token"]), st.floats(-1e9, 1e9))
TURNS = st.lists(
    st.builds(
        Turn,
        number=st.just(0),
        at=TEXT,
        by=st.sampled_from(["voice", "typed"]),
        said=WORDS,
        reply=TEXT,
        heard=st.none() | TEXT,
        status=st.sampled_from(["completed", "interrupted"]),
        stages_ms=TIMES_MS,
        output_tokens=st.integers(0, 1000),
    ),
    max_size=4,
)


def line_of(turn: Turn, number: int) -> bytes:
    told: dict[str, Any] = {name: getattr(turn, name) for name in turn.__slots__ if name != "number"}
    return turn_line(number, **{**told, "stages_ms": dict(turn.stages_ms)})


@BUSY
@given(TURNS, TEXT, st.dictionaries(TEXT, st.booleans() | st.integers() | TEXT, max_size=3))
def test_what_was_written_is_read(turns: list[Turn], model: str, values: dict[str, Any]) -> None:
    lines = [head_line("2026-11-30T14:18:52+00:00", "lite", model), mark_line(Mark(1, "", values))]
    lines += [line_of(turn, number) for number, turn in enumerate(turns, 1)]
    talk = read("x", b"".join(lines))
    assert (talk.began, talk.profile, talk.model, talk.unread_lines) == ("2026-11-30T14:18:52+00:00", "lite", model, 0)
    assert talk.marks == (Mark(1, "", values),)
    assert [
        (t.said, t.reply, t.heard, t.at, t.by, t.status, t.output_tokens, dict(t.stages_ms)) for t in talk.turns
    ] == [(t.said, t.reply, t.heard, t.at, t.by, t.status, t.output_tokens, dict(t.stages_ms)) for t in turns]


@BUSY
@given(TURNS, st.integers(0, 400), st.binary(max_size=20))
def test_a_torn_tail_costs_no_whole_line(turns: list[Turn], cut: int, rubbish: bytes) -> None:
    lines = [line_of(turn, number) for number, turn in enumerate(turns, 1)]
    data = b"".join(lines)
    kept = data[: max(0, len(data) - cut)]
    whole = kept.count(b"\n")
    talk = read("x", kept + rubbish.replace(b"\n", b" "))
    known = {turn.number: turn.said for turn in talk.turns}
    for number, turn in enumerate(turns[:whole], 1):
        assert known[number] == turn.said
    assert not set(known) - set(range(1, whole + 2))
    # whoever goes on with it begins a new line, which is read as if nothing had happened
    again = read("x", kept + b"\n" + turn_line(9, said="on we go"))
    assert again.turns[-1].said == "on we go"


@BUSY
@given(
    st.lists(st.one_of(st.binary(max_size=60), TEXT.map(lambda text: json.dumps({"turn": 1, "said": text}).encode())))
)
def test_whatever_is_in_the_file_it_can_be_read(lines: list[bytes]) -> None:
    talk = read("x", b"\n".join(lines))
    assert len(talk.turns) <= 1 or all(turn.number > 0 for turn in talk.turns)
    assert "\n" not in talk.title


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"turn": 0, "said": "x"}',
        b'{"turn": true, "said": "x"}',
        b'{"turn": 1e99, "said": "x"}',
        b'{"turn": -3}',
        b'{"tuned": 7, "after": 1}',
        b'"only text"',
        b'{"turn": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_line_that_means_nothing_is_counted_and_passed_over(line: bytes) -> None:
    talk = read("x", line + b"\n" + turn_line(1, said="Hello."))
    assert [turn.said for turn in talk.turns] == ["Hello."]
    assert talk.unread_lines == 1


def test_values_of_the_wrong_kind_tell_nothing() -> None:
    wrong = {"turn": 1, "said": ["x"], "heard": 3, "by": "smoke", "stages_ms": {"a": "x", "b": 1}, "output_tokens": -1}
    talk = read("x", turn_line(1, said="Hello.", by="typed", output_tokens=4) + json.dumps(wrong).encode())
    assert talk.turns == (Turn(1, by="typed", said="Hello.", stages_ms={"b": 1.0}, output_tokens=4),)
    assert read("x", b'{"turn": 1, "said": "x", "stages_ms": {"c": NaN}}').turns[0].stages_ms == {}


def test_what_is_told_later_of_a_turn_is_added() -> None:
    lines = [
        head_line("2026-11-30T14:18:52+01:00", "lite", "small"),
        turn_line(1, at="2026-11-30T14:18:59+01:00", by="voice", said=""),
        turn_line(1, said="How long does tea need?"),
        turn_line(2, at="2026-11-30T14:19:59+01:00", by="voice", said=""),
        turn_line(1, status="interrupted", reply="Green tea needs about two minutes. Black tea more."),
        turn_line(1, heard="Green tea needs about"),
        turn_line(2, status="no_words"),
        head_line("", "gemma", "large"),
    ]
    talk = read("x", b"".join(lines))
    (turn,) = talk.turns
    assert (turn.said, turn.heard_reply) == ("How long does tea need?", "Green tea needs about")
    assert turn.unheard_reply == "two minutes. Black tea more."
    assert (talk.began, talk.model) == ("2026-11-30T14:18:52+01:00", "large")
    (told,) = earlier(talk, 10)
    assert (told.said, told.heard, told.when) == (turn.said, "Green tea needs about", "2026-11-30 14:18")


def test_a_later_version_is_not_guessed_at() -> None:
    with pytest.raises(ConversationError, match="later version"):
        read("x", b'{"parlor": 2}\n')


def test_a_text_without_end_is_cut() -> None:
    line = turn_line(1, said="x" * (LONGEST_TEXT_CHARS + 5))
    assert len(read("x", line).turns[0].said) == LONGEST_TEXT_CHARS


def test_a_title_is_one_short_line() -> None:
    talk = read("x", turn_line(1, said="\x1b[31mRed\nand \u202e" + "long " * 40))
    assert talk.title.startswith("[31mRed and long")
    assert len(talk.title) == 70


def test_a_number_beyond_all_measure_tells_nothing() -> None:
    huge = "9" * 400
    line = f'{{"turn": 1, "said": "Hi.", "stages_ms": {{"endpoint": {huge}, "caption": 12}}, "output_tokens": {huge}}}'
    (turn,) = read("x", line.encode()).turns
    assert (turn.said, dict(turn.stages_ms), turn.output_tokens) == ("Hi.", {"caption": 12.0}, 0)
