"""F1: all keys as they are set, in any width, to be read to its end on a small screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.containers import VerticalScroll

from parlor_tui.settings import Keys, Settings
from parlor_tui.ui.actions import ACTIONS, keys_of
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.help_text import KEY_CELLS, LEAST_CELLS, help_lines
from parlor_tui.ui.screens.help import HelpScreen
from tests.ui.stand_in import StandIn, make_app
from tests.ui.test_keys import screen_text

CONFIG = Path("/home/you/config.toml")
CHANGED = Settings().with_values({"keys.help": "f12,insert", "keys.mute": "", "keys.interrupt": "ctrl+k"}, "test")


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same on every machine."""
    monkeypatch.setattr("parlor_tui.ui.cockpit.config_file", lambda: CONFIG)
    monkeypatch.setattr("parlor_tui.ui.help_text.log_file", lambda: Path("/home/you/parlor-tui.log"))
    monkeypatch.setattr("parlor_tui.ui.help_text.user_folder", lambda: Path("/home/you/themes"))


async def test_it_is_read_to_its_end_on_a_small_screen_and_closed() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        for closes in ("escape", "f1"):
            await pilot.press("f1")
            await pilot.pause()
            assert "How talking works" in screen_text(app)
            assert "esc  f1  close" in screen_text(app)
            await pilot.press("end")
            await pilot.pause()
            frame = app.screen.query_one(VerticalScroll)
            assert frame.scroll_offset.y == frame.max_scroll_y > 0
            assert "/home/you/parlor-tui.log" in screen_text(app)
            assert "section [keys]" in screen_text(app)
            await pilot.press(closes)
            await pilot.pause()
            assert not isinstance(app.screen, HelpScreen)
        assert assistant.asked == []


async def test_it_names_the_keys_that_were_chosen_and_is_closed_by_its_own() -> None:
    app, _ = make_app(CHANGED)
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.press("f1", "f12")
        await pilot.pause()
        rows = screen_text(app).splitlines()
        assert any("f12 ins    Show every key" in row for row in rows)
        assert any("no key     Close or open the microphone" in row for row in rows)
        assert any("^k         Stop the reply" in row for row in rows)
        assert any("esc  f12  ins  close" in row for row in rows)
        await pilot.press("insert")
        await pilot.pause()
        assert not isinstance(app.screen, HelpScreen)


@given(st.integers(1, 200))
def test_no_line_is_wider_than_the_screen_and_nothing_is_left_out(width: int) -> None:
    lines = [line.plain for line in help_lines(Keys(), CONFIG, width)]
    assert max(map(len, lines)) <= max(width, KEY_CELLS + LEAST_CELLS)
    words = " ".join(" ".join(lines).split())
    for action in ACTIONS:
        assert all(key in words for key in keys_of(action.id, Keys()))
        assert action.does.split()[-1] in words


async def test_it_names_the_settings_file_that_is_in_use() -> None:
    app = ParlorApp(StandIn(bridge := Bridge()), Settings(), bridge, config=Path("/home/you/other.toml"))
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        assert "settings   /home/you/other.toml" in screen_text(app)
