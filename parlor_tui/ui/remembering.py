"""Writes what was chosen on the screen into the settings file, off the thread that draws."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from parlor_tui.events import Event, Failed, now_s
from parlor_tui.settings import SettingsError, config_file


class Remembering:
    """Call it with `{"section.key": value}`. `file` is the settings file, None the usual one."""

    def __init__(self, file: Path | None, tell: Callable[[Event], None]) -> None:
        self._file = file
        self._tell = tell

    def __call__(self, values: Mapping[str, Any]) -> None:
        """Begin to write, and return at once."""
        threading.Thread(target=self._save, args=(dict(values),), name="remember", daemon=True).start()

    def _save(self, values: Mapping[str, Any]) -> None:
        from parlor_tui.settings.saving import save_values

        try:
            save_values(self._file or config_file(), values)
        except SettingsError as error:
            self._tell(Failed(at_s=now_s(), text=str(error)))
