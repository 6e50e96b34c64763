"""Pictures of the screen in the default theme, a light one and the high-contrast one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.widgets import OptionList

from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.screens.theme_picker import ThemePicker

THEMES = ("parlor", "parlor-light", "high-contrast")
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x60": (200, 60)}

Compare = Callable[[Pilot[Any], str], Awaitable[None]]
"""Compares the screen as it is with the pictures of that name, one in each theme."""


async def paint(pilot: Pilot[Any], theme: str) -> None:
    """The same screen in another theme; a list of themes stands at it."""
    app: Any = pilot.app
    if isinstance(app.screen, ThemePicker):
        app.screen.query_one(OptionList).highlighted = list(app.theme_names).index(theme)
    else:
        app.theme = theme
    await pilot.pause()
    await pilot.pause()


def comparing(snapshot: SnapshotAssertion, folder: Path) -> Compare:
    """Compares with `snapshot`; what is not the same is written into `folder`, to be looked at."""
    kept = snapshot.use_extension(SVGImageExtension)

    async def compare(pilot: Pilot[Any], name: str) -> None:
        app: Any = pilot.app
        assert isinstance(app, ParlorApp)
        differ = []
        # To change the theme takes as long as all the rest: the one that is there comes first.
        for theme in sorted(THEMES, key=lambda one: one != app.theme):
            await paint(pilot, theme)
            drawn = app.export_screenshot(simplify=True)
            shown = "-".join(filter(None, [name, theme])).replace(" ", "-")
            if kept(name=shown) == drawn:
                continue
            file = folder / f"{shown}.svg"
            file.write_text(drawn, encoding="utf-8")
            differ.append(str(file))
        assert not differ, f"not as they were looked at: {', '.join(differ)}"

    return compare
