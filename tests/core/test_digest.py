from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.digest import digest, weight


def words(line: str) -> int:
    return len(line.split())


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("My name is Ada.", "What is the capital of France?"),
        ("I'm allergic to nuts.", "Tell me about cats."),
        ("Remember the code.", "Tell me more."),
        ("Ich heiße Jonas.", "Erzähl mir etwas."),
        ("我叫小明", "今天天气怎么样？"),
        ("The meeting is at 1400.", "Tell me about cats."),
    ],
)
def test_what_the_user_says_of_themselves_weighs_more_than_what_they_ask(more: str, less: str) -> None:
    assert weight(more) > weight(less)


def test_the_first_line_and_the_facts_stay_in_their_order() -> None:
    lines = ["Hello there", "How are you?", "My cat is called Tom.", "Why?", "Tell me a joke please", "I live in Rome."]
    assert digest(lines, 11, words) == ["Hello there", "My cat is called Tom.", "I live in Rome."]


def test_a_long_line_is_cut() -> None:
    (line,) = digest(["x" * 500], 10, words)
    assert len(line) <= 160
    assert line.endswith("…")


@given(st.lists(st.text("abI ?1", max_size=200), max_size=30), st.integers(0, 40))
def test_it_never_takes_more_room_than_there_is(lines: list[str], room: int) -> None:
    kept = digest(lines, room, words)
    assert sum(map(words, kept)) <= room
    assert len(kept) <= len(lines)
