from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.speech.sentences import SentenceSplitter, is_sentence_end, sentences

from .hard_sentences import hard_cases


def split(text: str, *, pieces: list[int] | None = None, first_clause: bool = False, language: str = "") -> list[str]:
    """The units of `text`, fed by characters, or in pieces of the given lengths."""
    splitter = SentenceSplitter(first_clause=first_clause, language=language)
    units: list[str] = []
    at = 0
    for length in pieces or []:
        units += splitter.feed(text[at : at + length])
        at += length
    for character in text[at:]:
        units += splitter.feed(character)
    return units + splitter.finish()


def first_unit(text: str, language: str = "") -> tuple[str, int]:
    """The first unit of a reply, and how many characters of the reply had come when it was complete."""
    splitter = SentenceSplitter(language=language)
    for count, character in enumerate(text, 1):
        if units := splitter.feed(character):
            return units[0], count
    return splitter.finish()[0], len(text)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("It is warm. Take a hat.", ["It is warm.", "Take a hat."]),
        ("1. Eggs\n2. Milk", ["1. Eggs", "2. Milk"]),
        ("Hi!How are you?", ["Hi!", "How are you?"]),
        ("It is **done.** Go on.", ["It is **done.**", "Go on."]),
        ("no end at all", ["no end at all"]),
        ("", []),
        ("   \n ", []),
    ],
)
def test_sentences_end_where_a_person_ends_them(text: str, units: list[str]) -> None:
    assert split(text) == units


_LEFT = {
    "The answer is no. 5 people disagreed.",  # "no. 5" is a number more often
    "It works. (Mostly.) Try it.",
    "Dr. Müller wohnt in der Hauptstr. 5. Er ist nett.",  # "5. Er" could be an ordinal
    "Ecc. ecc. e così via. Basta.",
}
"""Hard cases that are cut otherwise than a person would: a sentence too few, never one too many."""


@pytest.mark.parametrize(("language", "text", "expected"), hard_cases(), ids=lambda value: str(value)[:40])
def test_hard_cases_streamed_by_character(language: str, text: str, expected: list[str]) -> None:
    units = split(text, language=language)
    if text in _LEFT:
        assert len(units) < len(expected)
    else:
        assert units == expected
    assert sentences(text, language) == units


def test_a_language_that_is_not_known_is_seen_by_its_script() -> None:
    right = sum(split(text) == expected for _, text, expected in hard_cases())
    assert right / len(hard_cases()) > 0.9


def test_the_first_unit_may_be_a_clause_and_only_the_first() -> None:
    text = "Sure, I can help you with that, if you like. First, tell me, what is it?"
    assert split(text, first_clause=True) == [
        "Sure, I can help you with that,",
        "if you like.",
        "First, tell me, what is it?",
    ]


@pytest.mark.parametrize(
    ("reply", "unit", "at_most"),
    [
        ("Of course, the capital is Paris.", "Of course,", 10),  # the comma alone is enough
        ("The capital of France is Paris and it lies on the Seine.", "The capital of France is Paris", 39),
        ("Hello! How are you?", "Hello!", 8),
        ("On May 5, 2024, we met.", "On May 5, 2024,", 17),
        ("It weighs 1,234.5 kilos, I think.", "It weighs 1,234.5 kilos,", 24),
        ("Dr. Smith is at home.", "Dr. Smith is at home.", 21),
        ("New York is a city — a big one.", "New York is a city —", 22),
        ("Well, yes it is.", "Well, yes it is.", 16),
        ("“Of course,” he said.", "“Of course,” he said.", 21),
        (
            "I like Tom and Jerry as well as you do because they are funny.",
            "I like Tom and Jerry as well as you do",
            52,
        ),
        ("好的，我来帮你看看。", "好的，我来帮你看看。", 10),
        ("我很高兴，因为你来了。", "我很高兴，", 5),
        ("Das ist schön, weil es regnet.", "Das ist schön,", 14),
    ],
)
def test_the_first_unit_is_early_and_sounds_whole(reply: str, unit: str, at_most: int) -> None:
    made, came = first_unit(reply)
    assert made == unit
    assert came <= at_most


def test_later_sentences_that_are_too_short_are_spoken_with_the_next() -> None:
    assert split("I see. Yes. No. I do not know that at all.", first_clause=True) == [
        "I see.",
        "Yes. No. I do not know that at all.",
    ]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        (
            "Here is it:\n```py\nprint('a. b')\n\nx = 1. \n# no? \n```\nIt works well.",
            ["Here is it:", "```py\nprint('a. b')\n\nx = 1. \n# no? \n```", "It works well."],
        ),
        ("So: ```a. B. c``` and on.", ["So:", "```a. B. c```", "and on."]),
        ("```\nnever. Closed.\nAt all.", ["```\nnever. Closed.\nAt all."]),
        ("<think>Hm. So.\n\nOk.</think>Yes, it is.", ["<think>Hm. So.\n\nOk.</think>", "Yes, it is."]),
        ("<think>Hm. So. On", ["<think>Hm. So. On"]),
        ("Use `a. B` here. Good.", ["Use `a. B` here.", "Good."]),
        ("A lone ` here. Good.\nYes.", ["A lone ` here.", "Good.", "Yes."]),
        ("| a | b. C |\n|---|---|\n| 1. | 2 |", ["| a | b. C |", "|---|---|", "| 1. | 2 |"]),
    ],
)
def test_code_and_thoughts_are_one_unit(text: str, units: list[str]) -> None:
    assert split(text) == units
    assert split(text, pieces=[5] * 50) == units


@pytest.mark.parametrize(
    "text",
    ["word " * 400, "x" * 2000, "one, two, " * 200, "“" + "a b " * 500, "我们" * 1000, "https://a.b/" + "c." * 1000],
)
def test_a_reply_without_an_end_is_cut_before_it_is_too_long_for_the_voice(text: str) -> None:
    units = split(text)
    assert all(len(unit) <= (75 if "我" in text else 300) for unit in units)
    assert "".join(units).replace(" ", "") == text.replace(" ", "")


def test_what_follows_may_be_all_that_tells() -> None:
    assert is_sentence_end("I live in the U.S.", "Then I moved")
    assert not is_sentence_end("I live in the U.S.", "and like it")
    assert not is_sentence_end("by J. R. R.", "Tolkien")
    assert not is_sentence_end("no mark", "Then")
    assert is_sentence_end("It was 3.", "Then")
    assert not is_sentence_end("Am 3.", "Oktober", "de")


@given(st.text(max_size=300), st.lists(st.integers(1, 30), max_size=30), st.booleans())
def test_nothing_is_lost_and_nothing_is_added(text: str, pieces: list[int], first_clause: bool) -> None:
    units = split(text, pieces=pieces, first_clause=first_clause)
    assert "".join("".join(units).split()) == "".join(text.split())
    assert all(unit == unit.strip() and unit for unit in units)


_PARTS = [
    "Dr. ",
    "It is 3.5 ",
    "ok. ",
    "Yes! ",
    "a, b ",
    "e.g. ",
    "\n",
    "你好。",
    "U.S. ",
    "```",
    "`",
    "<think>",
    "and ",
]


@given(st.lists(st.sampled_from([*_PARTS, "</think>", '"', "— ", "word ", "“", "... "]), max_size=25), st.booleans())
def test_the_size_of_the_pieces_changes_nothing(parts: list[str], first_clause: bool) -> None:
    text = "".join(parts)
    whole = split(text, first_clause=first_clause, pieces=[len(text)])
    assert split(text, first_clause=first_clause) == split(text, pieces=[7] * 60, first_clause=first_clause) == whole
