"""Every setting with its default, unit and reason; one TOML file; one frozen `Tuning` that is changed live.

A section is a frozen dataclass whose fields are made by `key`. The file, the `config` command and the checks are all
derived from these declarations, so that a key is written down once.
"""

from parlor_tui.settings.declare import SettingsError
from parlor_tui.settings.file import describe, load, parse, toml_value
from parlor_tui.settings.keys import Keys
from parlor_tui.settings.places import (
    APP,
    config_file,
    conversations_folder,
    incidents_beside,
    journal_beside,
    log_file,
    models_folder,
)
from parlor_tui.settings.sections import (
    SECTIONS,
    Answering,
    Captions,
    Conversations,
    Core,
    Devices,
    Hearing,
    Journal,
    Models,
    Screen,
    Seeing,
    Speaking,
)
from parlor_tui.settings.values import TUNED, Settings, Tuning, allowed, check

__all__ = [
    "APP",
    "SECTIONS",
    "TUNED",
    "Answering",
    "Captions",
    "Conversations",
    "Core",
    "Devices",
    "Hearing",
    "Journal",
    "Keys",
    "Models",
    "Screen",
    "Seeing",
    "Settings",
    "SettingsError",
    "Speaking",
    "Tuning",
    "allowed",
    "check",
    "config_file",
    "conversations_folder",
    "describe",
    "incidents_beside",
    "journal_beside",
    "load",
    "log_file",
    "models_folder",
    "parse",
    "toml_value",
]
