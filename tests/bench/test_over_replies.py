"""How often it is tried, and what becomes of tries that show nothing. The assistant's replies are recordings here."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from parlor_tui.bench import over_replies
from parlor_tui.bench.analysis import Track
from parlor_tui.bench.findings import Findings
from parlor_tui.bench.lines import lines
from parlor_tui.bench.plan import ECHOES
from parlor_tui.bench.room import Heard
from parlor_tui.bench.sitting import Sitting
from parlor_tui.bench.sound import Colour, Echo, Sound
from parlor_tui.bench.utterances import Utterance
from parlor_tui.bench.watching import Watch
from parlor_tui.events import Event, Interrupted, TurnDone

UTTERANCE = Utterance(lines("mhm")[0], np.full(8000, 0.2, np.float32))
REPLY_S = 10.0


class Replies:
    """Place and assistant at once, and no time passes. `answers`: whether a typed turn gets a reply."""

    fault = ""
    missed_steps = 0

    def __init__(self, answers: Iterator[bool]) -> None:
        self.echoes: list[Echo | None] = []
        self.asked = 0
        self.answered = False
        self._answers = answers

    def say(self, text_or_samples: str | Sound) -> float:
        if isinstance(text_or_samples, str):
            self.asked += 1
            self.answered = next(self._answers)
        return 100.0

    def interrupt(self) -> None:
        pass

    def heard(self, from_s: float, until_s: float) -> Heard:
        user, speaker = np.zeros(16_000 * 4, np.float32), np.zeros(round(24_000 * REPLY_S), np.float32)
        user[16_000:24_000] = 0.2
        speaker[:] = 0.2 * self.answered
        return Heard(*[Track(user, 16_000, 99.0)] * 2, *[Track(speaker, 24_000, 99.0)] * 2)

    def set_echo(self, echo: Echo | None) -> None:
        self.echoes.append(echo)

    def set_noise(self, dbfs: float | None, colour: Colour = "white") -> None:
        raise AssertionError


class Timeless(Sitting):
    """Waits for nothing. `after_onset` is what the assistant tells once somebody spoke over its reply."""

    after_onset: tuple[Event, ...] = ()

    def pause_until(self, at_s: float) -> None:
        if at_s > 100.0:
            for event in self.after_onset:
                self.watch.listener(event)

    def first_sound(self, after_s: float, timeout_s: float = 20.0) -> float | None:
        return 98.0 if self.place.answered else None  # type: ignore[attr-defined]

    def settle(self) -> None:
        pass


def sitting(answers: Iterator[bool], *after_onset: Event) -> tuple[Timeless, Replies]:
    replies = Replies(answers)
    made = Timeless(replies, Watch(), replies)  # type: ignore[arg-type]
    made.after_onset = after_onset
    return made, replies


def always(answer: bool) -> Iterator[bool]:
    while True:
        yield answer


def test_a_whole_run_goes_on_until_replies_have_sounded_for_long_enough() -> None:
    findings = Findings()
    made, replies = sitting(always(True))
    over_replies.echo_alone(made, findings, ECHOES, 200, 100.0)
    assert findings.alone_s >= 100.0 - 0.01
    assert replies.asked == len(findings.of("echo_alone")) == pytest.approx(100 / REPLY_S, abs=len(ECHOES))
    assert {echo for echo in replies.echoes if echo} == set(ECHOES)


def test_so_many_replies_are_enough_where_only_the_count_matters() -> None:
    findings = Findings()
    made, replies = sitting(always(True))
    over_replies.echo_alone(made, findings, ECHOES, 8)
    assert replies.asked == 8


def test_replies_that_do_not_come_count_and_end_it() -> None:
    findings = Findings()
    made, replies = sitting(iter([True, False, False, True, False, False, False]))
    over_replies.echo_alone(made, findings, ECHOES, 40, 600.0)
    assert [trial.outcome for trial in findings.trials].count("no reply") == 5
    assert not any(trial.good for trial in findings.trials if trial.outcome == "no reply")
    assert findings.notes == ["echo_alone: 3 typed turns in a row got no reply; given up"]
    assert replies.echoes[-1] is None


def test_without_a_reply_to_speak_over_it_is_a_failed_try() -> None:
    findings = Findings()
    made, _ = sitting(always(False))
    for scenario in (over_replies.false_barge_in, over_replies.short_words_over, over_replies.barge_in):
        scenario(made, findings, [UTTERANCE])
    assert [(trial.outcome, trial.good) for trial in findings.trials] == [("no reply", False)] * 3


def test_a_reply_that_ended_by_itself_is_tried_again_and_told_of_in_the_end() -> None:
    findings = Findings()
    done = TurnDone(
        at_s=100.1, turn=1, status="completed", heard="", reply="", stages_ms={}, output_tokens=1
    )  # fmt: skip
    made, replies = sitting(always(True), done)
    over_replies.false_barge_in(made, findings, [UTTERANCE])
    assert replies.asked == 3
    assert findings.trials == []
    assert "mhm-1 left out" in findings.notes[0]


def test_what_was_found_is_noted_once() -> None:
    findings = Findings()
    made, replies = sitting(always(True), Interrupted(at_s=100.3, turn=1, by="voice", played_ms=2000))
    over_replies.false_barge_in(made, findings, [UTTERANCE])
    (trial,) = findings.trials
    assert (trial.outcome, trial.good, replies.asked) == ("ended the reply", False, 1)
