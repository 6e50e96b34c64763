"""When a silent core is no longer waited for: by rules, and by chance."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.link.back_off import FORGIVEN_AFTER_S, WAITS_S, BackOff
from parlor_tui.link.endings import in_words, memory_kills
from parlor_tui.link.following import Relinks
from parlor_tui.link.pulse import LOADING_LOOK_EVERY_S, LOOK_EVERY_S, LoadingWatch, Patience, Pulse, Verdict
from parlor_tui.link.wire import NO_MEMORY_EXIT, WEDGED_EXIT
from parlor_tui.usage import ProcessSigns, Signs
from tests.waiting import until

PATIENCE = Patience()
LOG = Path("a.log")


def followed(
    seconds: float, *, stopped: bool = False, work_per_s: float = 0.0, loading: bool = False, heard_s: float = 0.0
) -> tuple[Verdict, float]:
    """The first verdict that is not `alive`, or the last one, and when: of a core that is silent since `heard_s`."""
    pulse, at_s, verdict = Pulse(PATIENCE, 0.0), 0.0, "alive"
    while at_s < seconds and verdict == "alive":
        at_s += LOOK_EVERY_S
        signs = Signs(stopped, at_s * work_per_s) if pulse.wants_signs(at_s, min(at_s, heard_s)) else None
        verdict = pulse.look(at_s, min(at_s, heard_s), signs, loading=loading)
    return verdict, at_s


@given(heard_s=st.floats(0, 5), work_per_s=st.floats(0, 4))
def test_one_that_stands_still_is_found_within_two_seconds_whatever_it_did(heard_s: float, work_per_s: float) -> None:
    verdict, at_s = followed(10, stopped=True, work_per_s=work_per_s, heard_s=heard_s)
    assert verdict == "stopped"
    assert PATIENCE.stopped_s <= at_s - heard_s < 2.0


@given(heard_s=st.floats(0, 5))
def test_one_that_does_nothing_is_found_within_two_seconds(heard_s: float) -> None:
    verdict, at_s = followed(10, heard_s=heard_s)
    assert verdict == "hung"
    assert PATIENCE.idle_s <= at_s - heard_s < 2.0


@given(work_per_s=st.floats(0.03, 4))
def test_one_that_is_at_work_is_told_of_and_waited_for(work_per_s: float) -> None:
    verdict, at_s = followed(30, work_per_s=work_per_s)
    assert verdict == "busy"
    assert at_s < 2.0
    pulse = Pulse(PATIENCE, 0.0)
    looks = [round(n * LOOK_EVERY_S, 3) for n in range(1, 400)]
    for loading, limit_s in ((False, PATIENCE.working_s), (True, PATIENCE.loading_work_s)):
        pulse = Pulse(PATIENCE, 0.0)
        hung_s = next(at_s for at_s in looks if pulse.look(at_s, 0.0, Signs(False, at_s), loading=loading) == "hung")
        assert limit_s <= hung_s <= limit_s + 2 * LOOK_EVERY_S


@given(st.lists(st.tuples(st.floats(0.15, 0.4), st.floats(0, 0.85), st.booleans()), max_size=60))
def test_one_that_answers_within_most_of_a_second_is_never_given_up_on(looks: list[tuple[float, float, bool]]) -> None:
    pulse, at_s = Pulse(PATIENCE, 0.0), 0.0
    for step_s, silent_s, stopped in looks:
        at_s += step_s
        assert pulse.look(at_s, at_s - silent_s, Signs(stopped, 0.0)) == "alive"


@given(st.lists(st.floats(0.75, 1e5), max_size=20))
def test_whoever_stood_still_itself_counts_anew(gaps_s: list[float]) -> None:
    pulse, at_s = Pulse(PATIENCE, 0.0), 0.0
    for gap_s in gaps_s:  # a machine that slept: nothing was heard, and the core stands still a moment longer
        for step_s in (gap_s, LOOK_EVERY_S, LOOK_EVERY_S):
            at_s += step_s
            assert pulse.look(at_s, 0.0, Signs(True, 0.0)) == "alive"


def test_one_that_waits_for_a_processor_is_at_work() -> None:
    pulse = Pulse(PATIENCE, 0.0)
    verdicts = {pulse.look(n * LOOK_EVERY_S, 0.0, Signs(False, 0.0, waits=True)) for n in range(1, 45)}
    assert verdicts == {"alive", "busy"}


def test_where_the_system_does_not_tell_what_a_process_waits_for_none_is_taken_for_idle() -> None:
    patience = Patience()
    pulse = Pulse(patience, 0.0)
    looks = [n * LOOK_EVERY_S for n in range(1, 70)]
    hung_s = next(at for at in looks if pulse.look(at, 0.0, Signs(False, 0.0, tells_waits=False)) == "hung")
    assert patience.working_s <= hung_s <= patience.working_s + 2 * LOOK_EVERY_S


def test_a_process_that_is_gone_is_left_to_its_link() -> None:
    pulse = Pulse(PATIENCE, 0.0)
    assert {pulse.look(n * LOOK_EVERY_S, 0.0, None) for n in range(1, 100)} == {"alive"}


@given(st.floats(0, 100), st.booleans())
def test_a_loading_that_comes_to_nothing_is_given_up_on_and_one_at_work_is_not_so_soon(
    told_s: float, works: bool
) -> None:
    watch, at_s = LoadingWatch(PATIENCE, 0.0), 0.0
    while not watch.hangs(at_s, Signs(False, at_s if works else 0.0)):
        at_s += LOADING_LOOK_EVERY_S
        if at_s <= told_s:
            watch.news(at_s)
    limit_s = PATIENCE.loading_s if works else PATIENCE.loading_idle_s
    assert limit_s - 1 <= at_s - max(0.0, told_s - 1) <= limit_s + 3


def test_a_loading_is_not_given_up_on_for_the_time_that_a_machine_slept() -> None:
    watch = LoadingWatch(PATIENCE, 0.0)
    assert not watch.hangs(1.0, Signs(False, 0.0))
    assert not watch.hangs(100_000.0, Signs(False, 0.0))
    assert not watch.hangs(100_001.0, Signs(False, 0.0))


@given(st.lists(st.floats(0, 200), min_size=1, max_size=40))
def test_cores_that_are_of_no_use_one_after_the_other_are_started_less_and_less_and_then_no_more(
    useful_s: list[float],
) -> None:
    back_off, in_a_row = BackOff(), 0
    for seconds in useful_s:
        in_a_row = 1 if seconds >= FORGIVEN_AFTER_S else in_a_row + 1
        wait_s = back_off.ended(seconds)
        assert wait_s == (WAITS_S[in_a_row - 1] if in_a_row <= len(WAITS_S) else None)
    back_off.forgive()
    assert back_off.ended(0.0) == WAITS_S[0]


@given(st.lists(st.floats(0.1, 20), min_size=4, max_size=60))
def test_a_link_is_made_anew_three_times_in_half_a_minute_and_no_more(gaps_s: list[float]) -> None:
    relinks, at_s, allowed = Relinks(), 0.0, list[float]()
    for gap_s in gaps_s:
        at_s += gap_s
        recent = sum(at_s - then_s < 30.0 for then_s in allowed)
        assert relinks.again(at_s) == (recent < 3)
        if recent < 3:
            allowed.append(at_s)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "the core ended"),
        (1, "the core ended with code 1; see a.log"),
        (WEDGED_EXIT, "the model hung and was given up on"),
        (NO_MEMORY_EXIT, "the core was given no more memory"),
        (-signal.SIGSEGV, "the core crashed (SIGSEGV)"),
        (-signal.SIGABRT, "the core crashed (SIGABRT)"),
        (-signal.SIGTERM, "the core was told to end (SIGTERM)"),
        (-signal.SIGKILL, "the core was killed (maybe out of memory)"),
        (-199, "the core crashed (signal 199)"),
        (0xC0000005, "the core crashed (0xc0000005)"),
    ],
)
def test_how_a_core_ended_in_words(code: int, words: str) -> None:
    assert in_words(code, LOG) == words


def test_a_core_that_the_system_ended_for_want_of_memory(tmp_path: Path) -> None:
    counters = tmp_path / "vmstat"
    counters.write_text("pgfault 12\noom_kill 3\nballoon_inflate 0\n")
    assert memory_kills(counters) == 3
    assert memory_kills(tmp_path / "none") == 0
    words = in_words(-signal.SIGKILL, LOG, out_of_memory=True)
    assert words == "the core was killed (the machine is out of memory)"


def test_a_process_seen_from_outside() -> None:
    code = "import sys\nsys.stdin.readline()\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        signs = ProcessSigns(process.pid)
        try:
            before = signs.read()
            assert before is not None
            assert not before.stopped
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
            until(lambda: (now := signs.read()) is not None and now.work > before.work + 0.05, "it works")
            psutil.Process(process.pid).suspend()
            until(lambda: (now := signs.read()) is not None and now.stopped, "it stands still")
            family = ProcessSigns(psutil.Process().pid).read(children=True)
            assert family is not None
            assert family.work > 0
        finally:
            process.kill()
    assert signs.read() is None
