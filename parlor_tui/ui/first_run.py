"""The first start: whether it is one, and what its checks found in plain words. Nothing here draws."""

from __future__ import annotations

import json
import logging
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from parlor_tui.settings import APP, config_file

_log = logging.getLogger(__name__)
CHECK_WITHIN_S = 120.0
COLUMNS, LINES = 80, 24
Mark = Literal["ok", "warning", "missing"]
SYMBOLS: dict[Mark, str] = {"ok": "✓", "warning": "▲", "missing": "✗"}


def done_file() -> Path:
    """What is there once the first start is over."""
    import platformdirs

    return Path(platformdirs.user_state_path(APP, appauthor=False)) / "first-run-done"


def is_first(config: Path | None) -> bool:
    """Whether nobody has started it here: there are no settings, and no mark of an earlier start."""
    return config is None and not config_file().exists() and not done_file().exists()


def mark_done() -> None:
    """Never again by itself. A mark that cannot be set costs another welcome."""
    file = done_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    except OSError as error:
        _log.warning("%s: %s", file, error.strerror)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the checks: what was looked at, what is there, and what to do about it, "" if nothing."""

    mark: Mark
    what: str
    words: str
    advice: str = ""


def examine(command: Sequence[str]) -> str:
    """What the `doctor --json` that `command` starts prints; what is wrong with it is logged, and the answer empty."""
    try:
        done = subprocess.run(
            list(command), stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=CHECK_WITHIN_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        _log.warning("the checks: %s", error)
        return ""
    return done.stdout.decode("utf-8", "replace")


def findings(report: str, camera_key: str) -> list[Finding]:
    """What matters of the doctor's report: sound, camera, models, and what is missing of the rest.

    `camera_key` is what opens the camera, in words.
    """
    try:
        checks = json.loads(report)["checks"]
        read = [_Check(**{name: str(one[name]) for name in _Check.__dataclass_fields__}) for one in checks]
    except (ValueError, KeyError, TypeError):
        return [Finding("warning", "checks", "could not be made", "`parlor-tui doctor` may say why")]
    return [*_sound(read), *_camera(read, camera_key), *_models(read), *_rest(read)]


def of_terminal(columns: int, lines: int, colours: str | None) -> Finding:
    """The terminal of so many `columns` and `lines`; `colours` is rich's word for what it can show, None for none."""
    shown = {"truecolor": "16 million colours", "256": "256 colours", "standard": "16 colours", "windows": "16 colours"}
    words = f"{columns} x {lines}, {shown.get(colours or '', 'no colours')}"
    if columns < COLUMNS or lines < LINES:
        return Finding("warning", "terminal", words, f"make it {COLUMNS} x {LINES} at least, or use --plain")
    return Finding("ok", "terminal", words)


@dataclass(frozen=True, slots=True)
class _Check:
    group: str
    name: str
    status: str
    found: str
    advice: str

    @property
    def mark(self) -> Mark:
        return "ok" if self.status == "ok" else "missing" if self.status == "missing" else "warning"


def _sound(checks: Sequence[_Check]) -> list[Finding]:
    sound = [one for one in checks if one.group == "Sound"]
    library = [one for one in sound if one.name == "PortAudio" and one.status != "ok"]
    if library:
        return [Finding("missing", "sound", "can neither be heard nor played; typing works", library[0].advice)]
    found = []
    for one in sound:
        if one.name == "PortAudio":
            continue
        lost = {"microphone": "none works: you type", "speaker": "none works: you read the replies"}
        words = _name_in(one.found) if one.status == "ok" else lost.get(one.name, one.found)
        found.append(Finding(one.mark, one.name, words, one.advice))
    return found


def _name_in(found: str) -> str:
    """The name alone of `1 USB headset, ALSA, 44100 Hz`."""
    device = re.fullmatch(r"\d+ (.+), [^,]+, \d+ Hz", found)
    return device.group(1) if device else found


def _camera(checks: Sequence[_Check], camera_key: str) -> list[Finding]:
    found = []
    for one in (check for check in checks if check.group == "Camera"):
        words = one.found.replace("none, as the settings say; ", "off: ")
        hint = "" if words.endswith(" 0 found") else f"{camera_key} opens it at any time"
        found.append(Finding("ok" if one.status == "ok" else "warning", "camera", words, one.advice or hint))
    return found


def _models(checks: Sequence[_Check]) -> list[Finding]:
    models = [one for one in checks if one.group == "Models"]
    disk = [one for one in models if one.name == "disk" and one.status != "ok"]
    if disk:
        return [Finding("missing", "disk", disk[0].found, disk[0].advice)]
    absent = [one for one in models if one.status == "missing"]
    if absent:
        names = ", ".join(one.name for one in absent)
        return [Finding("ok", "models", f"{names}: downloaded now, once")]
    return [Finding("ok", "models", "all here")] if models else []


def _rest(checks: Sequence[_Check]) -> list[Finding]:
    return [
        Finding(one.mark, one.name, one.found, one.advice)
        for one in checks
        if one.group in ("Machine", "Packages") and one.status == "missing"
    ]
