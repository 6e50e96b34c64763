from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.engines.base import Message
from parlor_tui.engines.fed import Fed, folded, news, split_history

SYSTEM = Message("system", "Be brief.")


def user(item_id: str, text: str = "words") -> Message:
    return Message("user", text, key=item_id)


def reply(item_id: str, text: str = "answer", cut: str = "") -> Message:
    return Message("assistant", text, key=item_id, cut=cut)  # type: ignore[arg-type]


def fed(*messages: Message) -> list[Fed]:
    return [Fed.of(message) for message in messages]


def test_only_what_is_new_is_to_be_fed() -> None:
    found = news(fed(SYSTEM, user("a"), reply("b")), [SYSTEM, user("a"), reply("b"), user("c")])
    assert found is not None
    assert (found.rest, found.note) == ((user("c"),), "")
    assert found.then_known == tuple(fed(SYSTEM, user("a"), reply("b"), user("c")))


def test_the_words_of_a_known_message_may_change_but_not_those_of_the_opening() -> None:
    before = fed(SYSTEM, user("a", ""), reply("b"))
    assert news(before, [SYSTEM, user("a", "its caption"), reply("b"), user("c")]) is not None
    assert news(before, [Message("system", "Be long."), user("a"), reply("b"), user("c")]) is None


def test_of_an_interrupted_reply_the_next_message_tells_what_was_heard() -> None:
    found = news(
        fed(SYSTEM, user("a"), reply("b")), [SYSTEM, user("a"), reply("b", "One two", "interrupted"), user("c")]
    )
    assert found is not None
    assert found.rest == (user("c"),)
    assert 'heard only "One two"' in found.note


def test_what_was_told_once_is_not_told_again() -> None:
    cut = reply("b", "One two", "interrupted")
    before = fed(SYSTEM, user("a"), cut, user("c"), reply("d"))
    found = news(before, [SYSTEM, user("a"), cut, user("c"), reply("d"), user("e")])
    assert found is not None
    assert (found.rest, found.note) == ((user("e"),), "")


def test_a_reply_that_was_cut_before_another_turn_was_fed_needs_a_new_reading() -> None:
    before = fed(SYSTEM, user("a"), reply("b"), user("c"), reply("d"))
    assert news(before, [SYSTEM, user("a"), reply("b", "One", "interrupted"), user("c"), reply("d"), user("e")]) is None


def test_an_interruption_is_told_even_of_a_reply_that_had_ended_early() -> None:
    whole = reply("b", "One. Two.", "ended")
    assert news(fed(SYSTEM, user("a"), whole), [SYSTEM, user("a"), whole, user("c")]).note == ""  # type: ignore[union-attr]
    found = news(fed(SYSTEM, user("a"), whole), [SYSTEM, user("a"), reply("b", "One", "interrupted"), user("c")])
    assert found is not None
    assert 'heard only "One"' in found.note


def test_what_was_written_beyond_the_last_spoken_word_is_told() -> None:
    written = [*fed(SYSTEM, user("a")), Fed("b", "assistant", "One. Two. Three.")]
    found = news(written, [SYSTEM, user("a"), reply("b", "One. Two.", "ended"), user("c")])
    assert found is not None
    assert found.note == '(Of your last reply only this was spoken: "One. Two.".)'
    assert found.known[-1].heard == "One. Two."


def test_a_reply_nobody_heard_is_told_as_unheard() -> None:
    for wanted in ([reply("b", "", "interrupted")], []):
        found = news(fed(SYSTEM, user("a"), reply("b")), [SYSTEM, user("a"), *wanted, user("c")])
        assert found is not None
        assert found.rest == (user("c"),)
        assert "before the user heard anything" in found.note


def test_a_reply_that_was_broken_off_is_told_in_words_together_with_its_question() -> None:
    found = news(fed(SYSTEM), [SYSTEM, user("a", "Count."), reply("b", "One two", "interrupted"), user("c", "Go on.")])
    assert found is not None
    text, turn = folded(found.rest, found.note)
    assert text == '(The user said "Count.". You began to answer "One two" and were cut off.)'
    assert turn == (user("c", "Go on."),)


def test_more_than_a_few_replies_are_not_retold() -> None:
    wanted = [SYSTEM]
    for number in range(4):
        wanted += [user(f"u{number}"), reply(f"r{number}")]
    assert news(fed(SYSTEM), [*wanted, user("last")]) is None
    assert news(fed(SYSTEM), [*wanted[:7], user("last")]) is not None


def test_pictures_before_a_broken_off_reply_are_still_shown() -> None:
    picture = Message("user", "", image_jpeg=b"jpeg", key="p")
    text, turn = folded([picture, user("a", "What?"), reply("b", "It", "interrupted"), user("c")], "")
    assert "What?" in text
    assert turn == (picture, user("c"))


def test_but_not_beside_a_newer_one() -> None:
    old, new = (Message("user", "", image_jpeg=b"jpeg", key=key) for key in "pq")
    _, turn = folded([old, user("a", "What?"), reply("b", "It", "interrupted"), new, user("c")], "")
    assert turn == (new, user("c"))


def test_history_ends_with_the_last_reply() -> None:
    history, rest = split_history([SYSTEM, user("a"), reply("b"), user("c"), user("d")])
    assert history == (SYSTEM, user("a"), reply("b"))
    assert rest == (user("c"), user("d"))
    assert split_history([SYSTEM, user("a")]) == ((SYSTEM,), (user("a"),))


TALKS = st.lists(
    st.tuples(st.sampled_from(["user", "assistant"]), st.sampled_from(["", "interrupted", "ended"])), max_size=10
)


@given(TALKS, st.integers(0, 11))
def test_nothing_is_fed_twice_and_nothing_is_lost(talk: list[tuple[str, str]], known: int) -> None:
    wanted = [SYSTEM]
    for number, (role, cut) in enumerate(talk):
        wanted.append(user(f"i{number}") if role == "user" else reply(f"i{number}", "said", cut))
    found = news(fed(*wanted[:known]), wanted)
    if found is not None:
        assert wanted[len(wanted) - len(found.rest) :] == list(found.rest)
        assert [entry.key for entry in found.then_known] == [entry.key for entry in fed(*wanted)]
        text, turn = folded(found.rest, found.note)
        told = [message for message in found.rest if message.role == "assistant"]
        assert all(message.text in text for message in told)
        assert all(message.role == "user" for message in turn)
