"""The screen in real terminals (tmux) that lack UTF-8, or colours: nothing cut off, states and cursor still seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.test_real_terminal import Screen

COLOUR = re.compile(r"[345]8;2;(\d+);(\d+);(\d+)")
ROWS, COLUMNS = 24, 80


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Screen]:
    terminal = Screen(tmp_path)
    yield terminal
    terminal.close()


def styled(tmux: Screen) -> str:
    """The screen with the codes of its colours."""
    return tmux.call("capture-pane", "-p", "-e")


def assert_whole(picture: str) -> None:
    """Both edges of the talk's frame stand one below the other, and nothing is longer than the screen."""
    rows = picture.splitlines()
    assert max(map(len, rows)) <= COLUMNS
    top = next(number for number, row in enumerate(rows) if "Talk" in row)
    bottom = next(number for number in range(top + 1, ROWS) if rows[number][0] in "+╰")
    assert bottom - top > 8
    assert {len(row) for row in rows[top : bottom + 1]} == {COLUMNS}
    assert {row[0] + row[-1] for row in rows[top + 1 : bottom]} in ({"||"}, {"││"})


def ground(tmux: Screen, words: str) -> int:
    """The grey (0 to 255) that `words` stand on."""
    grey = 0
    for row in styled(tmux).splitlines():
        for codes, text in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", row):  # a colour holds on in the next row
            if found := re.search(r"48;2;(\d+);", codes):
                grey = int(found.group(1))
            elif codes in ("0", "49"):
                grey = 0
            if words in text:
                return grey
    raise AssertionError(f"no {words!r} on the screen")


def leave(tmux: Screen) -> None:
    tmux.keys("C-q")
    assert tmux.wait_for_end() == 0
    tmux.assert_terminal_is_whole()


@pytest.mark.parametrize("env", ["LANG=C LC_ALL= PYTHONUTF8=0 PYTHONIOENCODING=ascii", "TERM=vt100"])
def test_without_utf_8_everything_is_ascii_and_in_its_place(tmux: Screen, env: str) -> None:
    tmux.run_screen("quiet", env=env)
    tmux.wait_for("* LISTENING")
    tmux.keys("na\u00efve \u4e2d")
    tmux.wait_for("> naive ??")
    picture = tmux.picture()
    assert picture.isascii()
    assert_whole(picture)
    assert "+- Talk -" in picture
    if "vt100" in env:
        codes = set(re.findall(r"\x1b\[([\d;]*)m", styled(tmux)))
        assert {"1", "7"} <= codes <= {"", "0", "1", "7", "9", "39", "49"}
    tmux.keys("Enter")
    tmux.wait("the turn as it was typed", lambda: "SAID na\u00efve \u4e2d" in tmux.log())
    leave(tmux)


def test_with_no_color_all_is_grey_and_what_is_marked_stands_out(tmux: Screen) -> None:
    tmux.run_screen("quiet", env="NO_COLOR=1 TERM=xterm-256color COLORTERM=truecolor")
    tmux.wait_for("● LISTENING")
    assert_whole(tmux.picture())
    colours = {tuple(map(int, found)) for found in COLOUR.findall(styled(tmux))}
    assert len(colours) > 3
    assert all(red == green == blue for red, green, blue in colours)
    tmux.keys("C-p")
    tmux.wait_for("Stop the reply")
    tmux.keys("Down")
    tmux.wait("a marked line on a lighter ground", lambda: ground(tmux, "Mute  ^t") > ground(tmux, "Interrupt") + 30)
    leave(tmux)


def test_with_sixteen_colours_they_are_the_terminals_own(tmux: Screen) -> None:
    tmux.run_screen("quiet", env="TERM=xterm-16color COLORTERM=")
    tmux.wait_for("● LISTENING")
    assert_whole(tmux.picture())
    coded = styled(tmux)
    assert "38;2" not in coded
    assert "38;5" not in coded
    assert re.search(r"\x1b\[[\d;]*92m● LISTENING", coded), coded.splitlines()[0]
    leave(tmux)
