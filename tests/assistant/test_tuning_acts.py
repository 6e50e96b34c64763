"""Every kind of live setting acts at once in the real assistant: in the ear, in the speaker, in the core."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from parlor_tui.assistant import Assistant, assistant
from parlor_tui.assistant.ear.ears import Ears
from parlor_tui.devices.base import OnBlock
from parlor_tui.devices.select import Opener
from parlor_tui.events import Event, Failed, MicLevel, Ready, SpeechStarted, Tuned, now_s
from parlor_tui.hearing.turn import ReplyPhase
from parlor_tui.hearing.vad import FRAME_SAMPLES, open_vad
from parlor_tui.settings import Hearing, Settings
from tests.assistant.loudspeaker import Loudspeaker
from tests.speaking import utterance_16k

CORE = Path(__file__).with_name("scripted_core.py")


class Microphone:
    """Hears what a test says, when it says so."""

    label = "by hand"

    def __init__(self) -> None:
        self.started = threading.Event()

    def start(self, on_block: OnBlock, on_end: object, on_trouble: object = None) -> None:
        self._on_block = on_block
        self.started.set()

    def stop(self, timeout_s: float = 1.0) -> None:
        """It is gone."""

    def hear(self, samples: NDArray[np.float32]) -> None:
        for start in range(0, len(samples) - FRAME_SAMPLES, FRAME_SAMPLES):
            self._on_block(samples[start : start + FRAME_SAMPLES], now_s())


class Terminal:
    """A real assistant with an ear and a loudspeaker moved by hand, and a core that notes what it is told."""

    def __init__(self, folder: Path) -> None:
        self.told_file = folder / "told.jsonl"
        self.events: list[Event] = []
        self._changed = threading.Condition()
        self.microphone, self.speaker = Microphone(), Loudspeaker()
        opener = Opener(lambda _: self.microphone, lambda *_: self.speaker, lambda _: None)
        core = [sys.executable, str(CORE), str(self.told_file)]
        settings = Settings().with_values({"hearing.echo": "off"}, "test")  # what is heard is what a test says
        self.assistant = Assistant(settings, None, self._listen, opener=opener, core=core)

    def _listen(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in list(self.events) if isinstance(event, kind)]

    def wait(self, holds: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(holds, 20), self.events[-5:]

    def tune(self, **values: object) -> None:
        """Change settings, and wait until that is told."""
        before = len(self.of(Tuned))
        self.assistant.tune({name.replace("__", "."): value for name, value in values.items()})
        self.wait(lambda: len(self.of(Tuned)) > before)

    def hear(self, samples: NDArray[np.float32]) -> None:
        """Say something, and wait until it is heard."""
        before = len(self.of(MicLevel))
        self.microphone.hear(samples)
        self.wait(lambda: len(self.of(MicLevel)) >= before + (len(samples) - 1) // FRAME_SAMPLES)

    def core_was_told(self, name: str, value: object) -> bool:
        """Whether the newest settings that the core was sent say so."""
        deadline_s = now_s() + 5
        while now_s() < deadline_s:
            sent = [json.loads(line) for line in self.told_file.read_text().splitlines()]
            sessions = [told["session"] for told in sent if told.get("type") == "session.update"]
            if sessions and sessions[-1].get("parlor", {}).get(name) == value:
                return True
            time.sleep(0.02)
        return False


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setattr(assistant, "not_now_file", lambda: tmp_path / "not-now")
    monkeypatch.setattr(assistant, "log_file", lambda: tmp_path / "log")
    running = Terminal(tmp_path)
    running.assistant.start()
    running.wait(lambda: bool(running.of(Ready)))
    assert running.microphone.started.wait(10)
    yield running
    running.assistant.stop(3.0)


def test_each_kind_acts_in_a_running_assistant(terminal: Terminal) -> None:
    speech = 0.02 * utterance_16k("What is on the table in front of me?")
    soft = (speech + np.random.default_rng(0).normal(0, 0.003, len(speech))).astype(np.float32)
    told = terminal.of(Tuned)
    assert told[-1].values["answering.temperature"] == 0.1, "the core's profile is lite"

    terminal.tune(hearing__vad_threshold=0.95)
    terminal.hear(soft)
    deaf = len(terminal.of(SpeechStarted))
    terminal.tune(hearing__vad_threshold=0.3)
    terminal.hear(soft)
    assert (deaf, len(terminal.of(SpeechStarted))) == (0, 1), "the very next block is judged by it"

    tone = (0.5 * np.sin(np.arange(24_000) / 12)).astype(np.float32)
    terminal.speaker.write(tone)
    before = np.abs(terminal.speaker.play(100)).max()
    terminal.tune(speaking__volume_percent=50)
    terminal.speaker.play(20)
    assert np.abs(terminal.speaker.play(100)).max() == pytest.approx(before / 2, rel=0.02)

    terminal.tune(answering__temperature=0.9, seeing__prime=False, hearing__eager_ms=0)
    assert terminal.core_was_told("answering.temperature", 0.9)
    assert terminal.core_was_told("seeing.prime", False)
    assert terminal.core_was_told("hearing.eager_ms", 0)
    terminal.assistant.use_preset("low latency")
    terminal.wait(lambda: terminal.of(Tuned)[-1].preset == "low latency")
    assert terminal.core_was_told("hearing.eager_ms", 32)

    terminal.assistant.tune({"answering.temperature": 3.0})
    terminal.wait(lambda: bool(terminal.of(Failed)))
    assert terminal.of(Failed)[-1].text.startswith("not changed: answering.temperature = 3.0: must be")


def test_the_way_echo_is_handled_changes_with_the_next_block() -> None:
    noise = np.random.default_rng(1).normal(0, 0.1, 16_000 * 8).astype(np.float32)
    ears = Ears(open_vad(), lambda start_s, count: noise[max(0, round(start_s * 16_000)) :][:count], lambda _: None)
    levels: dict[str, list[float]] = {"cancel": [], "headphones": []}
    heard_at_s = 0.15
    for start in range(0, 16_000 * 6, FRAME_SAMPLES):
        at_s = (start + FRAME_SAMPLES) / 16_000 + heard_at_s
        echo = "cancel" if start < 16_000 * 5 else "headphones"
        block = 0.5 * noise[start : start + FRAME_SAMPLES]
        heard = ears.block(block, at_s, Hearing(echo=echo), ReplyPhase.NONE, 0.0)
        levels[echo] += [one.dbfs for one in heard]
    raw_dbfs = 20 * np.log10(0.05)
    assert levels["headphones"] == pytest.approx([raw_dbfs] * len(levels["headphones"]), abs=1.5), "from the first on"
    assert np.mean(levels["cancel"][-20:]) < raw_dbfs - 15
    assert ears.level(100.0) is None
