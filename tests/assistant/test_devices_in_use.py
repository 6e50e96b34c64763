"""Devices of a whole assistant that change while it runs: what is heard, what the core is told, what one sees."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlor_tui.assistant import Assistant, assistant
from parlor_tui.devices.base import BLOCK_SAMPLES, DeviceError
from parlor_tui.devices.scripted import ScriptedMicrophone
from parlor_tui.devices.select import Opener
from parlor_tui.events import DeviceUsed, Event, Failed, MicLevel, Ready
from parlor_tui.settings import Settings
from tests.assistant.loudspeaker import Loudspeaker
from tests.waiting import until

CORE = Path(__file__).with_name("scripted_core.py")


class Terminal:
    """A real assistant with a core that follows a script, and devices by hand."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "told.jsonl"
        self.loudspeakers: list[Loudspeaker] = []
        self.microphones: list[ScriptedMicrophone] = []
        self.broken = False
        self.events: list[Event] = []
        self._changed = threading.Condition()
        settings = Settings().with_values({"devices.microphone": "default", "devices.speaker": "none"}, "test")
        opener = Opener(self._microphone, self._speaker)
        self.assistant = Assistant(settings, folder / "config.toml", self._listen, opener=opener)

    def _microphone(self, choice: str) -> ScriptedMicrophone:
        self.microphones.append(ScriptedMicrophone(choice))
        return self.microphones[-1]

    def _speaker(self, choice: str, _buffer_ms: int, _latency_ms: int) -> Loudspeaker | None:
        if choice == "none":
            return None
        if self.broken:
            raise DeviceError("the speaker is broken")
        self.loudspeakers.append(Loudspeaker())
        return self.loudspeakers[-1]

    def _listen(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait(self, says: Callable[[Event], bool]) -> Event:
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(says, self.events)), 20), self.events[-6:]
            return next(event for event in self.events if says(event))

    def speech_told(self) -> list[bool]:
        """Whether the core was to speak, each time it was told so."""
        lines: list[dict[str, Any]] = [json.loads(line) for line in self.file.read_text().splitlines()]
        updates = [line["session"] for line in lines if line.get("type") == "session.update"]
        return ["audio" in one["output_modalities"] for one in updates if "output_modalities" in one]


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setattr(assistant, "not_now_file", lambda: tmp_path / "not-now")
    monkeypatch.setattr(assistant, "log_file", lambda: tmp_path / "log")
    command = [sys.executable, str(CORE), str(tmp_path / "told.jsonl")]
    monkeypatch.setattr(assistant, "core_command", lambda _settings, _config: command)
    running = Terminal(tmp_path)
    yield running
    running.assistant.stop(3.0)


def used(kind: str, choice: str) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, DeviceUsed) and (event.kind, event.choice) == (kind, choice)


def test_a_speaker_that_is_chosen_is_played_on_and_the_core_is_told_to_speak(terminal: Terminal) -> None:
    terminal.assistant.start()
    terminal.wait(lambda event: isinstance(event, Ready))
    terminal.assistant.play_tone()
    refused = terminal.wait(lambda event: isinstance(event, Failed))
    assert isinstance(refused, Failed)
    assert "no speaker is open" in refused.text
    until(lambda: terminal.speech_told()[-1:] == [False], "the core is told to be silent")
    terminal.assistant.use_device("speaker", "default")
    terminal.wait(used("speaker", "default"))
    until(lambda: terminal.speech_told()[-1:] == [True], "the core is told to speak")
    terminal.assistant.play_tone()
    heard: list[np.ndarray] = []

    def sounds() -> bool:
        heard.append(terminal.loudspeakers[0].play(20.0))
        return bool(np.abs(np.concatenate(heard)).max() > 0.05)

    until(sounds, "a tone")
    terminal.broken = True
    terminal.assistant.use_device("speaker", "another")
    terminal.wait(lambda event: isinstance(event, Failed) and "the speaker is broken; going on with" in event.text)
    assert terminal.speech_told()[-1] is True


def test_the_level_moves_before_the_models_are_loaded_for_who_chooses(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    monkeypatch.setattr(assistant, "core_command", lambda _settings, _config: silent)
    loading = Terminal(tmp_path)
    loading.assistant.start()
    try:
        loading.assistant.watch_devices(True)
        loading.wait(lambda event: isinstance(event, DeviceUsed) and event.kind == "microphone" and bool(event.label))
        loading.microphones[0].say(np.full(10 * BLOCK_SAMPLES, 0.3, np.float32))
        loading.wait(lambda event: isinstance(event, MicLevel) and event.dbfs > -20)
        assert not any(isinstance(event, Ready) for event in loading.events)
    finally:
        loading.assistant.stop(3.0)
