"""The folder of a full-precision Kokoro, as its makers publish it: `config.json` beside the weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parlor_tui.speech.alphabet import LETTERS
from parlor_tui.speech.base import SpeechError


def model_files(folder: Path, pattern: str) -> tuple[dict[str, Any], Path]:
    """Kokoro's configuration, and the first weights file of `pattern` in `folder`.

    Raises SpeechError if they are not there or are of another Kokoro, whose letters are not those of v1.0.
    """
    found = sorted(folder.glob(pattern))
    if not found:
        raise SpeechError(f"{folder}: there is no {pattern} in it; `parlor-tui models get` brings it")
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        letters = config["vocab"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpeechError(f"{folder / 'config.json'}: missing or damaged; get the model again ({error})") from error
    if letters != LETTERS:
        raise SpeechError(f"{folder}: not Kokoro v1.0: its letters are others")
    return config, found[0]
