from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.memory import Item, Memory, Spoken, heard_text
from parlor_tui.engines.base import Message
from parlor_tui.speech.word_times import words

OPENING = [Message("system", "Be brief.")]
RATE_HZ = 24_000


def talk(*turns: tuple[str, str]) -> Memory:
    memory = Memory()
    for number, (role, text) in enumerate(turns):
        memory.add(Item(f"item_{number}", role, text))  # type: ignore[arg-type]
    return memory


def tokens(message: Message) -> int:
    """Ten letters to a token, and two for the message itself."""
    return 2 + len(message.text) // 10


def prompt(memory: Memory, context_tokens: int = 2000) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in memory.prompt(OPENING, context_tokens, 100, tokens)]


def test_the_prompt_is_the_opening_and_the_talk() -> None:
    memory = talk(("user", "Hi."), ("assistant", "Hello."), ("user", "Who?"))
    assert prompt(memory) == [("system", "Be brief."), ("user", "Hi."), ("assistant", "Hello."), ("user", "Who?")]


def test_a_reply_nobody_heard_is_known_to_be_cut() -> None:
    memory = talk(("user", "Hi."), ("assistant", "Hello there."), ("user", "Wait."))
    memory.items[1].spoken = [Spoken("Hello there.", RATE_HZ)]
    assert memory.truncate("item_1", 0, RATE_HZ) == ""
    assert memory.prompt(OPENING, 2000, 100, tokens)[2] == Message(
        "assistant", "", key=memory.items[1].key, cut="interrupted"
    )


def test_of_a_reply_that_was_cut_off_only_what_was_heard_is_remembered() -> None:
    memory = talk(("user", "Count."), ("assistant", "One two. Three four."), ("user", "Stop."))
    memory.items[1].spoken = [Spoken("One two.", RATE_HZ), Spoken("Three four.", RATE_HZ)]
    assert memory.truncate("item_1", 1600, RATE_HZ) == "One two. Three"
    cut = memory.prompt(OPENING, 2000, 100, tokens)[2]
    assert (cut.text, cut.cut) == ("One two. Three", "interrupted")


def test_the_prompt_ends_before_the_reply_it_is_for() -> None:
    memory = talk(("user", "Hi."), ("assistant", ""), ("user", "Next."))
    assert [m.text for m in memory.prompt(OPENING, 2000, 100, tokens, before="item_1")[1:]] == ["Hi."]


def test_sound_is_part_of_the_prompt_until_it_was_answered() -> None:
    memory = Memory()
    memory.add(Item("a", "user", audio_wav=b"RIFF"))
    assert memory.prompt(OPENING, 2000, 100, tokens)[-1].audio_wav == b"RIFF"
    memory.add(Item("b", "assistant", "Yes."))
    memory.answered("b", tokens)
    assert [m.key for m in memory.prompt(OPENING, 2000, 100, tokens)[1:]] == [memory.get("b").key]


def test_what_sound_took_in_the_context_counts_after_it_was_answered() -> None:
    def with_sound(message: Message) -> int:
        return tokens(message) + (300 if message.audio_wav else 0)

    rolled = []
    for fed in (False, True):
        memory = Memory()
        for number in range(6):
            memory.add(Item(f"u{number}", "user", "Hello.", audio_wav=b"RIFF" if fed else None))
            memory.prompt(OPENING, 2000, 100, with_sound)
            memory.add(Item(f"r{number}", "assistant", "Yes."))
            memory.answered(f"r{number}", with_sound)
        rolled.append(memory.roll_overs)
    assert rolled == [0, 1]


def test_root_is_the_beginning() -> None:
    memory = talk(("user", "Second."))
    memory.add(Item("first", "user", "First."), "root")
    assert [item.text for item in memory.items] == ["First.", "Second."]


def test_the_words_of_a_turn_are_those_since_the_last_reply() -> None:
    memory = talk(("user", "Look."), ("assistant", "Yes."), ("user", "And"), ("user", "now?"), ("assistant", ""))
    assert memory.turn_words("item_4") == "And now?"
    assert memory.turn_words("item_1") == "Look."


def test_only_pictures_that_are_to_be_shown_are_and_of_old_ones_the_newest_is_kept() -> None:
    memory = Memory()
    memory.add(Item("p1", "user", image_jpeg=b"1", shown=True))
    memory.add(Item("p2", "user", image_jpeg=b"2"))
    memory.add(Item("p3", "user", image_jpeg=b"3", shown=True))
    memory.add(Item("b", "assistant", "I see."))
    shown = [(m.key, m.image_jpeg) for m in memory.prompt(OPENING, 2000, 100, tokens)[1:3]]
    assert shown == [(memory.get("p1").key, b"1"), (memory.get("p3").key, b"3")]
    memory.answered("b", tokens)
    assert [(m.key, m.image_jpeg) for m in memory.prompt(OPENING, 2000, 100, tokens)[1:3]] == [
        (memory.get("p1").key, None),
        (memory.get("p3").key, b"3"),
    ]


def test_of_more_pictures_than_any_context_takes_the_newest_are_kept() -> None:
    memory = Memory()
    for number in range(40):
        memory.add(Item(f"item_{number}", "user", f"look {number}", image_jpeg=bytes(4_000_000)))
        held = sum(len(item.image_jpeg or b"") for item in memory.items)
        assert held <= 64 * 1024 * 1024
    assert held == 64_000_000
    assert len(memory.items) == 40
    assert memory.items[-1].image_jpeg
    assert not memory.items[0].image_jpeg


def test_only_a_reply_can_be_truncated() -> None:
    memory = talk(("user", "Hi."))
    with pytest.raises(ValueError, match="only a reply"):
        memory.truncate("item_0", 0, RATE_HZ)
    with pytest.raises(KeyError):
        memory.truncate("nobody", 0, RATE_HZ)


