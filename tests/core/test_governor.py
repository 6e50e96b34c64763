"""When the core does with less, how far, and when it goes back: a pure decision over what is known of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.core.governing import advice, signs, steps_of
from parlor_tui.core.governor import COOL_C, MEMORY_EASY, PACE, QUICK_S, STEPS, Caps, Pace, Signs, State, decide
from parlor_tui.core.profiles import GEMMA, LITE, Parts, Profile
from parlor_tui.engines.base import Abilities
from parlor_tui.events import HOT_C, MachineRead, Reading
from parlor_tui.settings import Tuning

MOST = len(STEPS)
FAST = Pace(10.0, 30.0, 120.0)


def run(readings: Sequence[Signs], most: int = MOST, pace: Pace = PACE) -> Iterator[State]:
    """The state after each of `readings`."""
    state = State()
    for reading in readings:
        state = decide(state, reading, most, pace)
        yield state


def levels(*temperatures_c: float | None, every_s: float = 10.0) -> list[int]:
    readings = [Signs(number * every_s, temperature_c=value) for number, value in enumerate(temperatures_c)]
    return [state.level for state in run(readings)]


@pytest.mark.parametrize(
    ("known", "level", "words"),
    [
        ({}, 0, ()),
        ({"temperature_c": 84.9}, 0, ()),
        ({"temperature_c": 85.0}, 1, ("hot (85 °C)",)),
        ({"temperature_c": 91.2}, 1, ("hot (91 °C)",)),
        ({"thermal_pressure": "nominal"}, 0, ()),
        ({"thermal_pressure": "fair"}, 0, ()),
        ({"thermal_pressure": "serious"}, 1, ("hot (serious)",)),
        ({"thermal_pressure": "critical", "temperature_c": 70.0}, 1, ("hot (critical)",)),
        ({"throttled": True, "throttle_reason": "hardware"}, 1, ("throttled (hardware)",)),
        ({"throttled": True}, 1, ("throttled",)),
        ({"throttled": True, "throttle_reason": "power limit"}, 0, ()),  # a GPU that works hard
        ({"throttled": False, "throttle_reason": "GPU hot"}, 0, ()),
        ({"memory_share": 1.0}, 0, ()),
        ({"memory_share": 1.04}, 1, ("memory at 104 % of its budget",)),
        ({"inference_s": 5.0}, 0, ()),
        ({"inference_s": 6.23}, 1, ("slow (the model took 6.2 s)",)),
        (
            {"temperature_c": 90.0, "throttled": True, "throttle_reason": "GPU hot", "memory_share": 1.2},
            1,  # however much is wrong, it is one step
            ("hot (90 °C)", "throttled", "memory at 120 % of its budget"),
        ),
    ],
)
def test_what_is_trouble(known: dict[str, object], level: int, words: tuple[str, ...]) -> None:
    (state,) = run([replace(Signs(0.0), **known)])
    assert (state.level, tuple(reason.words for reason in state.reasons)) == (level, words)


@pytest.mark.parametrize(
    ("temperatures_c", "expected"),
    [
        ((60.0, 86.0, 86.0, 86.0, 86.0, 86.0), [0, 1, 2, 3, 4, 4]),
        ((86.0, 80.0, 84.0, 78.0, 80.0, 84.0), [1, 1, 1, 1, 1, 1]),  # no longer hot, not yet cool
        ((86.0, 86.0, 77.0, 77.0, 77.0, 77.0), [1, 2, 2, 2, 2, 1]),
        ((86.0, 86.0, 77.0, 77.0, 79.0, 77.0, 77.0, 77.0, 77.0), [1, 2, 2, 2, 2, 2, 2, 2, 1]),  # the calm begins anew
        ((86.0, 77.0, 77.0, 77.0, 77.0, 77.0), [1, 1, 1, 1, 0, 0]),
        ((60.0, None, None, None), [0, 0, 0, 0]),  # unknown is no trouble
        ((86.0, None, None, None, None, None), [1, 1, 1, 1, 1, 1]),  # nor is it the end of one
    ],
)
def test_down_while_it_is_hot_and_back_once_it_has_been_cool_for_long(
    temperatures_c: tuple[float | None, ...], expected: list[int]
) -> None:
    assert levels(*temperatures_c) == expected


def test_within_ten_seconds_there_is_one_step() -> None:
    assert levels(*[90.0] * 22, every_s=1.0) == [1] * 10 + [2] * 10 + [3] * 2


def test_memory_is_in_order_again_five_percent_below_its_budget() -> None:
    shares = [1.1, 0.99, 0.99, 0.99, 0.99, 0.95, 0.95, 0.95, 0.95]
    readings = [Signs(number * 10.0, memory_share=share) for number, share in enumerate(shares)]
    assert [state.level for state in run(readings)] == [1, 1, 1, 1, 1, 1, 1, 1, 0]


def test_one_slow_inference_is_one_step_and_only_a_quick_one_shows_that_it_is_over() -> None:
    quiet = [Signs(10.0 * number) for number in range(1, 20)]
    *_, state = run([Signs(0.0, inference_s=7.0), *quiet])
    assert (state.level, state.reasons[0].kind) == (1, "slow")
    *_, state = run([Signs(0.0, inference_s=7.0), *quiet, Signs(200.0, inference_s=4.5), Signs(300.0)])
    assert state.level == 1
    *_, state = run([Signs(0.0, inference_s=7.0), *quiet, Signs(200.0, inference_s=3.9), Signs(230.0)])
    assert state.level == 0


UNSEEN = {"stale": True}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([{"temperature_c": 60.0}] * 4, [1, 1, 1, 0]),
        ([UNSEEN] * 9, [1] * 9),  # nobody knows that it is cool
        (
            [{"temperature_c": 60.0}] * 2 + [UNSEEN] + [{"temperature_c": 60.0}] * 4,
            [1] * 6 + [0],
        ),  # the calm has to be seen
        ([UNSEEN | {"inference_s": 1.0}] * 9, [1] * 9),  # a quick reply alone is no sign that it is cool
        ([UNSEEN | {"inference_s": 7.0}] * 2, [2, 3]),  # that the model is slow was seen just now
        ([UNSEEN, {"temperature_c": 90.0}], [1, 2]),
    ],
)
def test_a_machine_that_is_not_seen_is_neither_hot_nor_calm(
    after: list[dict[str, object]], expected: list[int]
) -> None:
    readings = [Signs(0.0, temperature_c=90.0)]
    readings += [replace(Signs(10.0 * number), **known) for number, known in enumerate(after, 1)]
    assert [state.level for state in run(readings)] == [1, *expected]


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ({"temperature_c": 90.0}, {"temperature_c": 60.0}),
        ({"thermal_pressure": "critical"}, {"thermal_pressure": "nominal"}),
        ({"throttled": True}, {"throttled": False}),
        ({"memory_share": 1.2}, {"memory_share": 0.5}),
    ],
)
def test_what_led_to_the_level_has_to_be_seen_to_be_over(bad: dict[str, object], good: dict[str, object]) -> None:
    def after(known: dict[str, object]) -> list[int]:
        readings = [replace(Signs(0.0), **bad), *(replace(Signs(10.0 * number), **known) for number in range(1, 6))]
        return [state.level for state in run(readings)]

    assert after({}) == [1] * 6
    assert after(good) == [1, 1, 1, 1, 0, 0]


def test_where_everything_is_reduced_and_it_is_not_enough_that_is_known_until_it_gets_better() -> None:
    states = list(run([Signs(10.0 * number, temperature_c=95.0) for number in range(MOST + 1)]))
    assert [state.at_limit for state in states] == [False] * MOST + [True]
    cool = [Signs(1000.0 + 30 * number, temperature_c=60.0) for number in range(MOST + 1)]
    state, back = states[-1], []
    for reading in cool:
        state = decide(state, reading, MOST)
        back.append((state.level, state.at_limit, bool(state.reasons)))
    assert back == [(4, True, True), (3, False, True), (2, False, True), (1, False, True), (0, False, False)]


def test_at_the_limit_reasons_that_come_and_go_are_not_told_each_time() -> None:
    hot = [Signs(10.0 * number, temperature_c=95.0) for number in range(MOST + 1)]
    *_, state = run(hot)
    assert decide(state, replace(hot[-1], at_s=60.0, throttled=True), MOST).reasons == state.reasons
    other = decide(state, Signs(60.0, memory_share=1.5), MOST)
    assert [reason.kind for reason in other.reasons] == ["memory"]


def test_a_step_back_that_has_to_be_taken_again_is_waited_for_twice_as_long_up_to_a_limit() -> None:
    """As on a machine that is cool with less, and hot with all of it."""
    state, at_s, waits_s, since_s = State(), 0.0, [], 0.0
    while len(waits_s) < 5:
        before = state.level
        state = decide(state, Signs(at_s, temperature_c=90.0 if state.level == 0 else 70.0), 1, FAST)
        if state.level > before:
            since_s = at_s
        elif state.level < before:
            waits_s.append(round(at_s - since_s))
        at_s += 1.0
    assert waits_s == [31, 61, 121, 121, 121]


def test_after_a_long_calm_at_full_tilt_the_waits_are_short_again() -> None:
    hot, cool = [Signs(0.0, temperature_c=90.0)], [Signs(float(at_s), temperature_c=60.0) for at_s in range(1, 40)]
    hot_again, cool_again = (
        Signs(45.0, temperature_c=90.0),
        [Signs(46.0 + at_s, temperature_c=60.0) for at_s in range(130)],
    )
    *_, twice = run([*hot, *cool, hot_again])
    assert twice.calm_s == 60.0
    *_, state = run([*hot, *cool, hot_again, *cool_again])
    assert (state.level, state.calm_s) == (0, 0.0)


# --- whatever comes ---------------------------------------------------------------------------------------------------

KNOWN = st.fixed_dictionaries(
    {
        "temperature_c": st.none() | st.floats(40, 110),
        "thermal_pressure": st.sampled_from([None, "nominal", "fair", "serious", "critical"]),
        "throttled": st.none() | st.booleans(),
        "throttle_reason": st.sampled_from(["", "power limit", "GPU hot"]),
        "memory_share": st.none() | st.floats(0, 2),
        "inference_s": st.none() | st.floats(0, 20),
        "stale": st.booleans(),
    }
)


@st.composite
def histories(draw: st.DrawFn) -> list[Signs]:
    """Readings in the order of their time, as any machine may give them."""
    at_s, readings = 0.0, []
    for gap_s, known in draw(st.lists(st.tuples(st.floats(0, 45), KNOWN), max_size=40)):
        at_s += gap_s
        readings.append(Signs(at_s, **known))
    return readings


def is_trouble(reading: Signs) -> bool:
    return decide(State(), reading, 1).level == 1


def is_in_between(reading: Signs) -> bool:
    """Neither trouble nor well clear of it: what the hysteresis is for."""
    warm = reading.temperature_c is not None and COOL_C <= reading.temperature_c < HOT_C
    full = reading.memory_share is not None and MEMORY_EASY < reading.memory_share <= 1.0
    return not is_trouble(reading) and (warm or full)


@given(histories(), st.integers(0, MOST))
def test_no_level_is_skipped_and_none_follows_too_soon(readings: list[Signs], most: int) -> None:
    before, stepped_s = 0, None
    for reading, state in zip(readings, run(readings, most), strict=True):
        assert abs(state.level - before) <= 1
        assert 0 <= state.level <= most
        assert bool(state.reasons) == (state.level > 0)
        if state.level != before:
            assert stepped_s is None or reading.at_s - stepped_s >= PACE.between_steps_s
            assert is_trouble(reading) == (state.level > before)
            stepped_s = reading.at_s
        before = state.level


@given(histories())
def test_a_step_back_needs_a_calm_of_thirty_seconds(readings: list[Signs]) -> None:
    states = [State(), *run(readings)]
    for number, reading in enumerate(readings):
        if states[number + 1].level < states[number].level:
            lately = [past for past in readings[:number] if past.at_s > reading.at_s - PACE.calm_s]
            assert not any(is_trouble(past) or is_in_between(past) or past.stale for past in [*lately, reading])


@given(st.lists(st.floats(COOL_C, HOT_C, exclude_max=True), min_size=1, max_size=60), st.integers(0, MOST))
def test_within_the_hysteresis_nothing_changes(temperatures_c: list[float], level: int) -> None:
    state = State(level=level, stepped_s=0.0)
    for number, value in enumerate(temperatures_c):
        state = decide(state, Signs(100.0 + 20 * number, temperature_c=value), MOST)
        assert state.level == level


@given(histories(), KNOWN, st.floats(0, 60), st.floats(0, 50))
def test_hotter_is_never_answered_by_doing_more(
    readings: list[Signs], known: dict[str, object], gap_s: float, by_c: float
) -> None:
    state = State()
    for state in run(readings):  # noqa: B007 - the last one counts
        pass
    now = replace(Signs((readings[-1].at_s if readings else 0.0) + gap_s), **known)
    if now.temperature_c is None:
        return
    hotter = replace(now, temperature_c=now.temperature_c + by_c)
    assert decide(state, hotter, MOST).level >= decide(state, now, MOST).level


@given(st.floats(40, 110), st.floats(0, 40), st.lists(st.floats(0, 30), max_size=40))
def test_of_two_machines_the_one_that_stays_hotter_never_does_more(
    temperature_c: float, by_c: float, gaps_s: list[float]
) -> None:
    times_s = [sum(gaps_s[: number + 1]) for number in range(len(gaps_s))]
    cooler, hotter = (
        [state.level for state in run([Signs(at_s, temperature_c=value) for at_s in times_s])]
        for value in (temperature_c, temperature_c + by_c)
    )
    assert all(less <= more for less, more in zip(cooler, hotter, strict=True))


# --- what follows from it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (0, (280, 64, 25, 4096)),
        (1, (140, 64, 25, 4096)),
        (2, (140, 0, 25, 4096)),
        (3, (140, 0, 12, 4096)),
        (4, (140, 0, 12, 2048)),
    ],
)
def test_what_each_level_does_without(level: int, expected: tuple[int, int, int, int]) -> None:
    own, caps = Tuning(), Caps(STEPS[:level])
    capped = caps.tuning(own)
    found = capped.seeing.image_tokens, capped.hearing.eager_ms, capped.answering.max_tokens, caps.context_tokens(4096)
    assert found == expected
    assert own == Tuning()


@given(st.sampled_from([70, 140, 280, 560, 1120]), st.integers(1, 2048), st.integers(512, 131_072))
def test_nothing_is_reduced_to_nothing_and_every_value_is_one_that_may_be_set(
    image_tokens: int, max_tokens: int, context_tokens: int
) -> None:
    own = Tuning().with_values({"seeing.image_tokens": image_tokens, "answering.max_tokens": max_tokens}, "test")
    caps = Caps(STEPS)
    assert Tuning().with_values(caps.tuning(own).values(), "test") == caps.tuning(own)
    assert min(1024, context_tokens) <= caps.context_tokens(context_tokens) <= context_tokens


GPU = Reading(gpu_temperature_c=61.0, cpu_temperature_c=72.0, gpu_memory_used_mb=900.0, ram_used_mb=15_000.0)

GAMING = replace(GPU, gpu_memory_used_mb=7800.0, gpu_memory_total_mb=8000.0, ram_total_mb=16_000.0)


@pytest.mark.parametrize(
    ("machine", "on_gpu", "share"),
    [
        (MachineRead(GPU, 2000.0, 1000.0, 6000.0), False, 0.5),  # what others hold of the machine's is not counted
        (MachineRead(GPU, 2000.0, None, 4000.0), True, 0.5),
        (MachineRead(GPU, 2000.0, 1000.0, 600.0, own_memory=True), True, 1.5),
        (MachineRead(GPU, 2000.0, 1000.0, 600.0, own_memory=True), False, None),  # how much there is is not known
        (MachineRead(GAMING, 5000.0, 2800.0, 5200.0, own_memory=True), False, 0.75),  # the GPU's is a game's, say
        (MachineRead(GAMING, 12_000.0, 480.0, 5200.0, own_memory=True), False, 1.2),
        (MachineRead(GAMING, 12_000.0, 480.0, 5200.0, own_memory=True), True, 1.5),
        (MachineRead(GPU, 2000.0, 1000.0, None), False, None),
        (MachineRead(GPU, None, None, 6000.0), False, None),
    ],
)
def test_which_memory_counts(machine: MachineRead, on_gpu: bool, share: float | None) -> None:
    found = signs(machine, 5.0, None, on_gpu=on_gpu)
    assert (found.memory_share, found.temperature_c) == (share, 72.0)


class Engine:
    """What the governor asks of one."""

    def __init__(self, sees: bool) -> None:
        self.abilities = Abilities(sees=sees)


@pytest.mark.parametrize(
    ("profile", "sees", "on_gpu", "steps", "told"),
    [
        (GEMMA, True, True, STEPS,
         "for less than that it takes a new start with a smaller model (--profile lite) or the processor alone "
         "(--backend cpu)"),
        (GEMMA, True, False, STEPS, "for less than that it takes a new start with a smaller model (--profile lite)"),
        (LITE, False, False, STEPS[1:], "less than that cannot be"),
    ],
)  # fmt: skip
def test_only_what_makes_a_difference_is_reduced_and_what_is_left_is_said(
    profile: Profile, sees: bool, on_gpu: bool, steps: tuple[str, ...], told: str
) -> None:
    parts = Parts(profile, Engine(sees), None, None, on_gpu=on_gpu)  # type: ignore[arg-type]
    assert steps_of(parts) == steps
    assert advice(parts) == told


def test_the_limits_leave_room_between_trouble_and_calm() -> None:
    assert COOL_C < HOT_C
    assert QUICK_S < 5.0
    assert PACE.between_steps_s < PACE.calm_s < PACE.most_calm_s
