"""A whole assistant is stopped: what listens, then the core, then what sounds; and in time, whatever hangs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlor_tui.assistant import Assistant, assistant
from parlor_tui.devices.scripted import ScriptedMicrophone
from parlor_tui.devices.select import Opener
from parlor_tui.events import DeviceUsed, Event, Failed, Ready, now_s
from parlor_tui.settings import Settings
from tests.assistant.loudspeaker import Loudspeaker
from tests.waiting import until

CORE = Path(__file__).with_name("scripted_core.py")


class Stage:
    """A real assistant, a core that follows a script, and devices that note when they are stopped."""

    def __init__(self, folder: Path) -> None:
        self.order: list[str] = []
        self.events: list[Event] = []
        self.hangs = threading.Event()
        self.go_on = threading.Event()
        settings = Settings().with_values({"conversations.record": "off"}, "test")
        self.assistant = Assistant(
            settings,
            folder / "config.toml",
            self._listen,
            opener=Opener(self._microphone, self._speaker),
            core=[sys.executable, str(CORE), str(folder / "told.jsonl")],
        )

    def _note(self, what: str) -> None:
        self.order.append(f"{what}, {'a' if self.assistant.core_pid else 'no'} core")

    def _microphone(self, choice: str) -> ScriptedMicrophone:
        note = self._note

        class Noting(ScriptedMicrophone):
            def stop(self, timeout_s: float = 1.0) -> None:
                note("microphone")
                super().stop(timeout_s)

        return Noting(choice)

    def _speaker(self, _choice: str, _buffer_ms: int, _latency_ms: int) -> Loudspeaker:
        note = self._note

        class Noting(Loudspeaker):
            def stop(self, timeout_s: float = 1.0) -> None:
                note("speaker")

        return Noting()

    def _listen(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Failed):
            self.hangs.set()
            self.go_on.wait(20)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(assistant, "not_now_file", lambda: tmp_path / "not-now")
    monkeypatch.setattr(assistant, "log_file", lambda: tmp_path / "log")
    running = Stage(tmp_path)
    running.assistant.start()
    until(lambda: any(isinstance(event, Ready) for event in running.events), "a core")
    until(lambda: any(isinstance(e, DeviceUsed) and e.kind == "microphone" for e in running.events), "a microphone")
    yield running
    running.go_on.set()
    running.assistant.stop(3.0)


def test_what_listens_stops_before_the_core_and_what_sounds_after_it(stage: Stage) -> None:
    began_s = now_s()
    stage.assistant.stop(3.0)
    assert now_s() - began_s < 6.0
    assert stage.order == ["microphone, a core", "speaker, no core"]


def test_where_the_screen_hangs_it_is_stopped_in_time_all_the_same(stage: Stage) -> None:
    stage.assistant.say("a" * 9000)  # refused, and the screen hangs over it
    assert stage.hangs.wait(20)
    began_s = now_s()
    stage.assistant.stop(1.0)
    assert now_s() - began_s < 5.0
    assert stage.assistant.core_pid is None
