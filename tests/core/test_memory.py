from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.memory import Item, Memory, heard_text
from parlor_tui.engines.base import Message

OPENING = [Message("system", "Be brief.")]
RATE_HZ = 24_000


def talk(*turns: tuple[str, str]) -> Memory:
    memory = Memory()
    for number, (role, text) in enumerate(turns):
        memory.add(Item(f"item_{number}", role, text))  # type: ignore[arg-type]
    return memory


def prompt(memory: Memory, context_tokens: int = 2000) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in memory.messages(OPENING, context_tokens, 100)]


def test_the_prompt_is_the_opening_and_the_talk() -> None:
    memory = talk(("user", "Hi."), ("assistant", "Hello."), ("user", "Who?"))
    assert prompt(memory) == [("system", "Be brief."), ("user", "Hi."), ("assistant", "Hello."), ("user", "Who?")]


def test_two_turns_of_the_user_in_a_row_become_one_message() -> None:
    assert prompt(talk(("user", "Tell me"), ("user", "about cats.")))[1:] == [("user", "Tell me about cats.")]


def test_a_reply_nobody_heard_is_not_remembered() -> None:
    memory = talk(("user", "Hi."), ("assistant", "Hello there."), ("user", "Wait."))
    memory.items[1].spoken = [("Hello there.", RATE_HZ)]
    assert memory.truncate("item_1", 0, RATE_HZ) == ""
    assert prompt(memory)[1:] == [("user", "Hi. Wait.")]


def test_of_a_reply_that_was_cut_off_only_what_was_heard_is_remembered() -> None:
    memory = talk(("user", "Count."), ("assistant", "One two. Three four."), ("user", "Stop."))
    memory.items[1].spoken = [("One two.", RATE_HZ), ("Three four.", RATE_HZ)]
    assert memory.truncate("item_1", 1600, RATE_HZ) == "One two. Three"
    assert prompt(memory)[2] == ("assistant", "One two. Three —")


def test_only_a_reply_can_be_truncated() -> None:
    memory = talk(("user", "Hi."))
    with pytest.raises(ValueError, match="only a reply"):
        memory.truncate("item_0", 0, RATE_HZ)
    with pytest.raises(KeyError):
        memory.truncate("nobody", 0, RATE_HZ)


def test_the_newest_turns_stay_when_the_context_is_full() -> None:
    memory = talk(*[("user" if n % 2 == 0 else "assistant", f"turn {n} " + "x" * 200) for n in range(41)])
    messages = prompt(memory, context_tokens=700)
    assert messages[0] == ("system", "Be brief.")
    assert messages[-1][1].startswith("turn 40")
    assert messages[1][0] == "user"
    assert 3 < len(messages) < 15


def test_of_a_message_that_is_too_long_the_end_is_kept() -> None:
    (_, (_, text)) = prompt(talk(("user", "start " + "word " * 3000 + "end")), context_tokens=700)
    assert text.endswith("word end")
    assert 1000 < len(text) <= 600 * 3


def test_a_question_that_fits_is_whole_whatever_came_before_it() -> None:
    question = "q" * 1500
    memory = talk(("user", "Hi."), ("assistant", "x" * 4000), ("user", question))
    assert prompt(memory, context_tokens=700)[1:] == [("user", question)]


def test_a_long_reply_leaves_room_for_the_question() -> None:
    messages = talk(("user", "What is it?")).messages(OPENING, 2048, 2000)
    assert messages[-1].text == "What is it?"


@given(st.integers(200, 3000), st.lists(st.text("ab ", max_size=600), max_size=40))
def test_the_prompt_never_outgrows_the_context(context_tokens: int, texts: list[str]) -> None:
    memory = talk(*[("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(texts)])
    messages = memory.messages(OPENING, context_tokens, 100)
    assert sum(len(message.text) for message in messages) <= (context_tokens - 100) * 3 + 1
    assert messages[0] == OPENING[0]
    roles = [message.role for message in messages[1:]]
    assert all(a != b for a, b in itertools.pairwise(roles))
    assert not roles or roles[0] == "user"


@given(
    st.lists(st.tuples(st.text("abc ", min_size=1, max_size=30), st.integers(0, 50_000)), max_size=8),
    st.integers(0, 300_000),
    st.integers(0, 300_000),
)
def test_who_hears_longer_hears_the_same_words_and_more(spoken: list[tuple[str, int]], sooner: int, later: int) -> None:
    sooner, later = sorted((sooner, later))
    whole = " ".join(text for text, _ in spoken).split()
    less, more = heard_text(spoken, sooner).split(), heard_text(spoken, later).split()
    assert more[: len(less)] == less
    assert whole[: len(more)] == more
    assert heard_text(spoken, sum(samples for _, samples in spoken)).split() == whole
