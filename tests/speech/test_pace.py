from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.speech.pace import Pace, parts_of


def test_before_anything_was_made_nothing_is_late() -> None:
    assert not Pace().too_late(500, 10.0)


def test_a_long_unit_behind_a_short_one_is_late_and_behind_a_long_one_is_not() -> None:
    pace = Pace()
    pace.heard_from(10.0)
    pace.made(10, 0.4, 0.9, 20.0)  # plays until 20.9
    assert pace.too_late(80, 20.0)
    assert not pace.too_late(12, 20.0)
    pace.made(40, 1.0, 4.0, 20.8)
    assert not pace.too_late(80, 20.8)


def test_what_is_made_unheard_counts_from_when_it_is_heard() -> None:
    pace = Pace()
    pace.made(10, 0.4, 0.9, 20.0)
    assert not pace.too_late(500, 25.0)
    pace.heard_from(30.0)
    pace.heard_from(31.0)
    assert not pace.too_late(12, 30.0)
    assert pace.too_late(12, 30.9)


@pytest.mark.parametrize(
    ("unit", "first"),
    [
        ("Of course, and here is how you do it.", "Of course,"),
        ("Paris is the capital of France and it has many museums that people love.", "Paris is the capital of France"),
        ("Short one.", "Short one."),
    ],
)
def test_a_unit_is_parted_at_its_first_clause(unit: str, first: str) -> None:
    part, rest = parts_of(unit)
    assert part == first
    assert f"{part} {rest}".strip() == unit


@given(st.text(st.sampled_from("abc ,.;—\n1é和，。"), max_size=80))
def test_nothing_is_lost_in_parting(text: str) -> None:
    unit = text.strip()
    part, rest = parts_of(unit)
    assert "".join((part + rest).split()) == "".join(unit.split())
    assert part or not unit
