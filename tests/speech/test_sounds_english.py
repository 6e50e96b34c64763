from __future__ import annotations

import pytest

from parlor_tui.speech.voices import sounds_english


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The capital of France is Paris.", True),
        ("I'm happy to talk with you.", True),
        ("What do you want to know?", True),
        ("Die Hauptstadt von Frankreich ist Paris.", False),
        ("Das war in der Stadt, die man so nennt.", False),
        ("La capital de Francia es París.", False),
        ("Il a dit que la maison est à vendre.", False),
        ("A te piace il mare e la montagna.", False),
        ("Paris.", False),
        ("", False),
        ("你好", False),
    ],
)
def test_only_what_is_surely_english_counts_as_such(text: str, english: bool) -> None:
    assert sounds_english(text) is english