def long_talk(turns: int, *, fact: str = "My name is Ada.") -> Memory:
    said = [("user", fact), ("assistant", "Nice to meet you.")]
    for number in range(1, turns):
        said += [("user", f"turn {number} " + "x" * 100), ("assistant", f"reply {number} " + "y" * 100)]
    return talk(*said)


def test_a_talk_that_does_not_fit_rolls_over_to_its_last_turns_and_what_the_user_said_before() -> None:
    memory = long_talk(40)
    memory.add(Item("last", "user", "What now?"))
    messages = prompt(memory, context_tokens=700)
    assert messages[0][1].startswith("Be brief.\n\nEarlier in this talk the user said:\n- My name is Ada.")
    assert messages[-1] == ("user", "What now?")
    assert messages[1][0] == "user"
    assert 6 < len(messages) < 24


def test_between_two_roll_overs_a_prompt_only_grows_at_its_end() -> None:
    memory = Memory()
    before: list[tuple[str, str]] = []
    grown = 0
    for number in range(200):
        memory.add(Item(f"u{number}", "user", f"turn {number} " + "x" * 60))
        now = prompt(memory, context_tokens=700)
        grown += now[: len(before)] == before
        before = now
        memory.add(Item(f"r{number}", "assistant", f"reply {number}"))
    assert 0 < memory.roll_overs < 20
    assert grown == 200 - memory.roll_overs


def test_a_fact_of_the_first_turn_survives_many_roll_overs() -> None:
    memory = Memory()
    memory.add(Item("u", "user", "My name is Ada and I live in Turin."))
    for number in range(300):
        memory.add(Item(f"r{number}", "assistant", f"reply {number} " + "y" * 80))
        memory.add(Item(f"u{number}", "user", f"How many is {number}?" + "x" * 80))
        assert "Ada" in " ".join(text for _, text in prompt(memory, context_tokens=700))
    assert memory.roll_overs > 5


def test_a_tight_prompt_rolls_over_at_once() -> None:
    memory = long_talk(12)
    whole = memory.prompt(OPENING, 700, 100, tokens)
    tight = memory.prompt(OPENING, 700, 100, tokens, tight=True)
    assert len(tight) < len(whole)
    assert tight[-1] == whole[-1]


def test_of_a_message_that_is_too_long_the_end_is_kept() -> None:
    (_, (_, text)) = prompt(talk(("user", "start " + "word " * 3000 + "end")), context_tokens=700)
    assert text.endswith("word end")
    assert 1000 < len(text) <= 700 * 10


def test_a_question_that_fits_is_whole_whatever_came_before_it() -> None:
    question = "q" * 1500
    memory = talk(("user", "Hi."), ("assistant", "x" * 9000), ("user", question))
    assert prompt(memory, context_tokens=700)[-1] == ("user", question)


def test_a_long_reply_leaves_room_for_the_question() -> None:
    messages = talk(("user", "What is it?")).prompt(OPENING, 2048, 2000, tokens)
    assert messages[-1].text == "What is it?"


@given(st.integers(200, 3000), st.lists(st.text("ab ", max_size=600), max_size=40))
def test_the_prompt_never_outgrows_the_context(context_tokens: int, texts: list[str]) -> None:
    memory = talk(*[("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(texts)])
    messages = memory.prompt(OPENING, context_tokens, 50, tokens)
    assert sum(map(tokens, messages)) + 50 <= context_tokens
    assert messages[0].text.startswith(OPENING[0].text)


def test_counting_to_twenty_and_stopped_at_five_is_remembered_as_five() -> None:
    unit = "One, two, three, four, five, six, seven, eight, nine, ten."
    memory = talk(("user", "Count to twenty."), ("assistant", unit))
    ends = tuple(RATE_HZ // 2 * number for number in range(1, 11))
    memory.items[1].spoken = [Spoken(unit, RATE_HZ * 6, ends), Spoken("Eleven, twelve.", RATE_HZ)]
    assert memory.truncate("item_1", 2600, RATE_HZ) == "One, two, three, four, five,"
    assert memory.truncate("item_1", 2499, RATE_HZ) == "One, two, three, four,"
    assert memory.truncate("item_1", 5200, RATE_HZ) == unit  # within the silence behind it
    assert memory.truncate("item_1", 0, RATE_HZ) == ""


def test_of_a_text_without_spaces_characters_are_remembered() -> None:
    unit = "你好，我是助手。"
    assert heard_text([Spoken(unit, 600, (100, 200, 300, 400, 500, 600))], 450) == "你好，我是"
    assert heard_text([Spoken(unit, 800)], 400) == "你好，我"


@st.composite
def speech(draw: st.DrawFn) -> list[Spoken]:
    units = []
    for text in draw(st.lists(st.text("abc 你。", min_size=1, max_size=30), max_size=8)):
        samples = draw(st.integers(0, 50_000))
        places = len(words(text)) if draw(st.booleans()) else 0
        ends = sorted(draw(st.lists(st.integers(0, samples), min_size=places, max_size=places)))
        units.append(Spoken(text, samples, tuple(ends)))
    return units


@given(speech(), st.integers(0, 300_000), st.integers(0, 300_000))
def test_who_hears_longer_hears_the_same_words_and_more(spoken: list[Spoken], sooner: int, later: int) -> None:
    sooner, later = sorted((sooner, later))
    whole = "".join("".join(unit.text.split()) for unit in spoken)
    less, more = ("".join(heard_text(spoken, played).split()) for played in (sooner, later))
    assert more.startswith(less)
    assert whole.startswith(more)
    assert "".join(heard_text(spoken, sum(unit.samples for unit in spoken)).split()) == whole
