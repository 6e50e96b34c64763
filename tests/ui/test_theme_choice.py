"""Themes while the screen is up: files that come, change, break and go; the key, the list, and what is remembered."""

from __future__ import annotations

import asyncio
import contextlib
import queue
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.color import Color
from textual.pilot import Pilot

from parlor_tui.events import Event, Failed, now_s
from parlor_tui.settings import Settings, load
from parlor_tui.ui import looks, themes
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.remembering import Remembering
from parlor_tui.ui.screens.theme_picker import ThemePicker
from parlor_tui.ui.theme_watch import ThemeFolders, next_name
from tests.ui import stand_in
from tests.ui.test_pictures import SCENES

BLUE, RED = 'primary = "#0000ff"\nbackground = "#000011"\n', 'primary = "#ff0000"\nbackground = "#110000"\n'
BROKEN = 'primary = "#0000ff"\nbackground = "inkish"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(themes, "user_folder", lambda: tmp_path)
    monkeypatch.setattr("parlor_tui.ui.theme_watch.POLL_EVERY_S", 0.05)
    return tmp_path


def make_app(theme: str = "parlor", remember: Callable[[Mapping[str, Any]], None] = lambda _: None) -> ParlorApp:
    bridge = Bridge()
    chosen = Settings().with_values({"screen.theme": theme}, "test")
    return ParlorApp(stand_in.StandIn(bridge), chosen, bridge, clock=stand_in.frozen_clock, remember=remember)


def ground(app: ParlorApp) -> Color:
    """What is painted behind everything."""
    return app.screen.styles.background


async def until(pilot: Pilot[int], is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_so():
            await pilot.pause(0.02)


def said(app: ParlorApp) -> list[str]:
    return [note.message for note in app._notifications]


def test_a_file_counts_once_it_stays_the_same(tmp_path: Path) -> None:
    folders = ThemeFolders([tmp_path, tmp_path / "absent"])
    assert folders.first().themes == {}
    assert folders.look() is None
    file = tmp_path / "mine.toml"
    file.write_text(BLUE[:20])
    assert folders.look() is None
    file.write_text(BLUE)
    assert folders.look() is None
    found = folders.look()
    assert found is not None
    assert (set(found.themes), found.changed, found.troubles) == ({"mine"}, frozenset({"mine"}), ())
    assert folders.look() is None
    file.unlink()
    assert folders.look() is None
    file.write_text(RED)  # as an editor does that puts a new file into the old one's place
    assert folders.look() is None
    found = folders.look()
    assert found is not None
    assert found.themes["mine"].primary == "#ff0000"


def test_a_broken_file_is_told_once_and_stands_for_what_it_was(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(BLUE)
    folders = ThemeFolders([tmp_path])
    folders.first()
    file.write_text(BROKEN)
    assert folders.look() is None
    found = folders.look()
    assert found is not None
    assert found.themes["mine"].primary == "#0000ff"
    assert found.changed == frozenset()
    assert found.troubles == (f"{file}:2: background = 'inkish' is no colour; write it as \"#rrggbb\" or by name",)
    assert [folders.look() for _ in range(3)] == [None, None, None]


def test_a_theme_of_the_users_takes_the_place_of_ours_until_it_goes(tmp_path: Path) -> None:
    ours, users = tmp_path / "ours", tmp_path / "users"
    for place, text in ((ours, BLUE), (users, RED)):
        place.mkdir()
        (place / "parlor.toml").write_text(text)
    folders = ThemeFolders([ours, users])
    assert folders.first().themes["parlor"].primary == "#ff0000"
    (users / "parlor.toml").unlink()
    folders.look()
    found = folders.look()
    assert found is not None
    assert (found.themes["parlor"].primary, found.changed) == ("#0000ff", frozenset({"parlor"}))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([BLUE, RED, "", None]), st.integers(0, 3)), max_size=12)
)
def test_whatever_happens_to_files_the_themes_are_those_that_are_there(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str | None, int]]
) -> None:
    place = tmp_path_factory.mktemp("themes")
    folders = ThemeFolders([place])
    now = folders.first().themes
    for name, text, looks_after in [*steps, ("d", BLUE, 3)]:
        file = place / f"{name}.toml"
        if text is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(text)
        for _ in range(looks_after):
            now = found.themes if (found := folders.look()) is not None else now
    for file in place.glob("*.toml"):
        with contextlib.suppress(themes.ThemeError):
            theme = themes.load(file)
            assert now[theme.name] == theme
    assert now.keys() <= {file.stem for file in place.glob("*.toml")}


def test_after_the_last_theme_comes_the_first() -> None:
    assert [next_name(["a", "b"], now) for now in ("a", "b", "gone")] == ["b", "a", "a"]
    assert next_name([], "a") == "a"


