"""How the app looks: its themes while they come and go, and what a terminal cannot show."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from textual.app import App, SystemCommand
from textual.filter import LineFilter
from textual.message import Message
from textual.timer import Timer

from parlor_tui.settings import Screen
from parlor_tui.ui import themes
from parlor_tui.ui.few_colours import few_colours
from parlor_tui.ui.glyphs import AsciiFilter, wants_ascii
from parlor_tui.ui.screens.theme_picker import ThemePicker
from parlor_tui.ui.text import clean
from parlor_tui.ui.theme_watch import Found, ThemeFolders, ThemeWatch, next_name

REMEMBER_AFTER_S = 1.0
"""A theme that is passed by within this time, on the way to another, is not written down."""
Remember = Callable[[Mapping[str, Any]], object]
"""Writes `{"section.key": value}` into the settings file, later."""


class ThemesFound(Message):
    """Themes came, changed or went while the screen is up."""

    def __init__(self, found: Found) -> None:
        super().__init__()
        self.found = found


class LooksApp(App[int], inherit_bindings=False):
    """The app's themes. The one that the settings name may come later; `remember` keeps another choice."""

    def __init__(self, screen: Screen, remember: Remember) -> None:
        super().__init__()
        self._screen_settings = screen
        self._remember = remember
        self._remembering: Timer | None = None
        self._wanted: str | None = screen.theme
        self._own_filters: list[LineFilter] = []
        self._theme_names: list[str] = []
        self._theme_folders = ThemeFolders((themes.shipped_folder(), themes.user_folder()))
        self._first_look = self._theme_folders.first()
        self._theme_watch = ThemeWatch(self._theme_folders, lambda found: self.post_message(ThemesFound(found)))
        self._take_themes(self._first_look)

    @property
    def theme_names(self) -> Sequence[str]:
        """Every theme of ours and the user's by name, the default one first."""
        return self._theme_names

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colours, for themes that do not know them."""
        return themes.VARIABLES | {themes.FRAME: "#808080"}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every line passes through on its way to the terminal."""
        return [*super().get_line_filters(), *self._own_filters]

    def on_mount(self) -> None:
        """Adapt to the terminal, say what is wrong with themes, and keep an eye on their folders."""
        self._own_filters = self._filters_for_terminal()
        self._tell_troubles(self._first_look.troubles)
        if self._wanted is not None:
            known = ", ".join(self._theme_names)
            self._tell_troubles([f"screen.theme = {self._wanted!r}: there is no such theme; there are {known}"])
        self._theme_watch.start()

    def on_unmount(self) -> None:
        """Look no longer."""
        self._theme_watch.stop()

    def _filters_for_terminal(self) -> list[LineFilter]:
        """Colours and shapes that the terminal lacks; a picture of the screen is no terminal, and lacks nothing."""
        filters = []
        if not self.is_headless and not self.is_web:
            filters.append(few_colours(os.environ.get("TERM", ""), self.console.color_system))
        glyphs = self._screen_settings.glyphs
        if glyphs == "ascii" or (glyphs == "auto" and not self.is_headless and wants_ascii(os.environ)):
            filters.append(AsciiFilter())
        return [chosen for chosen in filters if chosen is not None]

    def notify(self, message: str, **how: Any) -> None:
        """Say it in a corner, as text that may be drawn."""
        super().notify(clean(message), **how)

    # --- themes that come, change and go ------------------------------------------------------------------------------

    def on_themes_found(self, message: ThemesFound) -> None:
        """Take over what changed on the disk; what is in use is painted anew."""
        before = set(self._theme_names)
        self._take_themes(message.found)
        self._tell_troubles(message.found.troubles)
        if self.theme in before and self.theme not in self._theme_names:
            gone = f"The file of the theme {self.theme} is gone; its colours stay until you choose another."
            self.notify(gone, markup=False)
        if isinstance(self.screen, ThemePicker):
            self.screen.show_themes(self._theme_names)

    def _take_themes(self, found: Found) -> None:
        self._theme_names = sorted(found.themes, key=lambda name: (name != themes.DEFAULT_THEME, name))
        for name in found.changed:
            self.register_theme(found.themes[name])
        if self._wanted in found.themes:
            self.theme, self._wanted = self._wanted, None
        elif self.theme in found.changed:
            self.mutate_reactive(App.theme)
        elif self.theme not in self._theme_names and themes.DEFAULT_THEME in found.themes and not self.is_running:
            self.theme = themes.DEFAULT_THEME

    def _tell_troubles(self, troubles: Iterable[str]) -> None:
        for trouble in troubles:
            self.notify(trouble, title="Theme not used", severity="warning", markup=False)

    # --- choosing -----------------------------------------------------------------------------------------------------

    def action_theme(self) -> None:
        """Use the next theme, and remember it unless yet another one follows."""
        self.use_theme(next_name(self._theme_names, self.theme))
        self.clear_notifications()
        self.notify(self.theme, title="Theme", timeout=2.0, markup=False)

    def action_themes(self) -> None:
        """Choose a theme from a list, seeing each at once."""
        if not isinstance(self.screen, ThemePicker):
            self.push_screen(ThemePicker(self._theme_names, self.theme), self._picked)

    def commands_of_themes(self) -> Iterable[SystemCommand]:
        """The palette's entries for themes."""
        yield SystemCommand("Choose a theme", "A list, and the whole screen in the one you are at", self.action_themes)
        for name in self._theme_names:
            told = "In use now" if name == self.theme else "Use it at once"
            yield SystemCommand(f"Theme: {name}", told, partial(self.use_theme, name), discover=False)

    def _picked(self, name: str | None) -> None:
        if name is not None:
            self.use_theme(name)

    def use_theme(self, name: str) -> None:
        """Use the theme `name`, which there is, from now on and after the next start."""
        self._wanted = None
        self.theme = name
        if self._remembering is not None:
            self._remembering.stop()
        self._remembering = self.set_timer(REMEMBER_AFTER_S, lambda: self._remember({"screen.theme": name}))
