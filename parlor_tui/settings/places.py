"""Where settings, the log and models are kept on this system."""

from __future__ import annotations

from pathlib import Path

from parlor_tui.settings.values import Settings

APP = "parlor-tui"


def config_file() -> Path:
    """Where the settings file is looked for."""
    import platformdirs

    return Path(platformdirs.user_config_path(APP, appauthor=False)) / "config.toml"


def log_file() -> Path:
    """Where what libraries and devices print is kept."""
    import platformdirs

    return Path(platformdirs.user_log_path(APP, appauthor=False)) / "parlor-tui.log"


def journal_beside(log: Path) -> Path:
    """Where the journal of those is kept whose log is `log`."""
    return log.with_name("journal.jsonl")


def incidents_beside(log: Path) -> Path:
    """The folder in which their incidents are kept."""
    return log.with_name("incidents")


def conversations_folder(settings: Settings) -> Path:
    """Where conversations are kept, if they are."""
    import platformdirs

    if settings.conversations.folder:
        return Path(settings.conversations.folder).expanduser()
    return Path(platformdirs.user_data_path(APP, appauthor=False)) / "conversations"


def models_folder(settings: Settings) -> Path:
    """Where models are kept."""
    import platformdirs

    if settings.models.folder:
        return Path(settings.models.folder).expanduser()
    return Path(platformdirs.user_data_path(APP, appauthor=False)) / "models"
