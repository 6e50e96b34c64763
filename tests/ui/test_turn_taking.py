"""What turn-taking does to the whole screen: it is told, and nothing else moves."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from parlor_tui.events import Event, Notice, now_s
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.widgets.sounds import SoundLine
from parlor_tui.ui.widgets.talk import FLASH_S, EntryView, Talk
from tests.ui import stand_in
from tests.ui.stand_in import StandIn, make_app

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
SPOKEN: list[Event] = [
    *stand_in.ready(),
    *stand_in.hearing(),
    *stand_in.thinking(),
    *stand_in.speaking(),
    *stand_in.spoken_so_far(),
]


async def rows(app: ParlorApp, pilot: Pilot[int], assistant: StandIn, *events: Event) -> list[str]:
    """What is on the screen once `events` have happened."""
    assistant.replay(list(events))
    app.drain()
    await pilot.pause()
    await pilot.pause()
    width, height = app.size
    return [strip.text[:width].rstrip() for strip in app.screen._compositor.render_strips()[:height]]


@SIZES
async def test_a_voice_over_a_reply_is_told_and_moves_nothing(size: tuple[int, int]) -> None:
    app, assistant = make_app()
    async with app.run_test(size=size) as pilot:
        before = await rows(app, pilot, assistant, *SPOKEN)
        for how, state, words in (
            ("dipped", "▷ QUIETER", "quieter: somebody speaks"),
            ("held", "‖ HELD", "held: listening to you; it goes on if this is no turn"),
            ("resumed", "▶ SPEAKING", "goes on: that was no turn"),
        ):
            now = await rows(app, pilot, assistant, *stand_in.making_way(how))  # type: ignore[arg-type]
            assert state in now[0]
            assert sum(words in row for row in now) == 1
            changed = {number for number, row in enumerate(now) if row != before[number]}
            note = next(number for number, row in enumerate(now) if words in row)
            assert changed <= {0, note, app.query_one(SoundLine).region.y}


@SIZES
async def test_a_pause_and_the_end_of_a_turn_are_told_below_the_talk(size: tuple[int, int]) -> None:
    app, assistant = make_app()
    async with app.run_test(size=size) as pilot:
        paused = await rows(app, pilot, assistant, *stand_in.ready(), *stand_in.hearing(), *stand_in.pausing())
        assert any("pause: ends after 1800 ms: more must follow · sounds 7 % finished" in row for row in paused)
        ended = await rows(app, pilot, assistant, *stand_in.finished())
        assert any("ended after 210 ms: finished" in row for row in ended)
        assert not any("pause:" in row for row in ended)


async def test_words_that_light_up_neither_scroll_nor_lay_out_anew() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await rows(app, pilot, assistant, *stand_in.whole_talk(), *SPOKEN[3:])
        talk = app.query_one(Talk)
        places = [(view.region, talk.scroll_offset) for view in app.query(EntryView)]
        for played_ms in range(0, 3100, 310):
            await rows(app, pilot, assistant, *stand_in.spoken_so_far(turn=2, played_ms=float(played_ms)))
            assert [(view.region, talk.scroll_offset) for view in app.query(EntryView)] == places


async def test_a_cut_flashes_for_a_moment_and_is_struck_through_then() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(120, 40)) as pilot:

        def style_of_the_cut() -> str:
            strips = app.screen._compositor.render_strips()
            return next(str(segment.style) for strip in strips for segment in strip if "notebook." in segment.text)

        await rows(app, pilot, assistant, *SPOKEN)
        await rows(app, pilot, assistant, *stand_in.interrupted(at_s=now_s()))
        assert "reverse" in style_of_the_cut()
        assert "strike" not in style_of_the_cut()
        await pilot.pause(FLASH_S + 0.1)
        assert "reverse" not in style_of_the_cut()
        assert "strike" in style_of_the_cut()


async def test_joined_turns_stand_close_and_the_eager_figures_are_seen() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        now = await rows(app, pilot, assistant, *stand_in.ready(), *stand_in.joined())
        assert not any(row.split()[1:2] == ["endpoint"] and "600" in row for row in now), "no turn was answered yet"
        now = await rows(app, pilot, assistant, *stand_in.done(turn=1, eager_ms=352.0))
        first = next(number for number, row in enumerate(now) if "╭ I would like" in row)
        assert "│ you went on: answered together, below" in now[first + 1]
        assert "╰ needs to steep" in now[first + 2]
        assert any("voice to voice 1259 ms ▲ goal 800 · begun 352 ms early" in row for row in now)
        now = await rows(app, pilot, assistant, stand_in.eager())
        assert any("eager 12 of 14 used · 3420 ms saved · 815 ms wasted" in row for row in now)


async def test_a_canceller_that_is_missing_is_told_until_it_is_there() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        missing = Notice(at_s=1.0, text="there is no echo canceller", severity="warning", key="echo")
        told = await rows(app, pilot, assistant, *stand_in.ready(), missing)
        assert any("echo not cancelled" in row for row in told)
        assert not any(
            "not cancelled" in row for row in await rows(app, pilot, assistant, Notice(at_s=2.0, text="", key="echo"))
        )
