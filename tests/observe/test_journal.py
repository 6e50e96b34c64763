"""The journal's files: rotation, torn lines, reading while it is written, and the figures of it."""

from __future__ import annotations

import errno
import json
import math
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.observe.journal import Entry, Follower, JournalFile, line, parse, put_by, tail, wordless
from parlor_tui.observe.journal_figures import summary
from tests.journals import raw_lines

AT = datetime(2026, 11, 30, 18, 25, 13, 500_000, UTC)
FILES = st.integers(1, 5)
LIMITS = st.integers(100, 600)
TEXTS = st.lists(st.text(max_size=60), min_size=1, max_size=40)


@contextmanager
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "log" / "journal.jsonl"


def texts(path: Path) -> list[str]:
    return [entry.text("text") for entry in map(parse, raw_lines(path)) if entry is not None]


def noted(number: int, text: str) -> bytes:
    return line(AT, "notice", text=f"{number} {text}")


@settings(max_examples=60, deadline=None)
@given(TEXTS, LIMITS, FILES)
def test_rotation_keeps_the_newest_in_order_and_no_more_than_it_may(said: list[str], limit: int, files: int) -> None:
    with place() as path:
        file = JournalFile(path, limit, files)
        lines = [noted(number, text) for number, text in enumerate(said)]
        for raw in lines:
            file.append(raw)
        kept = list(raw_lines(path))
        assert kept == lines[-len(kept) :]
        there = [*put_by(path), path]
        assert len(there) <= files
        assert all(one.stat().st_size <= max(limit, *map(len, lines)) for one in there)
        if sum(map(len, lines)) <= limit:
            assert kept == lines
        if len(there) < files:  # nothing had to go
            assert kept == lines


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.data())
def test_a_torn_last_line_is_skipped_and_the_next_one_is_not_lost(said: list[str], data: st.DataObject) -> None:
    with place() as path:
        file = JournalFile(path, 1_000_000, 2)
        for number, text in enumerate(said):
            file.append(noted(number, text))
        written = path.read_bytes()
        path.write_bytes(written[: data.draw(st.integers(0, len(written)))])
        before = texts(path)
        assert before == [f"{number} {text}" for number, text in enumerate(said)][: len(before)]
        assert len(before) >= path.read_bytes().count(b"\n")
        file.append(noted(99, "after it"))
        assert texts(path) == [*before, "99 after it"]


def test_a_disk_that_fills_within_a_line_spoils_only_that_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    file = JournalFile(path, 1_000_000, 2)
    file.append(noted(1, "before"))
    write = os.write
    room = [10]

    def full(descriptor: int, content: memoryview) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        done, room[0] = write(descriptor, content[: room[0]]), 0
        return done

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left") as failed:
            file.append(noted(2, "torn"))
    assert failed.value.filename == str(path)
    file.append(noted(3, "after"))
    assert texts(path) == ["1 before", "3 after"]


@given(st.one_of(st.binary(max_size=80), st.from_regex(rb'\{"at": "2026-11-3.{0,20}", "kind": "turn".{0,30}\}?')))
def test_whatever_a_line_holds_it_is_an_entry_or_none(raw: bytes) -> None:
    entry = parse(raw)
    assert entry is None or entry.at.tzinfo is not None


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("turn", "stages_ms", "tokens", "health", "tuning", "said", "eager", "status", "restarts", "severity", "over")


@settings(max_examples=60)
@given(st.sampled_from(["turn", "core", "notice"]), st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES))
def test_no_value_of_a_field_upsets_who_reads_it(kind: str, fields: dict[str, Any]) -> None:
    entry = parse(json.dumps({"at": AT.isoformat(), "kind": kind, **fields}).encode())
    assert entry is not None
    assert all(math.isfinite(ms) for ms in entry.stages_ms.values())
    figures = summary([entry])
    assert figures.turns == (kind == "turn")
    json.dumps(figures.as_json())
    assert parse(wordless(entry)) == Entry(AT, entry.kind, {k: v for k, v in entry.fields.items() if k != "said"})


@given(st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES))
def test_a_line_is_one_line_and_holds_what_was_given(fields: dict[str, Any]) -> None:
    raw = line(AT, "turn", **fields)
    assert raw.count(b"\n") == 1
    entry = parse(raw)
    assert entry is not None
    assert entry.at == AT
    for name, value in fields.items():
        if isinstance(value, str | int) and value != "":
            assert entry.fields[name] == value


@pytest.mark.parametrize(
    "raw",
    [
        b"9" * 5000,
        b"[" * 50_000,
        b'{"at": 3, "kind": "turn"}',
        b'{"at": "2026-11-30", "kind": "turn"}',
        b"[1]",
        b'{"at": "2026-11-30T10:00:00+00:00", "kind": "turn", "status": "\xed\xa0\x80"}',
        '{"at": "2026-11-30T10:00:00+00:00", "kind": "turn"}'.encode("utf-16"),
    ],
)
def test_lines_that_are_none(raw: bytes) -> None:
    assert parse(raw) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=40), st.none()), max_size=25), LIMITS)
