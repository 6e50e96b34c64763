"""Themes are data; a broken file is one line and never a crash."""

from __future__ import annotations

import itertools
import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color
from textual.theme import Theme

from parlor_tui.ui import themes
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.theme_watch import ThemeFolders
from tests.ui.stand_in import make_app

SHIPPED = {
    "parlor": True,
    "parlor-light": False,
    "high-contrast": True,
    "high-contrast-light": False,
    "colour-blind": True,
    "nord": True,
    "gruvbox": True,
    "dracula": True,
    "catppuccin-mocha": True,
    "catppuccin-latte": False,
    "solarized-light": False,
    "tokyo-night": True,
}
"""Our themes, and whether each is dark."""
DIM_SHARE = 0.66
"""What textual leaves of a dim colour; the rest is the ground it stands on."""
ALIKE = 0.07
"""Distance in Oklab: 0.02 is just to be seen, 1 is from black to white."""
COLOUR_VISION = {
    "all three": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""What is left of linear RGB without one kind of cone: Machado, Oliveira and Fernandes, 2009, at full severity."""


def shipped(name: str) -> tuple[Theme, dict[str, str]]:
    """A theme of ours, and all of its variables."""
    theme = themes.load(themes.shipped_folder() / f"{name}.toml")
    return theme, {**theme.to_color_system().generate(), **theme.variables}


def test_ours_load_and_name_every_colour_of_ours() -> None:
    found = ThemeFolders([themes.shipped_folder()]).first()
    assert found.troubles == ()
    assert {name: theme.dark for name, theme in found.themes.items()} == SHIPPED
    for file in themes.shipped_folder().glob("*.toml"):
        said = tomllib.loads(file.read_text(encoding="utf-8"))
        assert said["name"] == file.stem
        assert themes.VARIABLES.keys() <= said["variables"].keys(), file.name


@pytest.mark.parametrize("name", SHIPPED)
def test_everything_written_in_a_theme_of_ours_can_be_read(name: str) -> None:
    theme, colours = shipped(name)
    least = 7.0 if name.startswith("high-contrast") else 4.5
    words = ["foreground", "accent", "text-primary", "text-accent", "text-warning", "text-error", "text-success"]
    words += [variable for variable in theme.variables if variable.startswith("state-")]
    for ground in ("background", "surface", "panel"):
        under = Color.parse(colours[ground])
        drawn = {word: Color.parse(colours[word]) for word in words}
        drawn["dim"] = under.blend(drawn["foreground"], DIM_SHARE)
        drawn["text-muted"] = _muted(colours["text-muted"], under)
        poor = {word: _contrast(colour, under) for word, colour in drawn.items() if _contrast(colour, under) < least}
        assert poor == {}, f"on {ground}"
        for stage in ("stage-even", "stage-odd"):
            assert _contrast(Color.parse(colours[stage]), under) >= 3, f"{stage} on {ground}"


@pytest.mark.parametrize("name", SHIPPED)
def test_what_stands_on_a_coloured_ground_can_be_read(name: str) -> None:
    _, colours = shipped(name)
    for ground, words in {
        "primary-muted": ["foreground", "accent", "dim"],
        "warning-muted": ["foreground", "text-warning", "text-error"],
        "error-muted": ["foreground", "text-error"],
        "block-cursor-background": ["block-cursor-foreground"],
        "footer-background": ["footer-foreground", "footer-key-foreground"],
    }.items():
        under = Color.parse(colours[ground])
        for word in words:
            dim = under.blend(Color.parse(colours["foreground"]), DIM_SHARE)
            colour = dim if word == "dim" else _muted(colours[word], under)
            assert _contrast(colour, under) >= 4.5, f"{word} on {ground}"


@pytest.mark.parametrize("name", [name for name in SHIPPED if name.startswith("high-contrast")])
def test_with_high_contrast_frames_are_seen_too(name: str) -> None:
    _, colours = shipped(name)
    assert _contrast(Color.parse(colours[themes.FRAME]), Color.parse(colours["background"])) >= 4.5


@pytest.mark.parametrize("lacking", COLOUR_VISION)
def test_the_states_are_told_apart_with_any_colour_vision_in_the_theme_for_it(lacking: str) -> None:
    assert _most_alike("colour-blind", lacking) >= ALIKE


def test_the_measure_of_likeness_finds_colours_that_are_confused() -> None:
    assert _most_alike("parlor", "no green") < ALIKE / 2  # amber and orange, which is why there is a theme of its own


def test_a_theme_that_names_few_colours_is_whole_all_the_same() -> None:
    theme = themes.parse('primary = "#336699"\nsuccess = "#227722"\ndark = false\n', "mine.toml", "mine")
    assert theme.variables.keys() >= themes.VARIABLES.keys() | themes.GROUNDS.keys()
    assert Color.parse(theme.variables["state-listening"]) == Color.parse("#227722")
    assert Color.parse(theme.variables["state-speaking"]) == Color.parse("#336699")


def _muted(value: str, under: Color) -> Color:
    """The colour `value` on `under`; textual writes "auto 60%" for black or white, whichever contrasts more."""
    if value.startswith("auto"):
        return under + under.get_contrast_text(float(value.removeprefix("auto").strip(" %") or "100") / 100)
    return under + Color.parse(value)


def _linear(colour: Color) -> list[float]:
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized]


def _contrast(one: Color, other: Color) -> float:
    """Contrast ratio by WCAG 2, from 1 to 21."""

    def luminance(colour: Color) -> float:
        red, green, blue = _linear(colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _most_alike(name: str, lacking: str) -> float:
    """The least distance in Oklab between two states of the theme `name`, as seen with such colour vision."""
    theme, _ = shipped(name)
    states = [Color.parse(value) for variable, value in theme.variables.items() if variable.startswith("state-")]
    seen = [_oklab(_seen(colour, lacking)) for colour in states]
    return min(math.dist(one, other) for one, other in itertools.combinations(seen, 2))


def _seen(colour: Color, lacking: str) -> list[float]:
    linear = _linear(colour)
    mixed = [sum(share * part for share, part in zip(row, linear, strict=True)) for row in COLOUR_VISION[lacking]]
    return [min(max(part, 0.0), 1.0) for part in mixed]


def _oklab(linear: list[float]) -> tuple[float, float, float]:
    red, green, blue = linear
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


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


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 50_000], ids=["too long to read", "too deep"])
def test_a_value_beyond_all_measure_is_one_line(value: str) -> None:
    with pytest.raises(themes.ThemeError, match=r"^x\.toml:\d+: not valid TOML: [^\n]+$"):
        themes.parse(f"primary = {value}", "x.toml", "x")
