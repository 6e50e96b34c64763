"""The bar that offers a better model: its keys, the mouse, the palette, and that it keeps out of the talk's way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Offset
from textual.pilot import Pilot

from parlor_tui.settings import Keys, Settings
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.widgets.offer import OfferBar, coming_lines, offer_lines
from parlor_tui.ui.widgets.prompt import Prompt
from parlor_tui.ui.widgets.talk import Talk
from tests.ui import stand_in
from tests.ui.stand_in import coming, make_app, model_over, offered
from tests.ui.test_keys import screen_text, show


async def click(app: ParlorApp, pilot: Pilot[int], words: str) -> None:
    """Click on `words`, wherever on the screen they stand."""
    rows = screen_text(app).splitlines()
    row = next(number for number, line in enumerate(rows) if words in line)
    await pilot.click(offset=Offset(rows[row].index(words) + 1, row))
    await pilot.pause()


async def test_at_80x24_it_says_what_it_takes_and_leaves_room_for_the_talk() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        text = await show(app, pilot, assistant, *stand_in.whole_talk(), offered())
        assert "Get Gemma 4 E2B?" in text
        assert "^g download  ^x not now" in text
        assert "gemma-4-e2b: 2.6 GB, answers, licence Apache-2.0" in text
        assert "2.7 GB to download; 131.2 GB free" in text
        assert app.query_one(OfferBar).size.height == 4
        assert app.query_one(Talk).size.height >= 11
        assert app.focused is app.query_one(Prompt)


async def test_the_key_takes_it_while_one_types_and_the_bar_shows_how_far_it_is() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.ready(), offered())
        await pilot.press(*"gn", "ctrl+g", *"gn")
        assert assistant.asked == [("get_model", None)]
        text = await show(app, pilot, assistant, coming())
        assert "1.2 GB of 2.6 GB, 10.2 MB/s, 2 min left" in text
        assert " 45 %" in text
        assert "Get Gemma" not in text
        await pilot.press("!", "enter")
        assert assistant.asked[-1] == ("say", "gngn!")
        await show(app, pilot, assistant, model_over("got"))
        assert not app.query_one(OfferBar).display


async def test_cancelled_it_is_offered_again_to_go_on() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.ready(), offered(), coming())
        await pilot.press("ctrl+x")
        assert assistant.asked == [("cancel_model", None)]
        text = await show(
            app, pilot, assistant, model_over("cancelled", "what came is kept"), offered(came_bytes=1_190_000_000)
        )
        assert "^g go on" in text
        assert "1.4 GB of it to go" in text
        assert "· what came is kept" in text
        await pilot.press("ctrl+g")
        assert assistant.asked[-1] == ("get_model", None)


async def test_not_now_is_one_key_and_the_palette_still_has_it() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.ready(), offered())
        await pilot.press("ctrl+x")
        assert assistant.asked == [("decline_model", None)]
        text = await show(app, pilot, assistant, model_over("declined", "Gemma 4 E2B is not offered again"))
        assert not app.query_one(OfferBar).display
        assert "· Gemma 4 E2B is not offered again" in text
        await pilot.press("ctrl+x", "ctrl+g")
        assert len(assistant.asked) == 1
        assert "Get Gemma 4 E2B" in [command.title for command in app.get_system_commands(app.screen)]


async def test_an_offer_declined_before_is_in_the_palette_alone() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.ready(), offered(declined=True))
        assert not app.query_one(OfferBar).display
        titles = {command.title: command.callback for command in app.get_system_commands(app.screen)}
        titles["Get Gemma 4 E2B"]()
        assert assistant.asked == [("get_model", None)]
        await show(app, pilot, assistant, coming())
        titles = {command.title: command.callback for command in app.get_system_commands(app.screen)}
        titles["Cancel the download"]()
        assert assistant.asked[-1] == ("cancel_model", None)


@pytest.mark.parametrize("key", ["ctrl+g", "ctrl+x"])
async def test_without_an_offer_its_keys_do_nothing(key: str) -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        await show(app, pilot, assistant, *stand_in.ready())
        await pilot.press(*"x", key)
        assert assistant.asked == []
        assert app.query_one(Prompt).text == "x"


async def test_it_can_be_clicked_and_the_input_keeps_the_focus() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.ready(), offered())
        await click(app, pilot, "download  ")
        await click(app, pilot, "not now")
        await show(app, pilot, assistant, coming())
        await click(app, pilot, "cancel")
        assert [name for name, _ in assistant.asked] == ["get_model", "decline_model", "cancel_model"]
        assert app.focused is app.query_one(Prompt)


async def test_a_failure_is_a_line_of_the_talk() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        text = await show(
            app, pilot, assistant, *stand_in.ready(), coming(), model_over("failed", "no network [/]"), offered()
        )
        assert "✗ error: no network [/]" in text
        assert "^g download" in text


async def test_a_new_core_says_itself_what_it_offers() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.ready(), offered(), coming())
        await show(app, pilot, assistant, *stand_in.found(at_s=9.0))
        assert not app.query_one(OfferBar).display


async def test_on_a_low_screen_it_is_two_lines() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(60, 14)) as pilot:
        text = await show(app, pilot, assistant, *stand_in.ready(), offered())
        assert app.query_one(OfferBar).size.height == 2
        assert "^g download  ^x not now" in text
        assert "2.7 GB to download" in text


async def test_it_names_the_keys_that_were_chosen_and_can_always_be_clicked() -> None:
    app, assistant = make_app(Settings().with_values({"keys.get_model": "f12", "keys.no_model": ""}, "test"))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await show(app, pilot, assistant, *stand_in.ready(), offered())
        assert "f12 download  not now" in text
        await click(app, pilot, "not now")
        assert assistant.asked[-1] == ("decline_model", None)


@given(st.integers(0, 200), st.integers(1, 60), st.integers(-5, 10), st.integers(0, 7))
def test_no_line_is_ever_wider_than_the_screen(width: int, rows: int, done_bytes: int, total_bytes: int) -> None:
    step = replace(coming(), done_bytes=done_bytes, total_bytes=total_bytes)
    for line in [*offer_lines(offered(), Keys(), width, rows), *coming_lines(step, Keys(), width)]:
        assert line.cell_length <= width
