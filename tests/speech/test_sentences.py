from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.speech.sentences import SentenceSplitter


def split(text: str, *, pieces: list[int] | None = None, first_clause: bool = False) -> list[str]:
    """The units of `text`, fed by characters, or in pieces of the given lengths."""
    splitter = SentenceSplitter(first_clause=first_clause)
    units: list[str] = []
    at = 0
    for length in pieces or []:
        units += splitter.feed(text[at : at + length])
        at += length
    for character in text[at:]:
        units += splitter.feed(character)
    return units + splitter.finish()


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("It is warm. Take a hat.", ["It is warm.", "Take a hat."]),
        ("Pi is 3.14 or so. Yes.", ["Pi is 3.14 or so.", "Yes."]),
        ("Dr. Smith met Mrs. Jones. They talked.", ["Dr. Smith met Mrs. Jones.", "They talked."]),
        ("The U.S. is large. So is Canada.", ["The U.S. is large.", "So is Canada."]),
        ("At 5 p.m. we eat. Then we rest.", ["At 5 p.m. we eat.", "Then we rest."]),
        ("Fruit, e.g. apples. Good.", ["Fruit, e.g. apples.", "Good."]),
        ("J. R. Tolkien wrote it. I read it.", ["J. R. Tolkien wrote it.", "I read it."]),
        ("1. Eggs\n2. Milk", ["1. Eggs", "2. Milk"]),
        ("Wait... what is that? Oh!", ["Wait... what is that?", "Oh!"]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("See example.com/a.b for it. Done.", ["See example.com/a.b for it.", "Done."]),
        ("你好。我很好！你呢？", ["你好。", "我很好！", "你呢？"]),
        ("It was 2019. We met.", ["It was 2019.", "We met."]),
        ("The answer is no. It is.", ["The answer is no.", "It is."]),
        ("No. 5 is alive. Good.", ["No. 5 is alive.", "Good."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("no end at all", ["no end at all"]),
        ("", []),
        ("   \n ", []),
    ],
)
def test_sentences_end_where_a_person_ends_them(text: str, units: list[str]) -> None:
    assert split(text) == units


def test_the_first_unit_may_be_a_clause_and_only_the_first() -> None:
    text = "Sure, I can help you with that, if you like. First, tell me, what is it?"
    assert split(text, first_clause=True) == [
        "Sure, I can help you with that,",
        "if you like.",
        "First, tell me, what is it?",
    ]


def test_a_clause_too_short_to_be_spoken_alone_is_not_cut() -> None:
    assert split("Well, yes. No.", first_clause=True) == ["Well, yes.", "No."]


@pytest.mark.parametrize("text", ["word " * 200, "x" * 1200, "one, two, " * 90, "“" + "a b " * 300])
def test_a_reply_without_an_end_is_cut_before_it_is_too_long_for_the_voice(text: str) -> None:
    units = split(text)
    assert all(len(unit) <= 300 for unit in units)
    assert "".join(units).replace(" ", "") == text.replace(" ", "")


@given(st.text(max_size=400), st.lists(st.integers(1, 30), max_size=30), st.booleans())
def test_nothing_is_lost_and_nothing_is_added(text: str, pieces: list[int], first_clause: bool) -> None:
    units = split(text, pieces=pieces, first_clause=first_clause)
    assert "".join("".join(units).split()) == "".join(text.split())
    assert all(unit == unit.strip() and unit for unit in units)


@given(
    st.lists(
        st.sampled_from(["Dr. ", "It is 3.5 ", "ok. ", "Yes! ", "a, b ", "e.g. ", "\n", "你好。", "U.S. "]), max_size=25
    )
)
def test_the_size_of_the_pieces_changes_nothing(parts: list[str]) -> None:
    text = "".join(parts)
    assert split(text) == split(text, pieces=[7] * 100)
