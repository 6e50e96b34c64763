"""A process of its own that speaks lines with Kokoro into WAV files, so that the measuring one loads no model.

One JSON object on standard input: `{"weights": FOLDER, "voices": FOLDER, "lines": [{"text", "voice", "longest_ms",
"file"}]}`. For each line that is done, `{"done": N}` on standard output; if something is wrong, `{"error": LINE}`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.bench.analysis import AUDIBLE
from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.sound_file import WavRecording
from parlor_tui.speech.base import SAMPLE_RATE_HZ, SpeechError, Stop, Voice
from parlor_tui.speech.runtime import open_voice
from parlor_tui.speech.voices import read_voices

HURRIED = (1.5, 2.0)
"""Speeds that are tried, one after the other, for a line that must not be long."""


def main() -> int:
    """Do what standard input asks for; 0, or 4 after an error."""
    try:
        asked = json.load(sys.stdin)
        cores = os.cpu_count() or 1
        voice = open_voice("onnx", Path(asked["weights"]), read_voices(Path(asked["voices"])), threads=cores)
        for number, line in enumerate(asked["lines"], 1):
            _make(voice, line)
            _tell({"done": number})
    except (SpeechError, DeviceError, OSError, ValueError, KeyError) as error:
        _tell({"error": str(error)})
        return 4
    return 0


def _make(voice: Voice, line: dict[str, Any]) -> None:
    """Write one line's file, whole or not at all."""
    samples = np.zeros(0, np.float32)
    for speed in HURRIED if line["longest_ms"] else (1.0,):
        samples = voice.synthesise(line["text"], line["voice"], speed, Stop())
        if audible_ms(samples) <= line["longest_ms"]:
            break
    file = Path(line["file"])
    part = file.with_name(f"{file.stem}.{os.getpid()}.wav")
    recording = WavRecording(part)
    recording.add(np.clip(samples, -1, 1))
    recording.close()
    part.replace(file)


def audible_ms(samples: NDArray[np.float32]) -> float:
    """From the first audible sample to the last."""
    loud = np.flatnonzero(np.abs(samples) > AUDIBLE)
    return float(loud[-1] - loud[0] + 1) * 1000 / SAMPLE_RATE_HZ if len(loud) else 0.0


def _tell(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
