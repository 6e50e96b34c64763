"""What the core's figures say, read as Prometheus reads them."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from parlor_tui.counts import Count
from parlor_tui.events import (
    CoreError,
    CoreGoverned,
    EagerDropped,
    MachineRead,
    Reading,
    ReplyCreated,
    ReplyDone,
    Usage,
)
from parlor_tui.observe.metrics import BUCKETS_S, Levels, Metrics
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE
from parlor_tui.observe.terminal_totals import TerminalTotals
from parlor_tui.observe.turn_report import TerminalCounts, TurnReport
from tests.prometheus import ASSETS, metrics_in, promtool, queries
from tests.readings import RTX_4070

LEVELS = Levels("lite", "SmolLM2-135M", ready=True, uptime_s=12.5)
MACHINE = MachineRead(
    replace(RTX_4070, gpu_temperature_c=91.0, throttled=True),
    core_mb=816.0,
    children_mb=0.0,
    budget_mb=8371.0,
    own_memory=True,
)


def read(metrics: Metrics) -> dict[str, float]:
    """Every sample by its name and labels, as one writes them in a query."""
    samples: dict[str, float] = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            samples[sample.name + (f"{{{labels}}}" if labels else "")] = sample.value
    return samples


def of(levels: Levels = LEVELS) -> Metrics:
    return Metrics(lambda: levels)


def test_before_the_first_turn_every_count_is_there_and_zero() -> None:
    found = read(of())
    for stage in STAGES:
        assert found[f'parlor_stage_seconds_count{{stage="{stage}"}}'] == 0
    for name in (
        "parlor_voice_to_voice_seconds_count",
        "parlor_requests_total",
        'parlor_errors_total{kind="reply"}',
        'parlor_turns_total{status="failed"}',
        'parlor_barge_ins_total{by="voice"}',
        'parlor_xruns_total{device="microphone"}',
        'parlor_lost_total{what="clients_cut_off"}',
        'parlor_eager_replies_total{outcome="hit"}',
    ):
        assert found[name] == 0, name
    assert not any(name.partition("{")[0].endswith("_created") for name in found)


def test_a_turn_is_told_in_seconds_and_falls_into_its_bucket() -> None:
    metrics = of()
    metrics.turn_over(TurnReport(1, "completed", {"first_token": 120.0, VOICE_TO_VOICE: 4000.0}, buffered_ms=310.0))
    metrics.turn_over(TurnReport(2, "completed", {"first_token": 40.0, VOICE_TO_VOICE: 12_000.0}))
    found = read(metrics)
    assert found['parlor_stage_seconds_sum{stage="first_token"}'] == pytest.approx(0.16)
    assert found['parlor_stage_seconds_bucket{le="0.05",stage="first_token"}'] == 1
    assert found['parlor_stage_seconds_bucket{le="0.1",stage="first_token"}'] == 1
    assert found['parlor_stage_seconds_bucket{le="0.15",stage="first_token"}'] == 2
    assert found['parlor_voice_to_voice_seconds_bucket{le="3.0"}'] == 0
    assert found['parlor_voice_to_voice_seconds_bucket{le="4.0"}'] == 1
    assert found['parlor_voice_to_voice_seconds_bucket{le="10.0"}'] == 1
    assert found['parlor_voice_to_voice_seconds_bucket{le="+Inf"}'] == 2
    assert found['parlor_turns_total{status="completed"}'] == 2
    assert found["parlor_jitter_buffer_seconds"] == pytest.approx(0.31)


def test_the_buckets_have_edges_where_alerts_and_goals_are() -> None:
    assert {0.05, 0.8, 4.0, 10.0} <= set(BUCKETS_S)
    assert list(BUCKETS_S) == sorted(BUCKETS_S)
    assert all(high / low <= 2 for low, high in itertools.pairwise(BUCKETS_S))


def test_what_a_terminal_saw_is_counted_by_its_kind() -> None:
    metrics = of()
    metrics.turn_over(
        TurnReport(
            1,
            "interrupted",
            interrupted_by="voice",
            false_interruptions=2,
            underruns=3,
            overruns=4,
        )
    )
    metrics.turn_over(TurnReport(2, "failed"))
    metrics.turn_over(TurnReport(3, "failed"))
    found = read(metrics)
    assert found['parlor_barge_ins_total{by="voice"}'] == 1
    assert found["parlor_false_interruptions_total"] == 2
    assert found['parlor_xruns_total{device="speaker"}'] == 3
    assert found['parlor_xruns_total{device="microphone"}'] == 4
    assert found['parlor_turns_total{status="failed"}'] == 2
    assert found["parlor_requests_total"] == 0


OF_TERMINALS = (
    "parlor_core_deaths_total",
    'parlor_errors_total{kind="core_lost"}',
    'parlor_lost_total{what="inbox_blocks_lost"}',
)


def test_what_terminals_lost_is_there_once_the_first_told_it_and_counts_on_with_the_next_core() -> None:
    def told(deaths: int, turns: int, blocks: int, terminal: str = "a") -> TerminalCounts:
        return TerminalCounts(terminal, {"cores_died": deaths, "turns_lost": turns, "inbox_blocks_lost": blocks})

    first = of()
    assert not set(OF_TERMINALS) & read(first).keys()
    first.terminal_counted(told(0, 0, 0))
    assert [read(first)[name] for name in OF_TERMINALS] == [0, 0, 0]
    first.terminal_counted(told(0, 0, 3))
    third = of()  # the second died before anybody read it, and with it what it had been told
    third.terminal_counted(told(2, 1, 4))
    third.terminal_counted(told(2, 1, 4))  # the link was cut: the same core is told once more
    third.terminal_counted(told(0, 0, 5, "b"))
    assert [read(third)[name] for name in OF_TERMINALS] == [2, 1, 9]


def test_everything_that_is_counted_has_its_figure_and_just_one() -> None:
    metrics = of(replace(LEVELS, counted={str(what): 10 + number for number, what in enumerate(Count)}))
    metrics.terminal_counted(TerminalCounts("a", {str(what): 10 + number for number, what in enumerate(Count)}))
    found = read(metrics)
    shown = {f'parlor_lost_total{{what="{what}"}}': what for what in Count}
    shown |= {'parlor_errors_total{kind="core_lost"}': Count.TURNS_LOST, "parlor_core_deaths_total": Count.CORES_DIED}
    told = {shown[name]: value for name, value in found.items() if name in shown}
    assert told == {what: 10 + number for number, what in enumerate(Count)}
    assert len([name for name in found if name in shown]) == len(Count)


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from(["cores_died", "turns_lost"]), st.integers(1, 5)), max_size=40
    ),
    st.integers(1, 4),
)
def test_sums_of_terminals_never_fall_and_none_is_counted_twice_while_it_is_known(
    happened: list[tuple[int, str, int]], most: int
) -> None:
    totals, few = TerminalTotals(), TerminalTotals(most)
    counted: dict[int, Counter[str]] = {}
    before: Counter[str] = Counter()
    for terminal, what, more in happened:
        counted.setdefault(terminal, Counter())[what] += more
        for _ in range(2):
            totals.told(TerminalCounts(str(terminal), dict(counted[terminal])))
            few.told(TerminalCounts(str(terminal), dict(counted[terminal])))
        assert totals.sums() == sum(counted.values(), Counter())
        now = few.sums()
        assert now is not None
        assert now >= before
        assert now >= (totals.sums() or Counter())
        before = now
    assert (totals.sums() is None) == (not happened)


def test_what_the_core_does_is_counted_and_a_cancel_that_came_late_is_no_error() -> None:
    metrics = of()
    for event in (
        ReplyCreated("r1", "i1", 1),
        ReplyDone("r1", "i1", 1, "completed", "Yes.", "", Usage(100, 21, 60, 500.0)),
        ReplyCreated("r2", "i2", 2, eager_ms=300.0),
        ReplyDone("r2", "i2", 2, "failed", "", "the model broke"),
        ReplyCreated("r3", "i3", 3),
        ReplyDone("r3", "i3", 3, "cancelled", "", "no_words", Usage(output_tokens=1)),
        EagerDropped(4, 80.0),
        CoreGoverned(2, ("hot",)),
        CoreError("response_cancel_not_active", "no such reply is being made"),
        CoreError("input_audio_buffer_full", "too long"),
        CoreError("invalid_value", "bad"),
    ):
        metrics.core_said(event)
    found = read(metrics)
    assert found["parlor_requests_total"] == 3
    assert found['parlor_replies_total{status="completed"}'] == 1
    assert found['parlor_replies_total{status="no_words"}'] == 1
    assert found['parlor_errors_total{kind="reply"}'] == 1
    assert found['parlor_errors_total{kind="invalid_value"}'] == 1
    assert found['parlor_errors_total{kind="input_audio_buffer_full"}'] == 1
    assert 'parlor_errors_total{kind="response_cancel_not_active"}' not in found
    assert found['parlor_eager_replies_total{outcome="hit"}'] == 1
    assert found['parlor_eager_replies_total{outcome="dropped"}'] == 1
    assert found["parlor_governor_level"] == 2
    assert found['parlor_tokens_total{kind="output"}'] == 22
    assert found['parlor_tokens_total{kind="cached"}'] == 60
    assert found["parlor_tokens_per_second"] == pytest.approx(40)  # of the last reply of which it is known


def test_the_machine_is_told_in_base_units_and_what_is_unknown_is_left_out() -> None:
    found = read(of(replace(LEVELS, machine=MACHINE, terminals=2, replying=1, queued={"requests": 3})))
    assert found["parlor_gpu_utilisation_ratio"] == pytest.approx(0.71)
    assert found["parlor_gpu_memory_used_bytes"] == 5.1e9
    assert found["parlor_gpu_temperature_celsius"] == 91
    assert found["parlor_gpu_power_watts"] == 118
    assert found["parlor_throttled"] == 1
    assert found['parlor_process_resident_bytes{process="core"}'] == 8.16e8
    assert found["parlor_terminals"] == 2
    assert found["parlor_concurrent_requests"] == 1
    assert found['parlor_queue_length{queue="requests"}'] == 3
    assert found["parlor_uptime_seconds"] == 12.5
    known = {name for name in found if name.startswith(("parlor_gpu", "parlor_cpu", "parlor_throttled"))}
    bare = read(of(replace(LEVELS, machine=MachineRead(Reading(cpu_percent=0.0)))))
    assert {name for name in known if name in bare} == {"parlor_cpu_utilisation_ratio"}
    assert bare["parlor_cpu_utilisation_ratio"] == 0
    unseen = read(of(replace(LEVELS, machine=None)))  # not yet, or not any more
    assert not [name for name in unseen if name in known or "memory" in name or "resident" in name]
    assert not any(name.startswith("parlor_process_resident_bytes") for name in bare)
    assert "parlor_tokens_per_second" not in bare
    assert "parlor_jitter_buffer_seconds" not in bare


def test_no_figure_is_anything_but_a_number() -> None:
    assert all(math.isfinite(value) for value in read(of(replace(LEVELS, machine=MACHINE))).values())


def test_what_runs_is_named_whatever_its_name() -> None:
    found = read(of(replace(LEVELS, model='a "model"\\of\nmine', ready=False)))
    assert found["parlor_ready"] == 0
    (info,) = (name for name in found if name.startswith("parlor_info"))
    assert 'model="a "model"\\of\nmine"' in info


def test_every_metric_of_the_dashboard_and_the_alerts_exists() -> None:
    metrics = of(replace(LEVELS, machine=MACHINE, queued={"requests": 0}))
    metrics.core_said(ReplyDone("r1", "i1", 1, "completed", "Yes.", "", Usage(100, 21, 60, 500.0)))
    metrics.turn_over(TurnReport(1, "completed", buffered_ms=1.0))
    metrics.terminal_counted(TerminalCounts("a", {}))
    there = {name.partition("{")[0] for name in read(metrics)}
    asked = [query for panel in queries().values() for query in panel]
    asked.append((ASSETS / "alerts.yml").read_text(encoding="utf-8"))
    assert len(asked) > 30
    assert {name for query in asked for name in metrics_in(query)} <= there


def test_the_dashboard_is_laid_out_without_overlaps_and_each_panel_has_a_number() -> None:
    panels = json.loads((ASSETS / "grafana.json").read_text(encoding="utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells
        assert all(panel["title"] and target["expr"] for target in panel.get("targets", []))


def test_promtool_finds_nothing_wrong_with_the_alerts() -> None:
    assert "3 rules found" in promtool("check", "rules", ASSETS / "alerts.yml")


def test_the_alerts_fire_when_they_should_and_not_otherwise() -> None:
    assert "SUCCESS" in promtool("test", "rules", Path(__file__).with_name("alerts_test.yml"))
