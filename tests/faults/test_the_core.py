"""The core dies, stands still, or is given no memory: it is started again, told the talk, and answers aloud."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from parlor_tui.events import AskedAgain, AudioStarted, Loading, SpeechStopped, TurnCommitted, now_s
from parlor_tui.link import back_off
from tests.fault_table import NOTICED_S, Fault, RecordRow, Row
from tests.faults.conftest import Heater
from tests.faults.sitting import LOADING_IDLE_S, TOLD_S, TURN_S, WORKING_S, Sitting, restored

Do = Callable[[int], None]
ENDING = "starting it again, the talk goes on"


def no_more_memory(pid: int) -> None:
    """Whatever this process asks of the system from now on is refused."""
    import resource  # which Windows does not have

    resource.prlimit(pid, resource.RLIMIT_AS, (2**20, 2**20))


def sent(number: signal.Signals) -> Do:
    return lambda pid: os.kill(pid, number)


@pytest.mark.parametrize(
    ("fault", "how", "do", "words"),
    [
        (Fault.CORE_DIES, "SIGSEGV", sent(signal.SIGSEGV), "the core crashed (SIGSEGV)"),
        (Fault.CORE_DIES, "memory is refused", no_more_memory, "the core was given no more memory"),
        (Fault.CORE_STANDS_STILL, "SIGSTOP", sent(signal.SIGSTOP), "the core stood still and did not answer"),
    ],
    ids=["SIGSEGV", "memory", "SIGSTOP"],
)
@pytest.mark.usefixtures("thinking")
def test_a_core_that_is_lost_as_it_thinks_is_started_again_and_answers_what_was_said(
    sitting: Sitting, fault_row: RecordRow, fault: Fault, how: str, do: Do, words: str
) -> None:
    pid, mark, told = sitting.core_pid, sitting.watch.mark(), len(sitting.sent)
    question, speaking = sitting.speak()
    committed = sitting.wait(mark, TurnCommitted, within_s=TURN_S)
    began_s = now_s()
    do(pid)
    notice = sitting.told(mark, "core", ENDING)
    assert notice.text.startswith(words)
    ready = sitting.ready(mark)
    speaking.join(5)
    done = sitting.done(mark)
    assert done.turn == committed.turn
    sitting.wait(mark, AskedAgain)
    sitting.wait(mark, AudioStarted, lambda event: event.turn == done.turn)
    assert sitting.core_pid != pid
    restored(sitting, told)
    sitting.answered(question, mark, done)
    sitting.over(mark, "core")
    fault_row(
        Row(
            fault,
            f"{how} as it thinks",
            notice.text,
            notice.at_s - began_s,
            ready.at_s - began_s,
            "the fault: models loaded, asked again",
        )
    )


@pytest.mark.usefixtures("thinking")
def test_a_core_that_computes_and_answers_nobody_is_given_up_on(sitting: Sitting, fault_row: RecordRow) -> None:
    pid, mark, told = sitting.core_pid, sitting.watch.mark(), len(sitting.sent)
    began_s = now_s()
    os.kill(pid, signal.SIGUSR2)  # see `tests/faults/core.py`
    question, speaking = sitting.speak()
    notice = sitting.told(mark, "core", ENDING)
    assert notice.text.startswith("the core did not answer for ")
    ready = sitting.ready(mark)
    done = sitting.done(mark)
    speaking.join(5)
    assert sitting.core_pid != pid
    restored(sitting, told)
    sitting.answered(question, mark, done)
    row = Row(
        Fault.CORE_BUSY,
        f"given up on after {WORKING_S:g} s at work here (10 s outside of tests) and one more try to reach it",
        notice.text,
        notice.at_s - began_s,
        ready.at_s - began_s,
        "the fault: models loaded",
        within_s=WORKING_S + NOTICED_S,
    )
    fault_row(row)


def test_what_is_being_said_when_the_core_dies_is_answered_once_it_is_back(
    sitting: Sitting, fault_row: RecordRow
) -> None:
    sitting.settle()
    mark, told = sitting.watch.mark(), len(sitting.sent)
    question, speaking = sitting.speak()
    assert not [event for event in sitting.watch.since(mark) if isinstance(event, SpeechStopped)], "one still speaks"
    began_s = now_s()
    os.kill(sitting.core_pid, signal.SIGKILL)
    notice = sitting.told(mark, "core", ENDING)
    ready = sitting.ready(mark)
    done = sitting.done(mark)
    speaking.join(5)
    sitting.wait(mark, AudioStarted, lambda event: event.turn == done.turn)
    restored(sitting, told)
    sitting.answered(question, mark, done)
    fault_row(
        Row(
            Fault.CORE_DIES_AS_ONE_SPEAKS,
            "SIGKILL",
            notice.text,
            notice.at_s - began_s,
            ready.at_s - began_s,
            "the fault: models loaded, answered then",
        )
    )


@pytest.mark.usefixtures("thinking")
def test_models_that_never_come_and_a_core_that_will_not_stay_up_are_told_and_the_next_turn_starts_one_that_answers(
    sitting: Sitting, heater: Heater, fault_row: RecordRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(back_off, "WAITS_S", (0.2,) * len(back_off.WAITS_S))
    stuck, broken = heater.file.with_name("stuck"), heater.file.with_name("broken")
    mark, told = sitting.watch.mark(), len(sitting.sent)
    stuck.touch()
    os.kill(sitting.core_pid, signal.SIGKILL)
    step = sitting.wait(mark, Loading, lambda event: event.text == "loading answers (of a test)")
    notice = sitting.told(mark, "core", "the models do not come, it hangs at: loading answers (of a test)")
    broken.touch()
    stuck.unlink()
    stop = sitting.told(mark, "core", "it will not stay up")
    broken.unlink()
    assert stop.text.endswith("`parlor-tui doctor` may say why; type something to have it tried again")
    mark, again_s = sitting.watch.mark(), now_s()
    question = "What is the capital of France?"
    sitting.assistant.say(question)
    ready = sitting.ready(mark)
    done = sitting.done(mark)
    restored(sitting, told)
    sitting.answered(question, mark, done)
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.NEVER_LOADED,
            f"given up on after {LOADING_IDLE_S:g} s in which nothing happens (30 s outside of tests)",
            notice.text,
            notice.at_s - step.at_s,
            lost="nothing: another core is tried",
            within_s=LOADING_IDLE_S + NOTICED_S,
        )
    )
    fault_row(
        Row(
            Fault.CORE_DOWN,
            f"{len(back_off.WAITS_S) + 1} tries; waits of 0.2 s between them here",
            stop.text,
            stop.at_s - notice.at_s,
            ready.at_s - again_s,
            "something is typed: models loaded, answered",
            within_s=TOLD_S,
        )
    )
