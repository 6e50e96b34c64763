"""The part of the report that sets a simulated run beside Parlor v1. Pure."""

from __future__ import annotations

from typing import Literal

from parlor_tui.bench import waterfall
from parlor_tui.bench.costs.compare import QUESTIONS_S, compared
from parlor_tui.bench.costs.costs import ASSUMED
from parlor_tui.bench.costs.parlor_v1 import PUBLISHED, V2_SILENCE_S
from parlor_tui.bench.markup import Markup, element, joined, table
from parlor_tui.bench.report import Report, Turn
from parlor_tui.settings import Hearing


def comparison(report: Report, goal_ms: float) -> Markup:
    """Parlor v1 and the best case beside what was measured, on one scale."""
    hearing: Literal["native", "captions"] = "captions" if report.setup.hearing == "captions" else "native"
    cases = compared(hearing, camera=report.setup.camera, settings=Hearing())
    rows = [(case.label, waterfall.Row(case.label, case.stages_ms, case.whole_ms, {})) for case in cases]
    for question_s, turn in _median_turns(report).items():
        label = f"measured here, median turn of about {question_s:g} s"
        rows.append((label, waterfall.Row.of(turn)))
    scale = waterfall.Scale.of((row.whole_ms for _, row in rows), goal_ms)
    scale = waterfall.Scale(max(scale.end_ms, max(case.whole_ms for case in cases) * 1.04), goal_ms)
    published = [
        [case.question, f"{case.v1:g} s", f"{case.v2[0]:g}–{case.v2[1]:g} s", f"+ {V2_SILENCE_S:g} s"]
        for case in PUBLISHED
    ]
    return joined(
        (
            element("h2", "Beside Parlor v1, on the same costs"),
            element("p", "Parlor v1's steps, one after the other, with the same times for the same work; and the best "
                    "that this pipeline could do with the default settings, if nothing but that work took any time.",
                    class_="soft"),
            waterfall.rows(rows, scale),
            element("h3", "Published for Parlor v1 and Parlor v2"),
            table(["", "Parlor v1", "Parlor v2", "v2's wait for silence"], published),
            element("h3", "Taken for granted"),
            element("ul", *(element("li", line) for line in ASSUMED)),
        )
    )  # fmt: skip


def _median_turns(report: Report) -> dict[float, Turn]:
    """By the length (s) of the questions that were compared, the turn in the middle of those of about that length."""
    found: dict[float, list[tuple[float, Turn]]] = {}
    for turn in report.turns:
        if turn.scenario == "talk" and turn.voice_to_voice_ms is not None:
            nearest = min(QUESTIONS_S, key=lambda question_s: abs(question_s - turn.speech_ms / 1000))
            found.setdefault(nearest, []).append((turn.voice_to_voice_ms, turn))
    middle = {length: sorted(turns, key=lambda each: each[0])[(len(turns) - 1) // 2] for length, turns in found.items()}
    return {length: middle[length][1] for length in sorted(middle)}
