"""Checks of the files that parlor-tui keeps: settings and log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from parlor_tui.commands.checks.base import Check
from parlor_tui.settings import SettingsError, config_file, load, log_file

GROUP = "Files"


def check_files(config: Path | None) -> Iterator[Check]:
    """The settings file (`config`, or the system's own place for it) and the log."""
    yield _settings_file(config)
    yield _log(log_file())


def _settings_file(config: Path | None) -> Check:
    file = config or config_file()
    try:
        load(config)
    except SettingsError as error:
        return Check(
            GROUP, "settings", "missing", f"cannot be used: {error}", "mend it: nothing else starts until then"
        )
    found = str(file) if file.exists() else f"defaults ({file} does not exist, and need not)"
    return Check(GROUP, "settings", "ok", found)


def _log(file: Path) -> Check:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        return Check(
            GROUP, "log", "warning", f"{file}: {error.strerror}", "make that place writable: faults leave no trace"
        )
    return Check(GROUP, "log", "ok", str(file))
