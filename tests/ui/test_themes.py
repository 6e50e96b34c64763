"""Themes are data; a broken file is one line and never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color

from parlor_tui.ui import themes
from parlor_tui.ui.cockpit import ParlorApp
from tests.ui.stand_in import make_app


def test_ours_load_and_name_every_colour_of_ours() -> None:
    loaded, troubles = themes.load_all([themes.shipped_folder()])
    assert troubles == []
    assert {theme.name: theme.dark for theme in loaded} == {"parlor": True, "parlor-light": False}
    for theme in loaded:
        assert theme.variables.keys() == themes.VARIABLES.keys()


@pytest.mark.parametrize("name", ["parlor", "parlor-light"])
def test_state_colours_can_be_read_on_their_background(name: str) -> None:
    theme = next(t for t in themes.load_all([themes.shipped_folder()])[0] if t.name == name)
    assert theme.panel is not None
    for variable, value in theme.variables.items():
        if variable.startswith("state-"):
            assert _contrast(Color.parse(value), Color.parse(theme.panel)) >= 4.5, variable


def _contrast(one: Color, other: Color) -> float:
    def luminance(colour: Color) -> float:
        parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("primary = ", 1, "not valid TOML"),
        ('primary = "#fff"\n\nwarning = "mauvish"\n', 3, "warning = 'mauvish' is no colour"),
        ('primary = "#fff"\nshine = "#fff"\n', 2, "unknown key shine"),
        ('primary = "#fff"\n[variables]\nstate-asleep = "#fff"\n', 3, "unknown variable state-asleep"),
        ('primary = "#fff"\n[variables]\nstate-error = 7\n', 3, "state-error = 7 is no colour"),
        ('primary = "#fff"\ndark = "yes"\n', 2, "dark must be true or false"),
        ('primary = "#fff"\nname = "two words"\n', 2, "name must be one word"),
        ('primary = "#fff"\nvariables = 3\n', 2, "variables must be a section"),
        ("dark = true\n", 1, "primary is missing"),
    ],
)
def test_a_broken_theme_is_named_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(themes.ThemeError) as caught:
        themes.parse(text, "mine.toml", "mine")
    assert str(caught.value).startswith(f"mine.toml:{line}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=200))
def test_no_text_is_worse_than_a_theme_error(text: str) -> None:
    try:
        themes.parse(text, "mine.toml", "mine")
    except themes.ThemeError as error:
        assert str(error).startswith("mine.toml:")  # noqa: PT017 - a text that is a theme is fine too


@pytest.fixture
def user_themes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(themes, "user_folder", lambda: tmp_path)
    return tmp_path


async def test_the_users_themes_are_offered_and_a_broken_one_is_one_notification(user_themes: Path) -> None:
    (user_themes / "mine.toml").write_text('primary = "#102030"\n')
    (user_themes / "broken.toml").write_text('primary = "#102030"\nshine = "[red]"\n')
    (user_themes / "binary.toml").write_bytes(b"\xff\xfe\x00")
    app, _ = make_app()
    async with app.run_test(size=(100, 30), notifications=True):
        assert "mine" in app.available_themes
        assert app.theme == "parlor"
        app.theme = "mine"
        messages = sorted(note.message for note in app._notifications)
        assert len(messages) == 2
        assert messages[0].endswith("binary.toml: not UTF-8 text (byte 0)")
        assert "broken.toml:2: unknown key shine" in messages[1]


async def test_every_theme_that_textual_brings_draws_too() -> None:
    app, _ = make_app()
    async with app.run_test() as pilot:
        for name in app.available_themes:
            app.theme = name
            await pilot.pause()
        assert isinstance(app, ParlorApp)
        assert app.fault is None
