"""A report of everything that can stand in one, and one of as good as nothing."""

from __future__ import annotations

import math
from dataclasses import replace

from parlor_tui.bench.report import Measure, Report, Setup, Spread, Target, Trial, Turn

NASTY = "<script>alert('x')</script> & \"quoted\""

SETUP = Setup(
    version="0.1.0",
    profile="lite",
    model="SmolLM2-135M",
    hearing="captions",
    camera=False,
    devices="room",
    simulated="",
    seed=1,
    machine="x86_64, Linux 6.1",
    cores=2,
    load_before=0.25,
    began_utc="2026-01-02 03:04",
    took_s=321.5,
    scenarios=("talk", "barge_in"),
)


def a_turn(number: int, *, said: str = "What is the capital of France?", slow: float = 1.0, hit: bool = True) -> Turn:
    stages = {
        "endpoint": 220.0,
        "hear": 20.0 * slow,
        "first_token": 110.0 * slow,
        "first_sentence": 90.0 * slow,
        "first_audio": 300.0 * slow,
        "playout": 45.0,
    }
    whole = sum(stages.values())
    marks = {"speech_started": -2500.0, "paused": 100.0, "committed": 220.0, "caption": 240.0 * slow, "audible": whole}
    return Turn(
        scenario="talk",
        number=number,
        utterance=f"q{number}",
        said=said,
        voice="af_heart",
        speech_ms=2400,
        caption=said,
        reply="Paris, I think.",
        status="completed",
        voice_to_voice_ms=whole + 12,
        stages_ms=stages | {"voice_to_voice": whole},
        marks_ms=marks,
        eager="hit" if hit else "dropped",
    )


def full_report() -> Report:
    slow = (1.0, 1.2, 0.9, 1.1, 1.6, 1.0, 0.8, 2.1, 9.0, 1.0)
    turns = [a_turn(number, slow=factor, hit=number != 4) for number, factor in enumerate(slow, 1)]
    turns[2] = a_turn(3, said=NASTY)
    turns.append(replace(a_turn(11), voice_to_voice_ms=None, stages_ms={}, marks_ms={}, status="unanswered", eager=""))
    v2v = Spread.of(turn.voice_to_voice_ms for turn in turns if turn.voice_to_voice_ms is not None)
    never, all_found = Target(0, "value"), Target(95, "value", at_least=True)
    dip, stop = Spread(6, 96, 110, 118), Spread(6, 228.4, 262, 291)
    measures = (
        Measure("voice_to_voice", "voice to voice", "talk", "ms", spread=v2v, target=Target(900)),
        Measure("unanswered", "unanswered", "talk", "count", value=1.0, of=11, target=never),
        Measure("barge_dip", "a voice over a reply: quieter", "barge_in", "ms", dip, target=Target(120)),
        Measure("barge_stop", "  silent", "barge_in", "ms", stop, target=Target(250)),
        Measure("short_words", "words found", "short_words", "%", value=91.7, of=24, target=all_found),
        Measure("resumed", "  as loud again", "false_barge_in", "ms", Spread.of([]), target=Target(1000, "max")),
        Measure(
            "alone_turns",
            "  answered itself",
            "echo_alone",
            "per min",
            value=0.0,
            target=never,
            source="events",
            note="of 83 s",
        ),
    )
    values = {"dip": 96.0, "stop": 228.4, "next_heard_percent": 100.0}
    trials = (
        Trial("barge_in", "q4", "How are you?", "am_adam", "stopped", True, values),
        Trial("false_barge_in", "cough", "", "", NASTY, False, {"dip": math.nan}),
    )
    return Report(SETUP, measures, tuple(turns), trials, ("the machine was busy", NASTY))


def simulated_report() -> Report:
    report = full_report()
    setup = replace(SETUP, simulated="m3-pro", profile="gemma", hearing="native", camera=True)
    aim = Measure(
        "voice_to_voice", "voice to voice", "talk", "ms", spread=report.measures[0].spread, target=Target(800)
    )
    return replace(report, setup=setup, measures=(aim, *report.measures[1:]), stopped=True)


def empty_report() -> Report:
    return Report(SETUP, (), (), ())
