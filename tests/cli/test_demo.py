"""`--demo`: what its second voice says and when, and a whole one through the real ears of an assistant."""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from parlor_tui.assistant import Assistant, assistant
from parlor_tui.assistant.demo.demo import (
    END,
    FIRST_NUMBER,
    SCRIPT,
    UNHEARD_S,
    VOICES,
    Demo,
    Line,
    Make,
    Over,
    Utter,
    demo_settings,
)
from parlor_tui.commands.options import UsageError, parse
from parlor_tui.devices.select import Opener
from parlor_tui.events import (
    AudioStarted,
    CoreHello,
    Event,
    Failed,
    InputOver,
    Notice,
    SpeechOver,
    SpeechPiece,
    SpeechStarted,
    TurnCommitted,
    TurnDone,
    TurnStatus,
    now_s,
)
from parlor_tui.settings import Settings
from tests.assistant.loudspeaker import Loudspeaker
from tests.conftest import ROOT

CORE = Path(__file__).with_name("demo_core.py")
SECOND = np.full(24_000, 1000, "<i2").tobytes()


class Stage:
    """A demo on a clock of the test's."""

    def __init__(self, *script: Line) -> None:
        self.demo = Demo(script)
        self.at_s = 0.0

    def make(self) -> list[Make]:
        """Have every line made, each a second long."""
        self.demo.ready("af_heart", self.at_s)
        made = []
        while isinstance(act := self.demo.tick(self.at_s), Make):
            assert self.demo.tick(self.at_s) is None, "one is made at a time"
            made.append(act)
            assert self.demo.core_said(SpeechPiece(act.number, SECOND))
            assert self.demo.core_said(SpeechOver(act.number))
        return made

    def until_act(self, limit_s: float) -> object:
        """What is done next, within so many seconds, a tenth at a time."""
        end_s = self.at_s + limit_s
        while self.at_s < end_s:
            if (act := self.demo.tick(self.at_s)) is not None:
                return act
            self.at_s += 0.1
        return None

    def answered(self, turn: int, status: TurnStatus = "completed", *, aloud_s: float = 0.0) -> None:
        """The line was heard as a turn, and answered."""
        self.heard(turn)
        if aloud_s:
            self.demo.happened(AudioStarted(at_s=self.at_s, turn=turn))
            self.at_s += aloud_s
        self.over(turn, status)

    def heard(self, turn: int) -> None:
        self.demo.happened(SpeechStarted(at_s=self.at_s, turn=turn))
        self.at_s += 1.5
        self.demo.happened(TurnCommitted(at_s=self.at_s, turn=turn, last_speech_at_s=self.at_s - 0.5))

    def over(self, turn: int, status: TurnStatus = "completed") -> None:
        self.demo.happened(
            TurnDone(at_s=self.at_s, turn=turn, status=status, heard="", reply="", stages_ms={}, output_tokens=1)
        )


def test_its_lines_are_made_in_another_voice_and_said_one_after_the_answer_to_the_other() -> None:
    stage = Stage(Line("One?"), Line("Two?"))
    made = stage.make()
    assert [(one.number, one.text, one.voice) for one in made] == [
        (FIRST_NUMBER, "One?", VOICES[0]),
        (FIRST_NUMBER + 1, "Two?", VOICES[0]),
    ]
    first = stage.until_act(1.0)
    assert isinstance(first, Utter)
    assert len(first.samples) == 24_000
    assert first.samples.max() == pytest.approx(1000 / 32768)
    assert stage.until_act(3.0) is None
    stage.answered(1)
    began_s = stage.at_s
    assert isinstance(stage.until_act(5.0), Utter)
    assert stage.at_s - began_s > 1.0, "nobody asks without taking a breath"
    stage.answered(2)
    assert stage.until_act(5.0) == Over(END)
    assert stage.demo.is_over
    assert stage.until_act(5.0) is None


def test_a_line_that_interrupts_comes_over_the_answer() -> None:
    stage = Stage(Line("One?"), Line("Wait!", into_s=1.6))
    stage.make()
    assert isinstance(stage.until_act(1.0), Utter)
    stage.heard(1)
    assert stage.until_act(2.0) is None
    heard_s = stage.at_s
    stage.demo.happened(AudioStarted(at_s=heard_s, turn=1))
    assert isinstance(stage.until_act(5.0), Utter)
    assert stage.at_s - heard_s == pytest.approx(1.6, abs=0.11)
    stage.demo.happened(SpeechStarted(at_s=stage.at_s, turn=2))
    stage.over(1, "interrupted")
    assert stage.until_act(3.0) is None, "the answer to the interruption is waited for"
    stage.heard(2)
    stage.over(2)
    assert stage.until_act(5.0) == Over(END)


def test_an_answer_that_is_over_before_it_can_be_interrupted_is_no_trouble() -> None:
    stage = Stage(Line("One?"), Line("Wait!", into_s=1.6))
    stage.make()
    assert isinstance(stage.until_act(1.0), Utter)
    stage.answered(1, aloud_s=0.4)
    assert isinstance(stage.until_act(5.0), Utter)


