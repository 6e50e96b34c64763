"""The governor live: a real core on a machine that heats up and cools down, and what the terminal hears of it."""

from __future__ import annotations

import itertools
import json
import queue
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from parlor_tui.assistant import Assistant
from parlor_tui.assistant.core.governed import Governance, in_words
from parlor_tui.commands.headless import Lines
from parlor_tui.commands.plain_lines import PlainLines
from parlor_tui.events import CoreGoverned, Event, Governed, Notice, Ready, TurnDone, now_s
from parlor_tui.settings import Settings
from tests.conftest import Home

LONGEST_S = 30.0
STEPS = ("no eager replies", "shorter replies", "shorter memory")
"""What the lite profile can do without: its model sees no pictures."""
SOFT_TOKENS = 2
HARD_TOKENS = 4 * SOFT_TOKENS
"""Where a reply whose first sentence is long is cut off."""
QUESTION = "Repeat after me: one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"


class Sitting:
    """A terminal with a core whose machine can be heated."""

    def __init__(self, home: Home, folder: Path) -> None:
        self._heat = folder / "heat"
        self.heat(61)
        self.told: list[Event] = []
        self._events: queue.Queue[Event] = queue.Queue()
        program = ["-m", "tests.assistant.heated_core", str(self._heat), str(home.config)]
        values = {f"devices.{kind}": "none" for kind in ("microphone", "speaker", "camera")}
        chosen = values | {"answering.max_tokens": SOFT_TOKENS, "answering.temperature": 0.0}
        settings = Settings().with_values(chosen, "test")
        self.assistant = Assistant(settings, None, self._events.put, core=[sys.executable, *program])

    def heat(self, temperature_c: int) -> None:
        """The GPU is so hot from now on."""
        new = self._heat.with_suffix(".new")
        new.write_text(str(temperature_c), "ascii")
        new.replace(self._heat)

    def until(self, wanted: Callable[[Event], bool]) -> Event:
        """The first event from now on that is wanted; all on the way to it are kept in `told`."""
        deadline_s = now_s() + LONGEST_S
        while True:
            event = self._events.get(timeout=max(0.0, deadline_s - now_s()))
            self.told.append(event)
            if wanted(event):
                return event

    def level(self, level: int) -> Governed:
        """Wait until the core is at this level."""
        event = self.until(lambda event: isinstance(event, Governed) and event.level == level)
        assert isinstance(event, Governed)
        return event

    def tokens_of_a_turn(self) -> int:
        """How long a reply to the question is, which is the first of its conversation."""
        self.assistant.new_conversation()
        self.assistant.say(QUESTION)
        event = self.until(lambda event: isinstance(event, TurnDone))
        assert isinstance(event, TurnDone)
        assert event.status == "completed", event
        return event.output_tokens


def test_while_the_machine_is_hot_replies_are_shorter_and_the_user_is_told_why(
    isolated_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in isolated_home.env.items():
        monkeypatch.setenv(name, value)
    sitting = Sitting(isolated_home, tmp_path)
    sitting.assistant.start()
    try:
        sitting.until(lambda event: isinstance(event, Ready))
        assert sitting.tokens_of_a_turn() == HARD_TOKENS
        assert not [event for event in sitting.told if isinstance(event, Governed)]

        sitting.heat(91)
        reached = [sitting.level(level) for level in (1, 2, 3)]
        assert [event.reduced for event in reached] == [STEPS[:1], STEPS[:2], STEPS]
        assert all(event.reasons == ("hot (91 °C)",) for event in reached)
        assert sitting.until(lambda event: isinstance(event, Governed)).advice  # type: ignore[attr-defined]
        banner = sitting.until(lambda event: isinstance(event, Notice))
        assert isinstance(banner, Notice)
        assert banner.text == f"hot (91 °C): {', '.join(STEPS)}; less than that cannot be"
        assert sitting.tokens_of_a_turn() == HARD_TOKENS // 2

        sitting.heat(80)  # no longer hot, and not cool
        assert sitting.tokens_of_a_turn() == HARD_TOKENS // 2
        sitting.heat(61)
        back = [sitting.level(level) for level in (2, 1, 0)]
        assert [event.reduced for event in back] == [STEPS[:2], STEPS[:1], ()]
        over = sitting.until(lambda event: isinstance(event, Notice))
        assert isinstance(over, Notice)
        assert (over.key, over.text) == (banner.key, "")
        assert sitting.tokens_of_a_turn() == HARD_TOKENS
    finally:
        sitting.assistant.stop(5)
    levels = [event.level for event in sitting.told if isinstance(event, Governed)]
    assert [level for level, _ in itertools.groupby(levels)] == [1, 2, 3, 2, 1, 0]


HOT = CoreGoverned(2, ("hot (91 °C)",), ("smaller pictures", "no eager replies"))


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (HOT, "hot (91 °C): smaller pictures, no eager replies"),
        (
            CoreGoverned(1, ("slow", "throttled"), ("shorter replies",), "sit down"),
            "slow, throttled: shorter replies; sit down",
        ),
        (CoreGoverned(0), ""),
    ],
)
def test_in_plain_words(event: CoreGoverned, told: str) -> None:
    assert in_words(event) == told


def test_a_core_that_dies_takes_its_banner_with_it() -> None:
    told: list[Event] = []
    governance = Governance(told.append)
    governance.core_lost()
    assert told == []
    governance.core_said(HOT)
    governance.core_lost()
    governance.core_lost()
    assert [event.level for event in told if isinstance(event, Governed)] == [2, 0]
    assert [event.text for event in told if isinstance(event, Notice)] == [in_words(HOT), ""]


def test_a_line_of_json_and_lines_for_people() -> None:
    told: list[Event] = []
    governance = Governance(told.append)
    governance.core_said(HOT)
    governance.core_said(CoreGoverned(0))
    lines, plain = Lines(told[0].at_s), PlainLines()
    objects = [line for event in told if (line := lines.of(event)) is not None and line["event"] == "governor"]
    assert json.loads(json.dumps(objects[0])) == {
        "event": "governor",
        "t_ms": 0.0,
        "level": 2,
        "reasons": ["hot (91 °C)"],
        "reduced": ["smaller pictures", "no eager replies"],
        "advice": "",
    }
    assert objects[1]["level"] == 0
    assert [line for event in told for line in plain.of(event)] == [
        f"warning: {in_words(HOT)}",
        f"over: {in_words(HOT)}",
    ]
