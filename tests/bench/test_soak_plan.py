"""What a soak does, from a seed; and what it makes of how values moved."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.bench.soak.fits import MOST_POINTS, Drift, slope_per_hour
from parlor_tui.bench.soak.kinds import KINDS
from parlor_tui.bench.soak.names import FAULTS
from parlor_tui.bench.soak.plan import CALM_FIRST, MOMENTS, Plan
from parlor_tui.bench.soak.sampling import SETTLED_S, WARM_S, Memory, Sample

SEEDS = st.integers(0, 2**32)
NAMES = st.lists(st.sampled_from(FAULTS), unique=True, min_size=1)


@given(SEEDS, NAMES)
def test_a_seed_is_a_plan_in_which_every_fault_happens_as_often_as_the_others(seed: int, names: list[str]) -> None:
    plans = [Plan(seed, names) for _ in range(2)]
    steps = [[plan.step() for _ in range(40)] for plan in plans]
    assert steps[0] == steps[1]
    faults = [plans[0].fault(lambda _: True) for _ in range(len(names) * 3 - 1)]
    counts = Counter(faults)
    assert None not in counts
    assert set(counts) <= set(names)
    assert max(counts.values()) - min(counts[name] for name in names) <= 1


@given(SEEDS)
def test_faults_come_in_every_second_step_at_every_moment_and_never_while_nobody_speaks(seed: int) -> None:
    plan = Plan(seed, FAULTS)
    made = [plan.step() for _ in range(CALM_FIRST + 200)]
    disturbed = [step for step in made if step.disturbed]
    assert not any(step.disturbed for step in made[:CALM_FIRST])
    assert len(disturbed) == 100
    assert {step.moment for step in disturbed} == set(MOMENTS)
    assert not any(step.act == "type" and step.moment == "spoken" for step in made)
    assert {step.act for step in made if not step.disturbed} == {"ask", "pause", "type", "over", "key"}
    assert all(0 <= step.share <= 1 and step.gap_s >= 0 for step in made)


@given(SEEDS, st.integers(1, 30))
def test_what_does_not_fit_now_keeps_its_turn(seed: int, count: int) -> None:
    plan = Plan(seed, ("core-kill", "mic-lost"))
    found = [plan.fault(lambda name: name != "core-kill") for _ in range(count)]
    assert found.count("mic-lost") == 1, "no more before the other had its turn"
    assert plan.fault(lambda _: True) == "core-kill"


def test_a_plan_without_faults_disturbs_nothing() -> None:
    plan = Plan(1, ())
    assert not any(plan.step().disturbed for _ in range(20))
    assert plan.fault(lambda _: True) is None


def test_every_fault_is_told_by_a_trouble_of_a_name_but_sleep_which_is_none() -> None:
    assert tuple(KINDS) == FAULTS
    assert [kind.name for kind in KINDS.values() if not kind.key] == ["suspend"]


@given(
    st.floats(-500, 500),
    st.floats(0, 1000),
    st.lists(st.tuples(st.integers(0, 59), st.floats(-1e5, 1e5)), max_size=12, unique_by=lambda one: one[0]),
)
def test_a_slope_is_found_whatever_a_tenth_of_the_values_does(
    per_hour: float, first: float, wrong: list[tuple[int, float]]
) -> None:
    points = [(60.0 * number, first + per_hour * number / 60) for number in range(60)]
    exact = slope_per_hour(points)
    assert exact == pytest.approx(per_hour, abs=1e-3)
    for place, value in wrong:
        points[place] = (points[place][0], value)
    found = slope_per_hour(points)
    assert found is not None
    if per_hour == 0:
        assert found == pytest.approx(0, abs=1e-3)
    assert len(wrong) > 6 or found == pytest.approx(per_hour, abs=abs(per_hour) * 0.5 + 1e-3)


@given(st.integers(MOST_POINTS, 20 * MOST_POINTS))
def test_a_slope_of_very_many_points_takes_no_longer(count: int) -> None:
    found = slope_per_hour([(float(number), 3.0 * number) for number in range(count)])
    assert found == pytest.approx(3.0 * 3600)


def test_of_too_few_points_nothing_is_told() -> None:
    assert slope_per_hour([]) is None
    assert slope_per_hour([(1.0, 2.0)] * 20) is None, "all at one time"
    assert Drift.of([(0.0, 1.0), (1.0, 2.0)]) == Drift(2, None, None, None)
    assert Drift.of([(float(n), float(n)) for n in range(9)]) == Drift(9, 1.0, 7.0, pytest.approx(3600.0))


def test_memory_is_told_of_what_is_warm_and_of_cores_at_the_same_age() -> None:
    samples = [
        Sample(
            at_s=2.0 * number,
            terminal_mb=500.0 if number < WARM_S / 2 else 100.0,
            threads=10 + number // 100,
            files=20,
            core_pid=1 if number < 60 else 2,
            core_mb=800.0 + 2 * number if number < 60 else 700.0,
        )
        for number in range(120)
    ]
    memory = Memory.of(samples)
    assert (memory.terminal.first_mb, memory.terminal.mb_per_hour) == (100.0, 0.0)
    assert memory.core.mb_per_hour == pytest.approx(3600.0)
    assert memory.cores_mb == (800.0 + 2 * round(SETTLED_S / 2), 700.0)
    assert (memory.threads, memory.files) == ((10, 11), (20, 20))
    assert Memory.of([]).terminal.first_mb is None
