"""The utterances as sound: synthesised once in a process of its own, kept in the cache folder, then shaped."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parlor_tui.bench.lines import Line
from parlor_tui.bench.shaping import (
    WORD_MS,
    click,
    cough,
    levelled,
    mhm,
    shortened,
    trimmed,
    with_pause,
    without_breath,
)
from parlor_tui.bench.sound import Sound
from parlor_tui.devices.base import MIC_RATE_HZ
from parlor_tui.devices.sound_file import read_sound
from parlor_tui.models import catalogue
from parlor_tui.models.store import Store, store_of
from parlor_tui.settings import APP, Settings

PAUSE_S = 0.8
_LONGEST_S = 60.0
_SPEECH, _VOICES = "kokoro-int8", "kokoro-voices"
_WORDLESS = {"mhm": mhm, "cough": cough, "click": click}
Report = Callable[[str], None]


class BenchError(Exception):
    """The bench cannot go on; one line. `missing` as for every error of a command."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(" ".join(message.split()))
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Utterance:
    """A line as sound: mono at 16 kHz, audible from its first sample to its last.

    `pause_s`: where the pause inside begins and ends; None without one.
    """

    line: Line
    samples: Sound
    pause_s: tuple[float, float] | None = None

    @property
    def length_s(self) -> float:
        """How long it is."""
        return len(self.samples) / MIC_RATE_HZ


def cache_folder() -> Path:
    """Where synthesised lines are kept."""
    import platformdirs

    return Path(platformdirs.user_cache_path(APP, appauthor=False)) / "bench"


class Utterances:
    """Makes utterances of lines. `seed` is that of the sounds without words."""

    def __init__(self, settings: Settings, folder: Path, seed: int) -> None:
        self._settings = settings
        self._folder = folder
        self._seed = seed

    def make(self, lines: Sequence[Line], report: Report) -> dict[str, Utterance]:
        """`lines` as sound, by name. Gets Kokoro and synthesises what is not kept yet, which `report` is told of.

        Raises BenchError; of the model store ModelError.
        """
        store = store_of(self._settings)
        spoken = [line for line in lines if line.text]
        used = {name: store.stand_in(name) for name in (_SPEECH, _VOICES)}
        absent = [line for line in spoken if not self._file(line, used).is_file()]
        if absent:
            self._synthesise(store, used, absent, report)
        return {line.name: self._shape(line, used) for line in lines}

    def _shape(self, line: Line, used: dict[str, str]) -> Utterance:
        if line.kind in _WORDLESS:
            random = np.random.default_rng([self._seed, *line.name.encode()])
            return Utterance(line, _WORDLESS[line.kind](random))
        samples = trimmed(without_breath(trimmed(levelled(read_sound(self._file(line, used), _LONGEST_S)))))
        if line.kind == "word":
            return Utterance(line, trimmed(shortened(samples, WORD_MS)))
        if line.kind == "pause":
            made, begins_s, ends_s = with_pause(samples, _share(line.text), PAUSE_S)
            return Utterance(line, made, (begins_s, ends_s))
        return Utterance(line, samples)

    def _file(self, line: Line, used: dict[str, str]) -> Path:
        models = [file.sha256 for name in (used[_SPEECH], used[_VOICES]) for file in _files_of(name, line.voice)]
        key = json.dumps([line.plain, line.voice, line.kind == "word", models])
        return self._folder / f"{line.voice}-{hashlib.sha256(key.encode()).hexdigest()[:20]}.wav"

    def _synthesise(self, store: Store, used: dict[str, str], absent: Sequence[Line], report: Report) -> None:
        got = store.get_all(store.missing(tuple(used)), lambda step: report(step.text), threading.Event())
        used |= {one.wanted: one.used for one in got}
        report(f"making {len(absent)} utterances, once")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BenchError(f"{self._folder}: cannot be made: {error.strerror}") from None
        asked = {
            "weights": str(store.path(used[_SPEECH])),
            "voices": str(store.path(used[_VOICES])),
            "lines": [
                {
                    "text": line.plain,
                    "voice": line.voice,
                    "longest_ms": WORD_MS if line.kind == "word" else 0,
                    "file": str(self._file(line, used)),
                }
                for line in absent
            ],
        }
        command = [sys.executable, "-P", "-m", "parlor_tui.bench.synthesis"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as child:
            try:
                self._follow(child, asked, len(absent), report)
            except BaseException:
                child.kill()
                raise
        if child.returncode:
            raise BenchError(f"the utterances could not be made: their process ended with code {child.returncode}")

    @staticmethod
    def _follow(child: subprocess.Popen[str], asked: Mapping[str, object], count: int, report: Report) -> None:
        if child.stdin is None or child.stdout is None:
            return
        try:
            json.dump(asked, child.stdin)
            child.stdin.close()
        except OSError:
            return  # it ended at once; its code says so
        for line in child.stdout:
            told = json.loads(line)
            if "error" in told:
                raise BenchError(f"the utterances could not be made: {told['error']}")
            if told["done"] % 10 == 0 and told["done"] < count:
                report(f"{told['done']} of {count} utterances made")


def _files_of(model: str, voice: str) -> list[catalogue.ModelFile]:
    """The files that the sound of `voice` depends on."""
    files = catalogue.find(model).files
    return [file for file in files if not file.name.endswith(".bin") or file.name == f"{voice}.bin"]


def _share(text: str) -> float:
    """How much of the text comes before the mark."""
    before, _, after = text.partition("|")
    return len(before.strip()) / max(1, len(before.strip()) + len(after.strip()))
