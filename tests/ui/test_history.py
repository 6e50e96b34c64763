"""F3: the history of turns, by its keys, its mouse and its looks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot

from parlor_tui.events import EagerCount, Event, TurnCommitted, TurnDone, TurnStatus
from parlor_tui.observe.history import History, PastTurn
from parlor_tui.observe.stages import STAGES
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.past_turns import EMPTY, Layout, page, stage_table, summary_lines
from parlor_tui.ui.screens.history import HistoryScreen
from tests.ui import stand_in
from tests.ui.stand_in import STAGES_MS, StandIn, make_app

ENDS: tuple[TurnStatus, ...] = ("completed", "completed", "interrupted", "completed", "joined", "failed", "no_words")


def turn(number: int, status: TurnStatus = "completed", said: str = "", factor: float = 0.6) -> list[Event]:
    answered = status in ("completed", "interrupted")
    stages = {name: ms * factor for name, ms in STAGES_MS.items()} if answered else {"endpoint": 200.0}
    return [
        TurnCommitted(at_s=30.0 * number, turn=number, last_speech_at_s=30.0 * number - 0.2),
        TurnDone(
            at_s=30.0 * number + 5,
            turn=number,
            status=status,
            heard=said or f"Question number {number}?",
            reply=stand_in.REPLY if answered else "",
            stages_ms=stages,
            output_tokens=17 if answered else 0,
            writing_ms=200.0 if answered else 0.0,
            eager_ms=120.0 if number % 3 == 0 and answered else 0.0,
        ),
    ]


TALK: list[Event] = [
    *(event for number in range(14) for event in turn(number, ENDS[number % 7], factor=0.4 + 0.04 * number)),
    EagerCount(at_s=500.0, hits=12, dropped=2, saved_ms=3420.0, wasted_ms=815.0),
]


async def rows(app: ParlorApp, pilot: Pilot[int], assistant: StandIn, *events: Event) -> list[str]:
    """What is on the screen once `events` have happened."""
    assistant.replay(list(events))
    app.drain()
    await pilot.pause()
    await pilot.pause()
    width, height = app.size
    return [strip.text[:width].rstrip() for strip in app.screen._compositor.render_strips()[:height]]


def marked(shown: list[str]) -> int:
    """The number of the turn that is marked."""
    (line,) = [row for row in shown if "❯" in row]
    return int(line.split("❯")[1].split()[0])


@pytest.mark.parametrize("key", ["f3", "escape"])
async def test_it_opens_closes_and_says_so_in_words_while_there_is_no_turn(key: str) -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3")
        shown = await rows(app, pilot, assistant)
        assert isinstance(app.screen, HistoryScreen)
        assert EMPTY in " ".join(" ".join(row.strip("│ ") for row in shown).split())
        await pilot.press(key)
        await pilot.pause()
        assert len(app.screen_stack) == 1
        assert assistant.asked == []


async def test_turns_stand_newest_first_and_the_marked_one_has_its_waterfall() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f3")
        shown = await rows(app, pilot, assistant, *TALK)
        text = "\n".join(shown)
        assert "14 turns · 1.4 a minute · errors 20 % · 6 completed, 2 interrupted, 2 joined" in text
        assert "eager 12 of 14 used · 3420 ms saved · 815 ms wasted · – tok/s, p50 80" in text
        numbers = [int(row.split()[1]) for row in shown if "Question" in row and "❯" not in row]
        assert marked(shown) == 13
        assert numbers == sorted(numbers, reverse=True)
        await pilot.press("down", "down", "down")
        shown = await rows(app, pilot, assistant)
        assert marked(shown) == 10
        at = next(number for number, row in enumerate(shown) if "❯" in row)
        waterfall = shown[at + 1 : at + 7]
        assert [row.split()[1] for row in waterfall] == [name for name in STAGES if name in STAGES_MS]
        starts = [min(row.find(char) % 1000 for char in "█▓▒░▚▞") for row in waterfall]
        assert starts == sorted(starts), "each stage begins where the one before it ended"
        assert stand_in.REPLY in shown[at + 7]
        assert "17 tokens · 80 tok/s" in shown[at + 8]
        assert "✗ no reply: Question number 12?" in text


async def test_keys_and_mouse_move_through_all_of_them() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3")
        assert marked(await rows(app, pilot, assistant, *TALK)) == 13
        for key, number in (("end", 0), ("up", 1), ("home", 13), ("up", 13), ("down", 12)):
            await pilot.press(key)
            assert marked(await rows(app, pilot, assistant)) == number
        await pilot.press("pagedown")
        first = marked(await rows(app, pilot, assistant))
        assert first < 12
        await pilot.press("pageup")
        assert marked(await rows(app, pilot, assistant)) > first
        await pilot.press("end")
        shown = await rows(app, pilot, assistant)
        row = next(number for number, line in enumerate(shown) if "Question number 1?" in line)
        await pilot.click(offset=(20, row))
        assert marked(await rows(app, pilot, assistant)) == 1


async def test_new_turns_come_in_on_top_and_the_mark_stays_at_its_turn() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f3")
        assert marked(await rows(app, pilot, assistant, *TALK)) == 13
        assert marked(await rows(app, pilot, assistant, *turn(14))) == 14, "at the newest it stays at the newest"
        await pilot.press("down")
        assert marked(await rows(app, pilot, assistant, *turn(15))) == 13
        assert isinstance(app.screen, HistoryScreen)


async def test_typing_and_the_talk_are_out_of_reach_and_mute_is_not() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await rows(app, pilot, assistant, *stand_in.ready(), *TALK)
        await pilot.press("f3", *"hello", "enter", "ctrl+t")
        await pilot.pause()
        assert assistant.asked == [("set_muted", True)]


@pytest.mark.parametrize("size", [(1, 1), (40, 12)])
async def test_any_size_is_survived(size: tuple[int, int]) -> None:
    app, assistant = make_app()
    async with app.run_test(size=size) as pilot:
        await pilot.press("f3")
        await rows(app, pilot, assistant, *TALK)
        await pilot.press("down", "pagedown", "end")
        await pilot.resize_terminal(80, 24)
        assert marked(await rows(app, pilot, assistant)) == 0


@settings(deadline=None, max_examples=40)  # a busy machine may stop for longer than a line takes
@given(
    st.lists(st.tuples(st.text(max_size=30), st.sampled_from(ENDS), st.floats(0, 50)), min_size=1, max_size=12),
    st.integers(0, 11),
    st.integers(0, 11),
    st.integers(1, 30),
    st.integers(12, 160),
)
def test_the_marked_turn_is_always_in_view_and_lines_keep_to_the_width(
    talk: list[tuple[str, TurnStatus, float]], mark: int, top: int, height: int, width: int
) -> None:
    history = History()
    for number, (said, status, factor) in enumerate(talk):
        for event in turn(number, status, said, factor):
            history.apply(event)
    turns: list[PastTurn] = list(reversed(history.turns))
    mark = min(mark, len(turns) - 1)
    shown = page(turns, mark, top, height, width, Layout.of(width, 1200.0, 800.0), stand_in.frozen_clock)
    assert mark in shown.owners
    assert 0 < len(shown.lines) == len(shown.owners) <= height
    assert list(shown.owners) == sorted(shown.owners)
    lines = [*shown.lines, *summary_lines(history, width), *stage_table(history, width)]
    assert not any("\n" in line.plain for line in lines)
    if width >= 24:
        assert all(line.cell_length <= width for line in lines)
