"""SmolLM2 on the real llama.cpp: what it has read stays read, talk by talk."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.prompts import SMALL_MODEL
from parlor_tui.engines.base import Generation, Message, Sampling
from parlor_tui.engines.llamacpp import LlamaCpp, Slots
from parlor_tui.settings import Settings, models_folder

SOME_TALK = (("Good morning, how are you today?", "I am well, thank you. How can I help you?"),
             ("What is the largest planet?", "The largest planet is Jupiter, and it is made of gas."))  # fmt: skip
OTHER_TALK = (("Do you like music?", "I do, and I like jazz most of all."),
              ("Which instrument do you like?", "The piano is my favourite, and what is yours?"))  # fmt: skip


@pytest.fixture(scope="module")
def smol() -> Iterator[LlamaCpp]:
    folder = models_folder(Settings()) / "smollm2-135m"
    assert folder.is_dir(), f"{folder} is missing: run `parlor-tui models get --profile lite`"
    engine = LlamaCpp(next(folder.glob("*.gguf")), "SmolLM2-135M", threads=1, slots=2)
    with contextlib.closing(engine):
        yield engine


def prompt(talk: tuple[tuple[str, str], ...], question: str) -> list[Message]:
    said = [Message(role, text) for pair in talk for role, text in zip(("user", "assistant"), pair, strict=True)]
    return [*SMALL_MODEL.messages(), *said, Message("user", question)]


def ask(engine: LlamaCpp, messages: list[Message]) -> Generation:
    return engine.generate(messages, Sampling(0.0, 1.0, 3), lambda _: True, lambda: False)


@pytest.mark.timeout(120)
def test_two_talks_do_not_make_each_other_forget(smol: LlamaCpp) -> None:
    for talk in (SOME_TALK, OTHER_TALK):
        ask(smol, prompt(talk, "What time is it?"))
    for talk in (SOME_TALK, OTHER_TALK):
        usage = ask(smol, prompt(talk, "How far is it to the station?")).usage
        assert usage.input_tokens - usage.cached_tokens < 25


@pytest.mark.timeout(120)
def test_a_reply_that_was_begun_too_early_costs_no_second_reading(smol: LlamaCpp) -> None:
    ask(smol, prompt(SOME_TALK, "What"))
    stop = threading.Event()
    dropped = smol.generate(
        prompt(SOME_TALK, "What is"),
        Sampling(0.0, 1.0, 60),
        lambda _: not stop.set(),
        stop.is_set,
    )
    assert dropped.finish == "cancelled"
    usage = ask(smol, prompt(SOME_TALK, "What is the smallest planet?")).usage
    assert usage.input_tokens - usage.cached_tokens < 25


def test_a_slot_is_kept_for_its_talk_and_the_longest_unused_is_given_away() -> None:
    slots = Slots(2)
    opening = [("system", "Be kind.")]

    def place(*said: str) -> int:
        roles = ("user", "assistant")
        with slots.taken([*opening, *((roles[i % 2], text) for i, text in enumerate(said))]) as slot:
            return slot

    first, second = place("a", "b", "c"), place("x", "y", "z")
    assert first != second
    assert place("a", "b", "c and more") == first
    assert place("x", "y", "z", "and", "so on") == second
    assert place("quite", "another", "one") == first
    assert place("x", "y", "z", "and", "so on", "for", "long") == second


def test_a_busy_slot_is_waited_for_by_its_own_talk_alone() -> None:
    slots = Slots(2)
    with slots.taken([("user", "a"), ("assistant", "b"), ("user", "c")]) as first:
        with slots.taken([("user", "x"), ("assistant", "y"), ("user", "z")]) as second:
            assert second != first
        with slots.taken([("user", "m"), ("assistant", "n"), ("user", "o")]) as third:
            assert third == second
        with slots.taken([("user", "a"), ("assistant", "b"), ("user", "c again")]) as again:
            assert again == first


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), max_size=12), st.integers(1, 3))
def test_there_is_always_a_slot(prompts: list[list[str]], count: int) -> None:
    slots = Slots(count)
    with contextlib.ExitStack() as stack:
        taken = [stack.enter_context(slots.taken([("user", text) for text in said])) for said in prompts]
    assert all(0 <= slot < count for slot in taken)
