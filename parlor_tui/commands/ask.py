"""`parlor-tui ask`: one turn without a screen, through the same core as the screen's."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.commands.core_client import Answer, Question, core_client
from parlor_tui.devices.opencv import read_picture
from parlor_tui.devices.sound_file import WavRecording, read_sound
from parlor_tui.events import CoreLoading
from parlor_tui.hearing.vad import FRAME_SAMPLES, open_vad
from parlor_tui.link.wire import OUTPUT_RATE_HZ
from parlor_tui.pcm import samples_of
from parlor_tui.settings import Settings

LONGEST_QUESTION_S = 110.0


class AskError(Exception):
    """The turn did not work; one line. `missing` as for every error of a command."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


def run(
    settings: Settings,
    config: Path | None,
    *,
    wav: Path | None,
    text: str | None,
    image: Path | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Ask, and print the answer; the exit code. Raises AskError, CoreClientError and DeviceError, each one line."""
    sound = _question(wav) if wav is not None else None
    if text is not None and not text.strip():
        raise AskError("--text is empty: give the question")
    picture = read_picture(image) if image is not None else None
    if out is not None and out.suffix.lower() not in (".wav", ".wave"):
        raise AskError(f"{out}: the reply is saved as WAV: give --out a name that ends in .wav")
    if out is not None and not out.expanduser().parent.is_dir():
        raise AskError(f"{out}: cannot be written: there is no folder {out.parent}", missing=True)
    notices: list[str] = []

    def note(text: str) -> None:
        notices.append(text)
        print(f"parlor-tui: {text}", file=sys.stderr)

    with core_client(settings, config) as core:
        with _ProgressLine() as progress:
            ready = core.wait_until_ready(progress.show, note)
        core.tune(settings, ready.profile)
        answer = core.ask(Question(1, sound, text or "", picture), note)
    _show(answer, ready.profile, notices, as_json=as_json)
    if out is not None:
        _save(out, answer)
    return 0


def _question(wav: Path) -> NDArray[np.float32]:
    """The sound of the file, which must hold speech."""
    sound = read_sound(wav, LONGEST_QUESTION_S)
    vad = open_vad()
    blocks = (sound[i : i + FRAME_SAMPLES] for i in range(0, len(sound) - FRAME_SAMPLES + 1, FRAME_SAMPLES))
    if not any(vad.probability(block) >= 0.5 for block in blocks):
        raise AskError(f"{wav}: no speech found in it: give a recording of somebody who speaks")
    return sound


def _save(out: Path, answer: Answer) -> None:
    recording = WavRecording(out)
    recording.add(samples_of(answer.pcm16))
    recording.close()


def _show(answer: Answer, profile: str, notices: list[str], *, as_json: bool) -> None:
    if answer.status == "failed":
        raise AskError(f"no answer: {answer.reason}")
    if answer.reason == "no_words":
        raise AskError("no words were understood in it: speak up, or give --text")
    if as_json:
        result: dict[str, Any] = {
            "heard": answer.said,
            "reply": answer.reply,
            "profile": profile,
            "audio_seconds": round(len(answer.pcm16) / 2 / OUTPUT_RATE_HZ, 3),
            "stages_ms": answer.stages_ms,
            "notices": notices,
        }
        print(json.dumps(result, ensure_ascii=False))
    else:
        print(f"you     {answer.said}\nparlor  {answer.reply}")


class _ProgressLine:
    """What the core loads, on stderr: a bar on a terminal, a line for each new thing elsewhere."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        console = Console(stderr=True)
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), DownloadColumn(), console=console, transient=True
        )
        self._task = self._progress.add_task("starting", total=None)
        self._last = ""

    def __enter__(self) -> _ProgressLine:
        if self._live:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._progress.stop()

    def show(self, loading: CoreLoading) -> None:
        """Show one step."""
        if self._live:
            total = loading.total_bytes or None
            self._progress.update(self._task, description=loading.text, completed=loading.done_bytes, total=total)
        elif loading.total_bytes and loading.text != self._last:
            print(f"parlor-tui: {loading.text} ({loading.total_bytes / 1e6:.0f} MB)", file=sys.stderr)
        self._last = loading.text