def test_a_line_that_nobody_heard_holds_nothing_up() -> None:
    stage = Stage(Line("One?"), Line("Two?"))
    stage.make()
    assert isinstance(stage.until_act(1.0), Utter)
    assert isinstance(stage.until_act(UNHEARD_S + 2.0), Utter)
    assert stage.until_act(UNHEARD_S + 2.0) == Over(END)


def test_a_typed_turn_in_between_is_not_taken_for_the_answer() -> None:
    stage = Stage(Line("One?"), Line("Two?"))
    stage.make()
    assert isinstance(stage.until_act(1.0), Utter)
    stage.heard(1)
    stage.over(7)
    assert stage.until_act(3.0) is None
    stage.over(1)
    assert isinstance(stage.until_act(5.0), Utter)


def test_a_voice_that_cannot_be_made_ends_it_and_says_why() -> None:
    stage = Stage(Line("One?"))
    stage.demo.ready("af_heart", 0.0)
    act = stage.demo.tick(0.0)
    assert isinstance(act, Make)
    stage.demo.core_said(SpeechOver(act.number, "the voice is missing"))
    assert stage.demo.tick(0.1) == Over("no demo: the voice is missing", trouble=True)


def test_a_core_that_died_while_it_made_the_lines_makes_them_again() -> None:
    stage = Stage(Line("One?"), Line("Two?"))
    stage.demo.ready("af_heart", 0.0)
    assert isinstance(stage.demo.tick(0.0), Make)
    assert not stage.demo.core_said(CoreHello("s", "lite", "toy", True))
    assert [one.text for one in stage.make()] == ["One?", "Two?"]


def test_its_script_interrupts_once_and_its_voice_is_another_than_the_assistants() -> None:
    assert 3 <= len(SCRIPT) <= 8
    assert sum(line.into_s is not None for line in SCRIPT) == 1
    stage = Stage(Line("One?"))
    stage.demo.ready(VOICES[0], 0.0)
    act = stage.demo.tick(0.0)
    assert isinstance(act, Make)
    assert act.voice == VOICES[1]


def test_it_is_an_option_of_the_screen() -> None:
    assert parse(["--demo"]).demo
    assert parse(["--demo", "--headless"]).demo
    with pytest.raises(UsageError, match="--demo is an option of the screen"):
        parse(["--demo", "doctor"])
    chosen = {"hearing.hands_free": False, "devices.camera": "0", "conversations.record": "text+audio"}
    settings = demo_settings(Settings().with_values(chosen, "test"))
    assert settings.hearing.hands_free
    assert settings.devices.camera == "none"
    assert settings.conversations.record == "off"


@pytest.fixture
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assistant, "not_now_file", lambda: tmp_path / "not-now")
    monkeypatch.setattr(assistant, "log_file", lambda: tmp_path / "log")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))))


def run_demo(*trouble: str, speaker: Callable[[], Loudspeaker] | None = None) -> list[Event]:
    """A whole demo of two lines, up to its end, on a machine without a microphone; what happened."""
    chosen = {"devices.microphone": "none", "devices.speaker": "none" if speaker is None else "default"}
    settings = demo_settings(Settings().with_values(chosen, "test"))
    events: queue.Queue[Event] = queue.Queue()
    demo = Demo([Line("Hello, can you hear me?"), Line("What time is it?")])
    core = [sys.executable, str(CORE), *trouble]
    opener = Opener() if speaker is None else Opener(speaker=lambda _choice, _buffer, _latency: speaker())
    running = Assistant(settings, None, events.put, opener=opener, core=core, demo=demo)
    running.start()
    seen: list[Event] = []
    try:
        deadline_s = now_s() + 60
        while not any(isinstance(event, InputOver) for event in seen):
            seen.append(events.get(timeout=max(0.0, deadline_s - now_s())))
    finally:
        running.stop(3.0)
    return seen


@pytest.mark.usefixtures("quiet_place")
def test_a_whole_one_is_heard_through_the_real_ears_and_says_that_it_is_over() -> None:
    speakers: list[Loudspeaker] = []

    def one_more() -> Loudspeaker:
        speakers.append(Loudspeaker())
        return speakers[-1]

    seen = run_demo(speaker=one_more)
    done = [event for event in seen if isinstance(event, TurnDone) and event.status == "completed"]
    assert [event.reply for event in done] == ["Yes.", "Yes."]
    assert any(isinstance(event, Notice) and event.text == END for event in seen)
    assert not [event for event in seen if isinstance(event, Failed)]
    of_second_voice, of_answers = sorted((one.clock().written_samples for one in speakers), reverse=True)
    assert of_second_voice > 10_000
    assert of_answers == 0, "the answers of this core are text"


@pytest.mark.usefixtures("quiet_place")
def test_one_that_cannot_be_held_says_why_and_the_talk_goes_on() -> None:
    seen = run_demo("the voice is missing")
    assert "no demo: the voice is missing" in [event.text for event in seen if isinstance(event, Failed)]
