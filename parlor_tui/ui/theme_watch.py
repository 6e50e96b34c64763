"""Notices themes that come, change and go while the screen is up. Nothing here draws."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.theme import Theme

from parlor_tui.ui import themes

POLL_EVERY_S = 0.5
"""Some twenty files are looked at, in a thread of its own: less than a millisecond, and no library for it."""
Mark = tuple[int, int, int]
"""When a file was changed (ns), its size (bytes), its number on the disk."""


@dataclass(frozen=True, slots=True)
class Found:
    """Every theme by its name, those that came or changed, and one line about each file that newly is no theme."""

    themes: dict[str, Theme]
    changed: frozenset[str]
    troubles: tuple[str, ...]


@dataclass(slots=True)
class _File:
    """A theme file as it was last read; `theme` is None if it never was one."""

    mark: Mark
    theme: Theme | None


class ThemeFolders:
    """The themes of `folders`, ours before the user's; of two of the same name the later one counts.

    What a look finds counts once the next one finds it too: a file that is being written, or replaced, is left alone. A
    file that is no theme any more stands for the theme it was.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._files: dict[Path, _File] = {}
        self._seen: dict[Path, Mark] = {}

    def first(self) -> Found:
        """Read everything as it is."""
        self._seen = self._marks()
        return self._read(self._seen)

    def look(self) -> Found | None:
        """What is new since the last time; None if nothing is."""
        marks, seen = self._marks(), self._seen
        self._seen = marks
        known = {file: read.mark for file, read in self._files.items()}
        settled = {file: mark for file, mark in known.items() if marks.get(file) != seen.get(file)}
        settled |= {file: mark for file, mark in marks.items() if seen.get(file) == mark}
        return self._read(settled) if settled != known else None

    def _marks(self) -> dict[Path, Mark]:
        marks: dict[Path, Mark] = {}
        for folder in self._folders:
            with contextlib.suppress(OSError):  # a folder that cannot be listed has no themes for us
                for file in folder.glob("*.toml"):
                    with contextlib.suppress(OSError):  # a file that just went is gone
                        facts = file.stat()
                        marks[file] = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
        return marks

    def _read(self, marks: dict[Path, Mark]) -> Found:
        before = self._themes()
        troubles = []
        for file in self._files.keys() - marks.keys():
            del self._files[file]
        for file, mark in marks.items():
            known = self._files.get(file)
            if known is not None and known.mark == mark:
                continue
            theme = known.theme if known is not None else None
            try:
                theme = themes.load(file)
            except themes.ThemeError as error:
                troubles.append(str(error))
            self._files[file] = _File(mark, theme)
        now = self._themes()
        changed = frozenset(name for name, theme in now.items() if before.get(name) != theme)
        return Found(now, changed, tuple(troubles))

    def _themes(self) -> dict[str, Theme]:
        """By name, in the order of folders and files."""
        order = {folder: number for number, folder in enumerate(self._folders)}
        files = sorted(self._files, key=lambda file: (order[file.parent], file))
        found = (self._files[file].theme for file in files)
        return {theme.name: theme for theme in found if theme is not None}


class ThemeWatch:
    """Looks at `folders` from a thread of its own and calls `tell`, from there, with what is new."""

    def __init__(self, folders: ThemeFolders, tell: Callable[[Found], object]) -> None:
        self._folders = folders
        self._tell = tell
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="theme-watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End soon; does not wait."""
        self._stopped.set()

    def _watch(self) -> None:
        while not self._stopped.wait(POLL_EVERY_S):
            found = self._folders.look()
            if found is not None and not self._stopped.is_set():
                self._tell(found)


def next_name(names: Sequence[str], now: str) -> str:
    """The name after `now`, around the end; the first one if `now` is none of them, `now` if there are none."""
    if not names:
        return now
    return names[(names.index(now) + 1) % len(names)] if now in names else names[0]
