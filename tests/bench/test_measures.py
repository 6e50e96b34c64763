"""From what was found to figures, targets and JSON."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.bench.findings import Findings
from parlor_tui.bench.lines import lines
from parlor_tui.bench.measures import measures, voice_to_voice_target
from parlor_tui.bench.names import SCENARIOS
from parlor_tui.bench.plan import plan
from parlor_tui.bench.report import Measure, Report, Setup, Spread, Target, Turn, as_json
from parlor_tui.bench.shaping import click
from parlor_tui.bench.table import print_table
from parlor_tui.bench.utterances import Utterance
from parlor_tui.events import EagerCount

UTTERANCE = Utterance(lines("question")[0], click(np.random.default_rng(1)))


def turn(v2v_ms: float | None, speech_ms: float = 2500.0) -> Turn:
    stages = {} if v2v_ms is None else {"endpoint": 200.0, "playout": 40.0, "voice_to_voice": v2v_ms - 20}
    return Turn("talk", 1, "question-1", "Why?", "am_puck", speech_ms, "Why?", "So.", "completed", v2v_ms, stages)


def by_key(findings: Findings, target: Target | None = None) -> dict[str, Measure]:
    found = measures(findings, target)
    assert len({measure.key for measure in found}) == len(found)
    return {measure.key: measure for measure in found}


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=40))
def test_percentiles_are_numpys(values: list[float]) -> None:
    spread = Spread.of(values)
    assert spread.n == len(values)
    assert spread.p50 == pytest.approx(np.percentile(values, 50))
    assert spread.p90 == pytest.approx(np.percentile(values, 90))
    assert spread.max == max(values)


def test_a_target_is_met_or_missed_or_neither() -> None:
    def met(value: float | None, target: Target | None, spread: Spread | None = None) -> bool | None:
        return Measure("k", "l", "talk", "ms", spread=spread, value=value, target=target).met

    assert met(900.0, Target(900, "value")) is True
    assert met(900.1, Target(900, "value")) is False
    assert met(95.0, Target(95, "value", at_least=True)) is True
    assert met(94.9, Target(95, "value", at_least=True)) is False
    assert met(None, Target(900), Spread.of([100, 100, 5000])) is True
    assert met(None, Target(900, "max"), Spread.of([100, 100, 5000])) is False
    assert met(None, Target(900), Spread.of([])) is None
    assert met(5.0, None) is None


def test_a_talk_in_figures() -> None:
    findings = Findings(turns=[turn(700), turn(800), turn(1600, 8500.0), turn(None)])
    found = by_key(findings, Target(900))
    assert found["voice_to_voice"].spread == Spread(3, 800.0, 1440.0, 1600.0)
    assert found["voice_to_voice"].met is True
    assert found["voice_to_voice_short"].spread == Spread(2, 750.0, 790.0, 800.0)
    assert found["voice_to_voice_long"].met is False
    assert (found["unanswered"].value, found["unanswered"].of, found["unanswered"].met) == (1.0, 4, False)
    assert found["late_answers"].value == 25.0
    assert found["endpoint"].spread == Spread(3, 200.0, 200.0, 200.0)
    assert "see" not in found
    assert "gaps" not in found  # nothing was told of them


def test_interruptions_words_pauses_echo_and_early_replies_in_figures() -> None:
    findings = Findings(alone_s=120.0, alone_interruptions=1)
    findings.add("barge_in", UTTERANCE, "stopped", True, {"dip": 90, "stop": 200, "next_heard_percent": 100.0})
    findings.add("barge_in", UTTERANCE, "went on", False, {"stop": 2500, "next_heard_percent": 0.0})
    findings.add("false_barge_in", UTTERANCE, "went on", True, {"resumed": 400.0})
    findings.add("false_barge_in", UTTERANCE, "ended the reply", False, {"resumed": 2200.0})
    findings.add("false_barge_in", UTTERANCE, "stayed quiet", False, {"resumed": 2200.0})
    findings.add("false_barge_in", UTTERANCE, "no reply", False)
    for good in (True, True, False):
        findings.add("short_words", UTTERANCE, "found" if good else "missed", good)
    findings.add("short_words_over", UTTERANCE, "found", True)
    for outcome in ("kept together", "joined", "spoke into it", "unanswered"):
        findings.add("pauses", UTTERANCE, outcome, outcome == "kept together")
    findings.eager = EagerCount(at_s=0, hits=3, dropped=1, saved_ms=900, wasted_ms=50)
    found = by_key(findings)
    assert found["barge_stop"].spread == Spread(2, 1350.0, 2270.0, 2500.0)
    assert found["barge_dip"].met is True
    assert found["barge_missed"].value == 1
    assert found["barge_next_heard"].value == 50.0
    assert (found["false_barge_ended"].value, found["false_barge_ended"].met) == (1.0, False)
    assert (found["false_barge_quiet"].value, found["false_barge_quiet"].of) == (1.0, 4)
    assert found["false_barge_resumed"].spread == Spread(3, 2200.0, 2200.0, 2200.0)
    assert (found["false_barge_in_no_reply"].value, found["false_barge_in_no_reply"].met) == (1.0, False)
    assert "barge_in_no_reply" not in found
    assert (found["short_words"].value, found["short_words"].met) == (75.0, False)
    assert found["short_words_over"].met is True
    assert found["pauses_cut"].value == 75
    assert [found[f"pauses_{what}"].value for what in ("joined", "spoken_into", "unanswered")] == [1, 1, 1]
    assert (found["alone_interruptions"].value, found["alone_interruptions"].met) == (0.5, False)
    assert found["alone_turns"].met is True
    assert (found["eager_hits"].value, found["eager_hits"].of) == (3, 4)


def test_too_little_of_it_is_said_beside_the_figure() -> None:
    def notes(tries: int, alone_s: float) -> tuple[str, str]:
        findings = Findings(alone_s=alone_s)
        for _ in range(tries):
            findings.add("pauses", UTTERANCE, "kept together", True)
        found = by_key(findings)
        return found["pauses_cut"].note, found["alone_s"].note

    assert notes(8, 83.0) == ("only 8: 5 % takes 20", "a whole run: 600 s")
    assert notes(20, 600.0) == ("", "")


def test_every_figure_says_what_it_was_read_off() -> None:
    findings = Findings(
        turns=[turn(700)], alone_s=60, eager=EagerCount(at_s=0, hits=1, dropped=1, saved_ms=1, wasted_ms=1)
    )
    values = {"dip": 90.0, "stop": 200.0, "next_heard_percent": 100.0, "resumed": 1.0, "clipped": 0.0}
    for scenario in SCENARIOS:
        findings.add(scenario, UTTERANCE, "as it should be", True, values)
    sources = {key: measure.source for key, measure in by_key(findings).items()}
    for key in (
        "voice_to_voice",
        "unanswered",
        "spoke_early",
        "barge_dip",
        "barge_stop",
        "false_barge_resumed",
        "alone_s",
    ):
        assert sources[key] == "sound", key
    for key in ("endpoint", "playout", "voice_to_voice_told", "barge_next_heard", "false_barge_ended", "short_words"):
        assert sources[key] == "events", key
    for key in ("short_words_over", "clipped", "first_word", "alone_turns", "alone_interruptions", "eager_hits"):
        assert sources[key] == "events", key
    assert sources["pauses_cut"] == "both"


def test_nothing_found_is_no_figure() -> None:
    assert measures(Findings(), Target(900)) == ()


def test_what_is_promised() -> None:
    assert voice_to_voice_target("lite", "", "captions") == Target(900)
    assert voice_to_voice_target("gemma", "m3-pro", "native") == Target(800)
    assert voice_to_voice_target("gemma", "m3-pro", "captions") == Target(600)
    assert voice_to_voice_target("gemma", "", "native") is None


def report(simulated: str = "", *, stopped: bool = False) -> Report:
    setup = Setup(
        "1", "lite", "SmolLM2", "captions", False, "room", simulated, 1, "Linux", 2, None, "2026", 12.34, ("talk",)
    )
    findings = Findings(turns=[turn(700), turn(1000)], alone_s=60)
    return Report(setup, measures(findings, Target(900)), tuple(findings.turns), (), ("a [note]",), stopped)


def test_json_has_every_figure_with_its_target() -> None:
    told = json.loads(as_json(report()))
    first = told["measures"][0]
    assert first["key"] == "voice_to_voice"
    assert first["spread"] == {"n": 2, "p50": 850.0, "p90": 970.0, "max": 1000.0}
    assert (first["met"], first["target_words"], first["unit"]) == (True, "p50 <= 900 ms", "ms")
    assert told["setup"]["took_s"] == 12.3
    assert told["turns"][0]["stages_ms"]["endpoint"] == 200.0
    assert "NaN" not in as_json(report())


def test_the_table_says_what_is_simulated_and_what_was_missed() -> None:
    out = io.StringIO()
    print_table(report("m3-pro", stopped=True), out)
    text = " ".join(out.getvalue().split())
    assert "SIMULATED parlor-tui bench: SmolLM2, hearing: captions" in text
    assert "stand-in room, Linux, 2 cores; stopped early" in text
    assert "voice to voice 2 850 ms 970 1,000 p50 <= 900 ms met" in text
    assert "endpoint * 2 200 ms 200 200" in text
    assert "(a whole run: 600 s)" in text
    assert "*: told by the assistant's own events" in text
    assert "a [note]" in text
    assert max(len(line.rstrip()) for line in out.getvalue().splitlines()) <= 80


def test_plans() -> None:
    everything = plan((), None, quick=False)
    assert [part.scenario for part in everything] == [name for name in SCENARIOS if name != "eager"]
    for part in everything:
        assert len(part.said) == (0 if part.scenario == "echo_alone" else part.count)
    talk = everything[0].said
    assert {line.kind for line in talk} == {"question", "long_question"}
    assert len({line.voice for line in talk}) >= 4
    assert [part.count for part in plan(("pauses", "talk"), 3, quick=True)] == [3, 3]
    assert len(plan(("talk",), 500, quick=False)[0].said) == 500
    assert sum(part.count for part in plan((), None, quick=True)) < 10


def test_a_whole_run_has_ten_minutes_of_replies_and_twenty_pauses() -> None:
    whole = {part.scenario: part for part in plan((), None, quick=False)}
    assert whole["echo_alone"].sounding_s == 600
    assert whole["echo_alone"].told == "600 s of replies"
    assert whole["pauses"].told == "20 to do"
    assert len({(line.text, line.voice) for line in whole["pauses"].said}) == 20
    assert {part.sounding_s for part in whole.values() if part.scenario != "echo_alone"} == {math.inf}
    for short in (plan(("echo_alone",), 3, quick=False), plan(("echo_alone",), None, quick=True)):
        assert short[0].count in (3, 8)
        assert short[0].sounding_s == math.inf
