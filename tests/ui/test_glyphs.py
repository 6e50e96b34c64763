"""Terminals that show ASCII alone: who they are, and that nothing is lost or moved on them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual._border import BORDER_CHARS

import parlor_tui.ui
from parlor_tui.settings import Settings
from parlor_tui.ui.glyphs import UNKNOWN, ascii_form, ascii_text, wants_ascii
from parlor_tui.ui.widgets.status import METER, SYMBOLS, YIELDING
from tests.ui.stand_in import make_app, whole_talk


@pytest.mark.parametrize(
    ("said", "ascii_alone"),
    [
        ("LANG=C", True),
        ("LANG=POSIX", True),
        ("LANG=C LC_CTYPE=C.UTF-8", True),  # what Python makes of LANG=C
        ("LC_ALL=C.UTF-8 LANG=C", False),
        ("LC_ALL=C LANG=en_GB.UTF-8", True),
        ("LANG=en_GB.UTF-8 TERM=xterm", False),
        ("LANG=de_DE.utf8@euro", False),
        ("LANG=de_DE.ISO-8859-1", True),
        ("LANG=ja_JP.eucJP", True),
        ("LANG=en_GB", False),
        ("LC_CTYPE=UTF-8", False),
        ("", False),
        ("LANG=C.UTF-8 TERM=linux", True),
        ("LANG=C.UTF-8 TERM=vt100", True),
        ("LANG=C.UTF-8 TERM=xterm-16color", False),
        ("LANG=C TERM=linux TEXTUAL_DRIVER=textual.drivers.web_driver:WebDriver", False),
    ],
)
def test_which_terminals_get_ascii(said: str, ascii_alone: bool) -> None:
    assert wants_ascii(dict(word.split("=") for word in said.split())) is ascii_alone


@given(st.text(max_size=60))
def test_any_text_becomes_ascii_and_stays_as_wide(text: str) -> None:
    drawn = ascii_text(text)
    assert drawn.isascii()
    assert len(drawn) == cell_len(text) or text.isascii()


def test_everything_that_the_screen_draws_with_has_a_form() -> None:
    folder = Path(parlor_tui.ui.__file__).parent
    drawn = {
        character
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for character in node.value
        if cell_len(character) and not character.isalpha() and file.name != "glyphs.py"
    }
    drawn |= set("".join("".join(row) for rows in BORDER_CHARS.values() for row in rows))
    assert len(drawn) > 100
    assert {character for character in drawn if UNKNOWN in ascii_form(character) and character != UNKNOWN} == set()


def test_states_and_levels_are_still_told_apart() -> None:
    states = [*SYMBOLS.values(), *(word.split()[0] for word, _ in YIELDING.values())]
    assert len({ascii_form(symbol) for symbol in states}) == len(states)
    assert len({ascii_form(step) for step in METER}) == len(METER)


def test_letters_lose_their_accents_and_wide_ones_keep_their_room() -> None:
    assert ascii_text("Où est l’été ? … 中文") == "Ou est l'ete ? ~ ????"
    assert ascii_text("╭─ Talk ─╮│▁█") == "+- Talk -+|.#"


async def test_the_whole_screen_is_drawn_in_ascii_if_the_settings_say_so() -> None:
    app, assistant = make_app(Settings().with_values({"screen.glyphs": "ascii"}, "test"))
    async with app.run_test(size=(100, 30)) as pilot:
        assistant.replay(whole_talk())
        app.drain()
        await pilot.pause()
        rows = [strip.text for strip in app.screen._compositor.render_strips()]
        assert "".join(rows).isascii()
        assert {len(row) for row in rows} == {100}
        assert any(row.startswith(" parlor  > SPEAKING") for row in rows)
        assert any("> type here, or just talk" in row for row in rows)
