"""What each key and the mouse do, and what the screen asks of the assistant."""

from __future__ import annotations

import itertools
import re

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot

from parlor_tui.events import Caption, DeviceUsed, Failed, MicLevel, Notice, ReplyText, State, StateChanged
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.widgets.key_bar import KeyBar
from parlor_tui.ui.widgets.progress import Banner, Progress
from parlor_tui.ui.widgets.prompt import TYPED_LIMIT, Prompt
from parlor_tui.ui.widgets.status import StatusLine
from parlor_tui.ui.widgets.talk import STANDING, EntryView, Talk
from tests.ui import stand_in
from tests.ui.stand_in import StandIn, make_app


def screen_text(app: ParlorApp) -> str:
    """What is on the screen, row by row."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text[:width].rstrip() for strip in strips[:height])


async def show(app: ParlorApp, pilot: Pilot[int], assistant: StandIn, *events: object) -> str:
    assistant.replay(list(events))  # type: ignore[arg-type]
    app.drain()
    await pilot.pause()
    await pilot.pause()
    return screen_text(app)


async def test_the_assistant_starts_after_the_first_picture_and_only_once() -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        await pilot.pause()
        assert assistant.starts == 1
        assert assistant.asked == []


async def test_enter_sends_what_was_typed_and_nothing_sends_nothing() -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        await pilot.press("enter", "space", "enter")
        assert ("say", " ") not in assistant.asked
        await pilot.press(*"Hi m", "enter")
        assert assistant.asked == [("say", "Hi m")]
        assert app.query_one(Prompt).text == ""
        assert "you     Hi m" in screen_text(app)


async def test_what_is_typed_while_loading_is_sent_at_once_and_stays_in_sight() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.loading())
        await pilot.press(*"early", "enter")
        assert ("say", "early") in assistant.asked
        assert "waits until it can be sent" in screen_text(app)
        answered = await show(
            app,
            pilot,
            assistant,
            *stand_in.ready(),
            Caption(at_s=5.0, turn=0, text="early", final=True),
            ReplyText(at_s=6.0, turn=0, delta="The bird."),
        )
        assert "waits" not in answered
        assert answered.count("early") == 1
        assert "parlor  The bird." in answered


async def test_a_refusal_is_said_where_it_happened() -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        await pilot.press(*"x", "enter")
        text = await show(app, pilot, assistant, Failed(at_s=1.0, text="too long: use fewer words [/]"))
        assert "✗ not sent" in text
        assert "✗ error: too long: use fewer words [/]" in text


@pytest.mark.parametrize("focus", ["#prompt", "#talk"])
async def test_escape_interrupts_wherever_the_focus_is(focus: str) -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        app.query_one(focus).focus()
        await pilot.press("escape")
        await pilot.pause()
        assert assistant.asked == [("interrupt", None)]


async def test_escape_keeps_what_is_half_typed() -> None:
    app, _ = make_app()
    async with app.run_test() as pilot:
        await pilot.press(*"half", "escape")
        assert app.query_one(Prompt).text == "half"


@pytest.mark.parametrize("key", ["ctrl+t", "f8"])
async def test_mute_toggles_and_always_shows(key: str) -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        await show(app, pilot, assistant, *stand_in.ready(), *stand_in.speaking())
        await pilot.press(key)
        assert "SPEAKING" in screen_text(app)
        assert "mic muted" in screen_text(app)
        await pilot.press(key)
        assert "muted" not in screen_text(app)
        assert assistant.asked == [("set_muted", True), ("set_muted", False)]


async def test_the_assistant_has_the_last_word_about_being_muted() -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        assert "MUTED" in await show(app, pilot, assistant, StateChanged(at_s=1.0, state=State.MUTED))
        await pilot.press("ctrl+t")
        assert assistant.asked[-1] == ("set_muted", False)
        text = await show(app, pilot, assistant, StateChanged(at_s=1.0, state=State.LISTENING))
        assert "muted" not in text.lower()


@pytest.mark.parametrize("muted", [True, False])
async def test_a_microphone_that_goes_and_comes_back_mutes_and_opens_nothing(muted: bool) -> None:
    app, assistant = make_app()
    gone = DeviceUsed(at_s=2.0, kind="microphone", choice="default", label="")
    back = DeviceUsed(at_s=4.0, kind="microphone", choice="default", label="a headset")
    async with app.run_test() as pilot:
        await show(app, pilot, assistant, *stand_in.ready())
        if muted:
            await pilot.press("ctrl+t")
        states = [StateChanged(at_s=3.0, state=State.MUTED)]  # told if it is another one than before
        await show(app, pilot, assistant, *states[: 1 if muted else 0])
        text = await show(app, pilot, assistant, gone, *states[: 0 if muted else 1], gone, gone)
        assert "NO MICROPHONE" in text
        listening = [] if muted else [StateChanged(at_s=4.0, state=State.LISTENING)]
        text = await show(app, pilot, assistant, back, *listening)
        assert ("mic muted" in text) is muted
        await pilot.press("ctrl+t")
        assert assistant.asked[-1] == ("set_muted", not muted)


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c"])
async def test_leaving_works_even_with_text_selected_in_the_input(key: str) -> None:
    app, _ = make_app()
    left: list[bool] = []
    app._on_leave = lambda: left.append(True)
    async with app.run_test() as pilot:
        await pilot.press(*"text", "shift+home", key)
        await pilot.pause()
        assert app.return_value == 0
        assert left == [True]


async def test_typing_never_triggers_a_key_and_goes_to_the_input_from_anywhere() -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        app.query_one(Talk).focus()
        await pilot.press("m", "q", "?")
        assert app.query_one(Prompt).text == "mq?"
        assert app.focused is app.query_one(Prompt)
        assert assistant.asked == []


async def test_a_paste_keeps_its_lines_and_its_limit() -> None:
    app, assistant = make_app()
    async with app.run_test(notifications=True) as pilot:
        prompt = app.query_one(Prompt)
        pilot.app.post_message(_paste("one\r\n\ttwo\x1b[31m\n\n"))
        await pilot.pause()
        assert prompt.text == "one\n    two[31m"
        await pilot.press("ctrl+j", "z")
        assert prompt.text.endswith("\nz")
        prompt.clear()
        pilot.app.post_message(_paste("x" * (TYPED_LIMIT + 5)))
        await pilot.pause()
        assert len(prompt.text) == TYPED_LIMIT
        assert len(app._notifications) == 1
        await pilot.press("y")
        assert len(prompt.text) == TYPED_LIMIT
        assert prompt.size.height <= 5
        await pilot.press("enter")
        assert assistant.asked[-1] == ("say", "x" * TYPED_LIMIT)


def _paste(text: str) -> object:
    from textual.events import Paste

    return Paste(text)


async def test_the_talk_follows_the_newest_line_unless_scrolled_up() -> None:
    app, assistant = make_app()
    many = [Caption(at_s=1.0, turn=turn, text=f"turn number {turn}", final=True) for turn in range(60)]
    async with app.run_test(size=(80, 24)) as pilot:
        assert "turn number 59" in await show(app, pilot, assistant, *many)
        await pilot.press("pageup")
        await pilot.pause()
        assert "turn number 59" not in screen_text(app)
        more = await show(app, pilot, assistant, Caption(at_s=2.0, turn=60, text="turn number 60", final=True))
        assert "turn number 60" not in more
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert "turn number 60" in screen_text(app)
        await pilot.press("pageup", *"new", "enter")
        await pilot.pause()
        assert "you     new" in screen_text(app)


async def test_a_growing_reply_stays_in_sight_and_old_turns_leave() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        many = [Caption(at_s=1.0, turn=turn, text=f"turn {turn}", final=True) for turn in range(230)]
        await show(app, pilot, assistant, *many)
        assert len(app.query(EntryView)) == STANDING
        for index in range(30):
            text = await show(app, pilot, assistant, ReplyText(at_s=2.0, turn=229, delta=f"word{index} long enough "))
            assert f"word{index}" in text


async def test_earlier_turns_come_as_one_scrolls_up_to_them_and_what_is_read_stays_where_it_is() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        many = [Caption(at_s=1.0, turn=turn, text=f"turn number {turn:03d}", final=True) for turn in range(230)]
        await show(app, pilot, assistant, *many)
        talk = app.query_one(Talk)
        firsts = []
        for _ in range(80):
            before = screen_text(app)
            await pilot.press("pageup")
            await pilot.pause()
            firsts.append(min(int(number) for number in re.findall(r"turn number (\d+)", screen_text(app))))
            if screen_text(app) == before and talk.scroll_y == 0:
                break
        assert firsts[-1] == 30
        assert all(0 <= before - after <= 24 for before, after in itertools.pairwise(firsts))
        assert len(app.query(EntryView)) == 200
        await show(app, pilot, assistant, Caption(at_s=2.0, turn=230, text="turn number 230", final=True))
        assert "turn number 230" not in screen_text(app)
        talk.scroll_end(animate=False)
        await pilot.pause()
        assert "turn number 231" in await show(
            app, pilot, assistant, Caption(at_s=2.0, turn=231, text="turn number 231", final=True)
        )
        assert len(app.query(EntryView)) == STANDING


async def test_markup_in_words_and_replies_is_drawn_as_it_is() -> None:
    app, assistant = make_app()
    nasty = "[red]x[/red] [/] [@click=app.leave]y[/] {z} \\[b]"
    async with app.run_test(size=(120, 40)) as pilot:
        text = await show(
            app,
            pilot,
            assistant,
            Caption(at_s=1.0, turn=0, text=nasty, final=True),
            ReplyText(at_s=1.0, turn=0, delta=nasty),
            Notice(at_s=1.0, text=nasty, severity="warning", key="k"),
        )
        assert text.count(nasty) == 4


@pytest.mark.parametrize(("size", "told"), [((80, 24), 1), ((120, 40), 2)], ids=["80x24", "120x40"])
async def test_a_lasting_trouble_has_a_banner_until_it_is_over(size: tuple[int, int], told: int) -> None:
    app, assistant = make_app()
    async with app.run_test(size=size) as pilot:
        banner = app.query_one(Banner)
        assert not banner.display
        lost = Notice(at_s=1.0, text="the microphone is gone", severity="warning", key="mic")
        assert (await show(app, pilot, assistant, lost)).count("the microphone is gone") == told
        assert (await show(app, pilot, assistant, lost)).count("the microphone is gone") == told
        await show(app, pilot, assistant, Notice(at_s=2.0, text="no core", severity="error", key="core"))
        assert banner.size.height == 2
        text = await show(app, pilot, assistant, Notice(at_s=3.0, text="", key="mic"))
        assert text.count("the microphone is gone") == 1
        assert banner.size.height == 1
        await show(app, pilot, assistant, Notice(at_s=4.0, text="", key="core"))
        assert not banner.display


async def test_progress_is_there_only_while_loading() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        text = await show(app, pilot, assistant, *stand_in.loading())
        assert "Downloading Kokoro, the voice" in text
        assert "42 / 92 MB" in text
        await show(app, pilot, assistant, *stand_in.ready())
        assert not app.query_one(Progress).display


async def test_levels_redraw_the_status_line_only_when_it_looks_different() -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        await show(app, pilot, assistant, *stand_in.ready())
        line = app.query_one(StatusLine)
        drawn: list[bool] = []
        real = line.render
        line.render = lambda: drawn.append(True) or real()  # type: ignore[method-assign, func-returns-value]
        for dbfs in (-52.4, -51.2, -53.0, -52.0):
            await show(app, pilot, assistant, MicLevel(at_s=9.0, dbfs=dbfs, speech_probability=0.0))
        assert drawn == []
        await show(app, pilot, assistant, MicLevel(at_s=9.0, dbfs=-20.0, speech_probability=0.9))
        assert drawn


async def test_the_mouse_focuses_and_the_bar_can_be_clicked() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(Talk)
        assert app.focused is app.query_one(Talk)
        await pilot.click(Prompt)
        assert app.focused is app.query_one(Prompt)
        await pilot.click(KeyBar, offset=Offset(3, 0))
        await pilot.pause()
        assert assistant.asked[-1] == ("interrupt", None)


async def test_escape_closes_the_palette_without_interrupting() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.screen_stack) == 1
        assert assistant.asked == []


@pytest.mark.parametrize("size", [(1, 1), (12, 4), (30, 8), (400, 120)])
async def test_any_size_of_terminal_is_survived(size: tuple[int, int]) -> None:
    app, assistant = make_app()
    async with app.run_test(size=size) as pilot:
        await show(app, pilot, assistant, *stand_in.loading(), *stand_in.whole_talk())
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "Green tea" in screen_text(app)


async def test_copy_is_offered_once_something_is_selected() -> None:
    app, assistant = make_app()
    async with app.run_test() as pilot:
        await show(app, pilot, assistant, *stand_in.hearing())
        assert "Copy" not in [command.title for command in app.get_system_commands(app.screen)]
        app.screen.text_select_all()
        await pilot.pause()
        assert "Copy" in [command.title for command in app.get_system_commands(app.screen)]