def test_who_follows_sees_each_line_once_whatever_is_put_by(steps: list[str | None], limit: int) -> None:
    """A step is a line that is written, or None: a look at what is new."""
    with place() as path:
        file = JournalFile(path, limit, files=100)
        newest = Follower(path)
        seen: list[bytes] = list(newest.earlier())
        written: list[bytes] = []
        for number, step in enumerate(steps):
            if step is None:
                seen += newest.fresh()
                assert seen == written
            else:
                written.append(noted(number, step))
                file.append(written[-1])
        seen += newest.fresh()
        assert seen == written
        assert list(raw_lines(path)) == written


@given(st.lists(st.integers(1, 30), max_size=8))
def test_a_line_is_followed_once_it_is_whole(cuts: list[int]) -> None:
    whole = b"".join(noted(number, "x") for number in range(3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        newest = Follower(path)
        seen: list[bytes] = []
        rest = whole
        with path.open("ab", buffering=0) as file:
            for cut in [*cuts, len(whole)]:
                file.write(rest[:cut])
                rest = rest[cut:]
                seen += newest.fresh()
                assert all(raw.endswith(b"\n") for raw in seen)
        assert b"".join(seen) == whole


def test_two_terminals_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    command = [sys.executable, "-m", "tests.observe.appending_lines", str(path), "3000", "100"]
    both = [subprocess.Popen([*command, name, "300"], stdin=subprocess.PIPE, text=True) for name in ("a", "b")]
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.close()
    assert [process.wait(60) for process in both] == [0, 0]
    found = texts(path)
    assert len(put_by(path)) >= 10
    for name in ("a", "b"):
        own = [text for text in found if text.startswith(name)]
        assert sorted(own, key=lambda text: int(text.split()[1])) == [f"{name} {number}" for number in range(300)]


def test_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    file = JournalFile(path, 10, 3)
    for number in range(3):
        file.append(noted(number, ""))
    assert len(put_by(path)) == 2
    if sys.platform != "win32":
        assert {stat.S_IMODE(one.stat().st_mode) for one in [path, *put_by(path)]} == {0o600}


@given(st.integers(1, 900), st.lists(st.integers(1, 90), max_size=12))
@settings(max_examples=60, deadline=None)
def test_the_tail_is_the_last_whole_lines_also_of_the_file_before(most: int, sizes: list[int]) -> None:
    with place() as path:
        file = JournalFile(path, 600, 5)
        lines = [noted(number, "x" * size) for number, size in enumerate(sizes)]
        for raw in lines:
            file.append(raw)
        found = tail(path, most)
        assert found == lines[len(lines) - len(found) :]
        assert sum(map(len, found)) <= most
        if lines and most >= 2 * len(lines[-1]):
            assert found


def entry(kind: str = "turn", **fields: Any) -> Entry:
    found = parse(line(AT + timedelta(seconds=fields.pop("after_s", 0)), kind, **fields))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_the_summary_counts_what_happened() -> None:
    turns = [
        entry(source="voice", status="completed", stages_ms={"endpoint": 200.0, "voice_to_voice": 800.0}, tokens=10),
        entry(
            source="typed", status="interrupted", interrupted_by="key", stages_ms={"voice_to_voice": 400.0}, tokens=5
        ),
        entry(source="voice", status="joined", stages_ms={"voice_to_voice": 99_000.0}),
        entry(source="voice", status="no_words"),
        entry(source="typed", status="failed", eager=True, after_s=60, lost={"a_b": 2, "c": "x", "d": -1}),
    ]
    others = [
        entry("core", what="ready"),
        entry("core", what="died", reason="killed", lost={"a_b": 1}),
        entry("core", what="ready", restarts=1),
        entry("core", what="link_lost"),
        entry("notice", severity="warning", key="speaker", text="gone"),
        entry("notice", severity="warning", key="speaker", over=True),
    ]
    figures = summary([*turns, *others])
    assert figures.first == AT
    assert figures.last == AT + timedelta(seconds=60)
    assert (figures.turns, figures.tokens, figures.eager) == (5, 15, 1)
    assert figures.source == {"voice": 3, "typed": 2}
    assert figures.status["completed"] == figures.status["failed"] == 1
    assert figures.error_rate == pytest.approx(1 / 3)
    assert (figures.deaths, figures.restarts) == (1, 1)
    assert figures.notices == {"warning": 1}
    assert figures.lost == {"a_b": 3}
    took = figures.stages_ms["voice_to_voice"]
    assert (took.turns, took.p50, took.p95) == (2, 600.0, pytest.approx(780.0))
    assert list(figures.stages_ms) == ["endpoint", "voice_to_voice"]
    assert summary([]).error_rate is None
