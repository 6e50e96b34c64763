from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.speech.spoken_text import spoken_text


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("**Bold** and *it* and `code`.", "Bold and it and code."),
        ("# Title", "Title"),
        ("- one", "one"),
        ("Look at https://www.example.com/a?b=c.", "Look at example.com."),
        ("[the site](https://example.com/x)", "the site"),
        ("Nice 😀👍🏽!", "Nice !"),
        ("<|im_end|>Hello<end_of_turn>", "Hello"),
        ('<|"|>Hi', "Hi"),
        ("```python\nprint(1)\n```", ""),
        ("😀", ""),
        ("---", ""),
        ("...", ""),
        ("snake_case stays", "snake_case stays"),
        ("2*3*4", "2*3*4"),
        ("| a | b |", "a, b,"),
        ("Sure, I can,", "Sure, I can,"),
        ("It costs $5 — really.", "It costs $5, really."),
    ],
)
def test_only_what_can_be_said_reaches_the_voice(written: str, spoken: str) -> None:
    assert spoken_text(written) == spoken


@given(st.text(max_size=300))
def test_the_result_is_one_line_with_something_to_say_or_nothing(written: str) -> None:
    spoken = spoken_text(written)
    assert "\n" not in spoken
    assert spoken == "" or any(character.isalnum() for character in spoken)
    assert not set(spoken) & set("<>{}[]#~^|\\")


@given(st.text("abcdefg ,.", max_size=200))
def test_plain_words_are_left_as_they_are(written: str) -> None:
    spoken = spoken_text(written)
    assert [w for w in spoken.replace(",", " ").split() if w.isalpha()] == [
        w for w in written.replace(",", " ").split() if w.isalpha()
    ] or not spoken
