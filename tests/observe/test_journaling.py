"""From the assistant's events to the lines of the journal, and to incidents."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from parlor_tui.assistant.keeping import journaling
from parlor_tui.assistant.keeping.journaling import Journaling
from parlor_tui.counts import Count, count
from parlor_tui.events import (
    AskedAgain,
    AudioStopped,
    Caption,
    CoreFound,
    Event,
    Failed,
    Interrupted,
    MachineRead,
    MachineSeen,
    Notice,
    Reading,
    Ready,
    ReplyText,
    Tuned,
    TurnCommitted,
    TurnDone,
    TurnStatus,
    now_s,
)
from parlor_tui.observe import incidents
from parlor_tui.observe.journal import Entry, parse
from parlor_tui.observe.journal_figures import summary
from parlor_tui.observe.scene import keep
from parlor_tui.settings import Settings, incidents_beside, journal_beside
from tests.journals import raw_lines
from tests.waiting import until

SAID, ANSWERED = "my grandmother's secret recipe", "Stir it well."


class Kept:
    """What one talk leaves on the disk."""

    def __init__(self, folder: Path, **values: Any) -> None:
        self.settings = Settings().with_values({f"journal.{name}": value for name, value in values.items()}, "test")
        self.log = folder / "log" / "parlor-tui.log"
        self.told: list[Event] = []
        self.journaling = Journaling(self.settings, self.log, self.emit)

    def emit(self, event: Event) -> None:
        self.told.append(event)
        self.journaling.on_event(event)

    def entries(self) -> list[Entry]:
        """Ends it, and reads what was kept."""
        self.journaling.close(20)
        return [entry for entry in map(parse, raw_lines(journal_beside(self.log))) if entry is not None]

    def incidents(self) -> list[str]:
        self.journaling.close(20)
        return incidents.names(incidents_beside(self.log))

    def notices(self) -> list[Notice]:
        """What was told so far."""
        self.journaling.tick()
        return [event for event in self.told if isinstance(event, Notice)]

    def found(self) -> None:
        at = now_s()
        self.emit(CoreFound(at_s=at, profile="lite", model="SmolLM2", demo_grade=True))
        tuning = self.settings.tuning("lite").values() | {"answering.max_tokens": 60}
        self.emit(Tuned(at_s=at, values=tuning, saved=tuning))
        self.emit(Ready(at_s=at, profile="lite", model="SmolLM2-135M", load_ms=1234.56))

    def turn(self, turn: int, status: TurnStatus = "completed", voice_to_voice_ms: float = 812.34) -> None:
        at = now_s()
        self.emit(Caption(at_s=at, turn=turn, text=SAID, final=True))
        self.emit(TurnCommitted(at_s=at, turn=turn, last_speech_at_s=at - 0.2))
        self.emit(ReplyText(at_s=at, turn=turn, delta=ANSWERED))
        self.emit(AudioStopped(at_s=at, turn=turn, played_ms=1500.04))
        self.emit(
            TurnDone(
                at_s=at,
                turn=turn,
                status=status,
                heard=SAID,
                reply=ANSWERED,
                stages_ms={"endpoint": 200.06, "voice_to_voice": voice_to_voice_ms},
                output_tokens=5,
                eager_ms=64.0,
                writing_ms=80.0,
            )
        )


def test_a_turn_is_a_line_with_all_that_is_known_but_no_word_of_it(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.found()
    reading = Reading(gpu_temperature_c=71.55, throttled=True, throttle_reason="heat", ram_used_mb=float("nan"))
    kept.emit(MachineSeen(at_s=now_s(), machine=MachineRead(reading, core_mb=900.0), terminal_mb=150.0))
    kept.turn(1)
    ready, turn = kept.entries()
    assert dict(ready.fields) | {"at": 0, "run": 0} == {
        "at": 0,
        "kind": "core",
        "run": 0,
        "what": "ready",
        "profile": "lite",
        "model": "SmolLM2-135M",
        "load_ms": 1234.6,
    }
    assert dict(turn.fields) | {"at": 0, "run": 0} == {
        "at": 0,
        "kind": "turn",
        "run": 0,
        "turn": 1,
        "source": "voice",
        "status": "completed",
        "stages_ms": {"endpoint": 200.1, "voice_to_voice": 812.3},
        "tokens": 5,
        "writing_ms": 80.0,
        "eager": True,
        "eager_ms": 64.0,
        "played_ms": 1500.0,
        "profile": "lite",
        "tuning": {"answering.max_tokens": 60},
        "health": {
            "gpu_temperature_c": 71.5,
            "throttled": True,
            "throttle_reason": "heat",
            "core_mb": 900.0,
            "terminal_mb": 150.0,
        },
    }
    assert abs(turn.at - datetime.now(UTC)) < timedelta(seconds=60)
    written = b"".join(raw_lines(journal_beside(kept.log)))
    assert b"grandmother" not in written
    assert b"Stir" not in written


def test_words_are_kept_if_they_are_wanted(tmp_path: Path) -> None:
    kept = Kept(tmp_path, words=True)
    kept.turn(1)
    (turn,) = kept.entries()
    assert (turn.text("said"), turn.text("reply")) == (SAID, ANSWERED)


def test_how_a_turn_was_cut_off_and_that_it_was_asked_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    at = now_s()
    kept.emit(TurnCommitted(at_s=at, turn=1, last_speech_at_s=None))
    kept.emit(AskedAgain(at_s=at, turn=1))
    kept.emit(Interrupted(at_s=at, turn=1, by="key", played_ms=300.0))
    kept.emit(TurnDone(at_s=at, turn=1, status="interrupted", heard="", reply="", stages_ms={}, output_tokens=0))
    (turn,) = kept.entries()
    told = {name: turn.fields.get(name) for name in ("source", "interrupted_by", "played_ms", "asked_again", "eager")}
    assert told == {
        "source": "typed",
        "interrupted_by": "key",
        "played_ms": 300.0,
        "asked_again": True,
        "eager": False,
    }


def test_troubles_are_lines_and_what_is_none_is_not(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.emit(Notice(at_s=now_s(), text="saved in config.toml"))
    kept.emit(Notice(at_s=now_s(), text="a demo", key="demo"))
    kept.emit(Notice(at_s=now_s(), text="the speaker is gone", severity="warning", key="speaker"))
    kept.emit(Notice(at_s=now_s(), text="", key="speaker"))
    kept.emit(Failed(at_s=now_s(), text="no answer: too much"))
    told = [{name: entry.fields.get(name) for name in ("severity", "key", "text", "over")} for entry in kept.entries()]
    assert told == [
        {"severity": "warning", "key": "speaker", "text": "the speaker is gone", "over": None},
        {"severity": "info", "key": "speaker", "text": None, "over": True},
        {"severity": "error", "key": None, "text": "no answer: too much", "over": None},
    ]


def test_a_machine_that_was_seen_long_ago_has_no_health_and_an_incident_says_how_old_its_reading_is(
    tmp_path: Path,
) -> None:
    kept = Kept(tmp_path)
    machine = MachineRead(Reading(gpu_temperature_c=71.5))
    kept.emit(MachineSeen(at_s=now_s() - 1, machine=machine))
    kept.turn(1)
    kept.emit(MachineSeen(at_s=now_s() - 60, machine=machine))
    kept.turn(2)
    kept.journaling.core_down("killed", "start")
    fresh, stale, _ = kept.entries()
    assert fresh.group("health") == {"gpu_temperature_c": 71.5}
    assert stale.group("health") == {}
    (name,) = kept.incidents()
    probes = json.loads((incidents_beside(kept.log) / name / "probes.json").read_text("utf-8"))
    assert probes["machine"]["reading"]["gpu_temperature_c"] == 71.5
    assert 60 <= probes["age_s"] < 90


def test_what_was_lost_is_in_the_next_line_of_a_turn_or_a_core_and_once(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    count(Count.INBOX_BLOCKS_LOST, 3)
    kept.turn(1)
    kept.turn(2)
    count(Count.CORES_DIED)  # has a line of its own
    count(Count.CAPTIONS_UNNAMED)
    kept.journaling.core_down("killed", "start")
    entries = kept.entries()
    assert [entry.group("lost") for entry in entries] == [{"inbox_blocks_lost": 3}, {}, {"captions_unnamed": 1}]
    assert summary(entries).lost == {"inbox_blocks_lost": 3, "captions_unnamed": 1}


def test_a_core_that_dies_leaves_an_incident_and_its_successor_counts_as_restart(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.found()
    kept.emit(TurnCommitted(at_s=now_s(), turn=7, last_speech_at_s=None))
    kept.emit(AudioStopped(at_s=now_s(), turn=-1, played_ms=9.0))  # something said aloud, which is no turn
    kept.journaling.core_down("the core was killed by signal 11", "start")
    kept.found()
    kept.journaling.core_down("the core was killed by signal 11", "start")  # within the same minute
    kept.found()
    kept.journaling.core_down("", "start")  # to make room for another
    kept.found()
    kept.journaling.core_down("the link was cut", "link")
    kept.journaling.core_down("it will not stay up", "stop")
    entries = kept.entries()
    told = [(entry.text("what"), entry.number("restarts")) for entry in entries if entry.kind == "core"]
    assert told == [
        ("ready", None),
        ("died", None),
        ("ready", 1),
        ("died", None),
        ("ready", 2),
        ("replaced", None),
        ("ready", None),
        ("link_lost", None),
        ("gave_up", None),
    ]
    gave_up, died = kept.incidents() if "gave" in kept.incidents()[0] else kept.incidents()[::-1]
    head = incidents.load(incidents_beside(kept.log), died).head
    assert (head["what"], head["open_turns"], head["model"]) == (
        "the core was killed by signal 11",
        [7],
        "SmolLM2-135M",
    )
    assert gave_up.endswith("core-gave-up")
    journal = (incidents_beside(kept.log) / died / "journal.jsonl").read_text("utf-8")
    assert [json.loads(line)["what"] for line in journal.splitlines()] == ["ready", "died"]


def test_of_one_cause_there_is_one_incident_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(tmp_path)
    later_s = 0.0
    monkeypatch.setattr(journaling, "now_s", lambda: now_s() + later_s)
    for later_s in (0.0, 59.0, 61.0, 120.0, 122.0):  # noqa: B007 - the clock reads it
        kept.journaling.core_down("killed", "start")
    assert len(kept.incidents()) == 3


@pytest.mark.parametrize(
    ("turns", "cause", "said"),
    [
        (lambda kept, n: kept.turn(n, voice_to_voice_ms=4600), "slow", "one in twenty was heard only after 4.6 s"),
        (lambda kept, n: kept.turn(n, "completed" if n % 9 else "failed"), "errors", "2 got no answer"),
    ],
)
def test_a_talk_that_goes_badly_leaves_an_incident_and_the_user_is_told(
    tmp_path: Path, turns: Callable[[Kept, int], None], cause: str, said: str
) -> None:
    kept = Kept(tmp_path)
    for number in range(1, 25):
        turns(kept, number)
    (name,) = kept.incidents()
    assert name.endswith(f"-{cause}")
    (told,) = kept.notices()
    assert told.severity == "warning"
    assert said in told.text
    assert told.text.endswith("; the scene is kept: `parlor-tui incident show last`")


def test_that_a_scene_is_kept_is_told_once_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, goes_on = Kept(tmp_path), threading.Event()

    def slow_disk(*scene: Any) -> str:
        assert goes_on.wait(20)
        return keep(*scene)

    monkeypatch.setattr(journaling, "keep", slow_disk)
    kept.journaling.core_down("the core crashed (SIGSEGV)", "start")
    assert kept.notices() == []
    goes_on.set()
    until(lambda: bool(kept.notices()), "word of the scene")
    (told,) = kept.notices()
    assert told.text == "the core crashed (SIGSEGV); the scene is kept: `parlor-tui incident show last`"
    assert len(kept.incidents()) == 1


def test_a_scene_that_cannot_be_kept_is_told_and_the_journal_goes_on(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.found()
    incidents_beside(kept.log).parent.mkdir(parents=True, exist_ok=True)
    incidents_beside(kept.log).write_text("in the way", encoding="utf-8")
    kept.journaling.core_down("the core crashed (SIGSEGV)", "start")
    kept.turn(1)
    assert [entry.kind for entry in kept.entries()] == ["core", "core", "turn"]
    (told,) = kept.notices()
    assert told.text.startswith("the core crashed (SIGSEGV); the scene of it could not be kept: ")
    assert str(incidents_beside(kept.log)) in told.text
    assert (told.severity, told.key) == ("warning", "")


def test_an_assistant_that_fails_leaves_an_incident(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.journaling.failed(KeyError("what somebody said"))
    (name,) = kept.incidents()
    assert name.endswith("-assistant-failed")
    assert incidents.load(incidents_beside(kept.log), name).text("what") == "KeyError"


def test_switched_off_nothing_is_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path, enabled=False)
    kept.found()
    for number in range(1, 25):
        kept.turn(number, "failed", 9000)
    kept.journaling.core_down("killed", "start")
    kept.journaling.failed(RuntimeError("no"))
    assert kept.entries() == []
    assert list(tmp_path.rglob("*")) == []
    assert not [event for event in kept.told if isinstance(event, Notice)]


def test_a_disk_that_takes_nothing_is_one_notice(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way", encoding="utf-8")
    kept = Kept(tmp_path)
    for number in range(1, 25):
        kept.turn(number, "failed", 9000)
    kept.journaling.core_down("killed", "start")
    kept.journaling.close(20)
    for _ in range(3):
        kept.journaling.tick()
    (notice,) = [event for event in kept.told if isinstance(event, Notice) and event.key == "journal"]
    assert notice.text.startswith(f"the journal is not kept: {tmp_path / 'log'}")
    assert notice.severity == "warning"