async def test_a_theme_that_comes_can_be_chosen_and_the_one_in_use_is_painted_anew(folder: Path) -> None:
    app = make_app()
    async with app.run_test(size=(100, 30)) as pilot:
        (folder / "mine.toml").write_text(BLUE)
        await until(pilot, lambda: "mine" in app.theme_names)
        app.use_theme("mine")
        await until(pilot, lambda: ground(app) == Color.parse("#000011"))
        (folder / "mine.toml").write_text(RED.replace("11", "22") + "dark = false\n")
        await until(pilot, lambda: ground(app).r > 30 and ground(app).b == 0)
        assert app.has_class("-light-mode")


async def test_a_theme_that_breaks_is_one_toast_and_the_colours_stay(folder: Path) -> None:
    (folder / "mine.toml").write_text(BLUE)
    app = make_app("mine")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        (folder / "mine.toml").write_text(BROKEN)
        await until(pilot, lambda: bool(said(app)))
        await pilot.pause(0.3)  # several looks more
        assert len(said(app)) == 1
        assert f"{folder / 'mine.toml'}:2: background = 'inkish' is no colour" in said(app)[0]
        assert (app.theme, ground(app)) == ("mine", Color.parse("#000011"))
        (folder / "mine.toml").unlink()
        await until(pilot, lambda: len(said(app)) == 2)
        assert "The file of the theme mine is gone" in said(app)[1]
        assert ground(app) == Color.parse("#000011")
        assert "mine" not in app.theme_names


async def test_a_theme_of_the_settings_that_is_not_here_is_told_and_used_once_it_comes(folder: Path) -> None:
    app = make_app("later")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        assert app.theme == "parlor"
        assert said(app)[0].startswith("screen.theme = 'later': there is no such theme; there are parlor, ")
        (folder / "later.toml").write_text(BLUE)
        await until(pilot, lambda: app.theme == "later")
        assert len(said(app)) == 1


async def test_the_key_takes_the_next_theme_at_once_and_the_last_one_is_remembered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looks, "REMEMBER_AFTER_S", 0.2)
    kept: list[Mapping[str, Any]] = []
    app = make_app("colour-blind", kept.append)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("f4", "f4")
        assert app.theme == "gruvbox"
        await until(pilot, lambda: ground(app) == Color.parse("#282828"))
        assert kept == []
        await until(pilot, lambda: bool(kept))
        await pilot.pause(0.3)
        assert kept == [{"screen.theme": "gruvbox"}]


def test_what_is_remembered_is_in_the_settings_file_and_trouble_is_told(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    told: queue.Queue[Event] = queue.Queue()
    remember = Remembering(file, told.put)
    remember({"screen.theme": "nord"})
    until_s = now_s() + 5
    while not file.exists():
        assert now_s() < until_s, "nothing was written"
    assert load(file).screen.theme == "nord"
    file.write_text("[screen\n")
    remember({"screen.theme": "parlor"})
    event = told.get(timeout=5)
    assert isinstance(event, Failed)
    assert str(file) in event.text
    assert "\n" not in event.text


async def test_the_list_shows_each_theme_and_esc_brings_the_former_one_back(folder: Path) -> None:
    app = make_app("nord")
    async with app.run_test(size=(100, 30)) as pilot:
        app.action_themes()
        await until(pilot, lambda: isinstance(app.screen, ThemePicker))
        await pilot.press("down")
        await until(pilot, lambda: app.theme == "parlor-light")
        (folder / "zebra.toml").write_text(BLUE)
        await until(pilot, lambda: "zebra" in app.theme_names)
        await pilot.press("f4")  # also here: the next one
        await until(pilot, lambda: app.theme == "solarized-light")
        await pilot.press("end")
        await until(pilot, lambda: app.theme == "zebra")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ThemePicker))
        assert app.theme == "nord"


async def test_enter_keeps_the_theme_of_the_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "REMEMBER_AFTER_S", 0.01)
    kept: list[Mapping[str, Any]] = []
    app = make_app("nord", kept.append)
    async with app.run_test(size=(80, 24)) as pilot:
        app.action_themes()
        await until(pilot, lambda: isinstance(app.screen, ThemePicker))
        await pilot.press("home", "enter")
        await until(pilot, lambda: bool(kept))
        assert kept == [{"screen.theme": "parlor"}]
        assert app.theme == "parlor"


@pytest.mark.parametrize("theme", ["high-contrast", "solarized-light", "colour-blind"])
def test_picture_of_a_talk(theme: str, snap_compare: Callable[..., bool]) -> None:
    app, assistant = stand_in.make_app(stand_in.with_camera())

    async def play(pilot: Pilot[Any]) -> None:
        app.theme = theme
        assistant.replay(SCENES["talk"])
        app.drain()
        await pilot.pause()

    assert snap_compare(app, terminal_size=(120, 40), run_before=play)
