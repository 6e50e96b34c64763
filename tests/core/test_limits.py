from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.limits import HARD_FACTOR, ReplyLimit


def take(limit: ReplyLimit, pieces: list[str]) -> str:
    taken = ""
    for piece in pieces:
        part, more = limit.take(piece)
        taken += part
        if not more:
            break
    return taken


@pytest.mark.parametrize(
    ("pieces", "soft", "taken"),
    [
        (["One", ".", " Two", ".", " Three", "."], 2, "One."),
        (["One", ".", " Two", ".", " Three", "."], 3, "One. Two."),
        (["He", " met", " Dr", ".", " Smith", " there", ".", " Then"], 2, "He met Dr. Smith there."),
        (["It", " is", " 3", ".", "14", " or", " so", ".", " Yes"], 2, "It is 3.14 or so."),
        (["你好", "。", "我"], 1, "你好。"),
        (["no", " end", " at", " all"], 2, "no end at all"),
        (["One", " two", ". Three", " four", ". Five"], 2, "One two."),
        (["One", " two", ". Three", " four", ". Five"], 3, "One two. Three four."),
        (["It", " is 3", ".14", " or", " so, my", " friend", ". Yes"], 2, "It is 3.14 or so, my friend."),
        (["你", "好。我", "是"], 1, "你好。"),
        (["By", " J", ".", " R", ".", " R", ".", " Tolkien", ".", " Then"], 2, "By J. R. R. Tolkien."),
        (["In", " the", " U", ".S", ".", " it", " is", " so", ".", " Yes"], 2, "In the U.S. it is so."),
        (["नमस्ते", "।", " आप", " कैसे"], 1, "नमस्ते।"),
        (["كيف", " حالك", "؟", " أنا"], 1, "كيف حالك؟"),
    ],
)
def test_the_sentence_is_finished_and_no_more(pieces: list[str], soft: int, taken: str) -> None:
    assert take(ReplyLimit(soft), pieces) == taken


@given(st.lists(st.sampled_from(["a", " b", ".", "!", " Word", "\n", "。", ""]), max_size=60), st.integers(1, 30))
def test_nothing_is_left_out_before_the_soft_limit(pieces: list[str], soft: int) -> None:
    limit = ReplyLimit(soft)
    taken = take(limit, pieces)
    assert limit.tokens >= min(soft, len(pieces))
    assert "".join(pieces).startswith(taken)
    assert limit.hard_tokens == soft * HARD_FACTOR
