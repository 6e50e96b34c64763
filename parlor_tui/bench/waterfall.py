"""Pictures of where a turn's time went, as inline SVG on one scale. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parlor_tui.bench.html_values import in_ms
from parlor_tui.bench.markup import Markup, element
from parlor_tui.bench.report import TURN_MARKS, Spread, Turn
from parlor_tui.observe.stages import STAGES

COLOURS: Mapping[str, str] = {
    "endpoint": "#56b4e9",
    "hear": "#e69f00",
    "see": "#009e73",
    "first_token": "#f0e442",
    "first_sentence": "#0072b2",
    "first_audio": "#d55e00",
    "playout": "#cc79a7",
}
"""Okabe and Ito's: told apart with every kind of colour vision, on light and on dark."""
UNKNOWN = "not in the stages"
_UNKNOWN_COLOUR = "#8a8f98"

_WIDTH = 1000
_BAR = 20
_ROW = 30
_LONGEST_GOALS = 4
"""A bar of more than so many goals is cut off at the edge, lest one slow turn make all others too short to read."""
_STEPS_MS = (100, 200, 250, 500, 1000, 2000, 5000, 10_000)


@dataclass(frozen=True, slots=True)
class Scale:
    """From 0 to `end_ms` across a picture."""

    end_ms: float
    goal_ms: float

    @classmethod
    def of(cls, values_ms: Iterable[float], goal_ms: float) -> Scale:
        """A scale that shows `values_ms` and the goal, with the exception of far outliers."""
        longest = max([goal_ms * 1.15, *(value for value in values_ms if math.isfinite(value))])
        return cls(min(longest, goal_ms * _LONGEST_GOALS) * 1.04, goal_ms)

    def x(self, ms: float) -> float:
        """Where `ms` is, within the picture."""
        return round(min(max(ms / self.end_ms, 0.0), 1.0) * _WIDTH, 1)

    def ticks_ms(self) -> list[int]:
        """Five to ten round values."""
        step = next((step for step in _STEPS_MS if self.end_ms / step <= 8), _STEPS_MS[-1])
        return list(range(0, int(self.end_ms) + 1, step))


@dataclass(frozen=True, slots=True)
class Row:
    """What one bar shows. `whole_ms`: how long it is; what the stages do not account for is shown as that."""

    label: str
    stages_ms: Mapping[str, float]
    whole_ms: float
    marks_ms: Mapping[str, float]

    @classmethod
    def of(cls, turn: Turn) -> Row:
        """A turn, as long as the recordings say; where they say nothing, as its stages do."""
        whole_ms = turn.voice_to_voice_ms
        if whole_ms is None:
            whole_ms = sum(turn.stages_ms.get(stage, 0.0) for stage in STAGES)
        return cls(f"turn {turn.number}", turn.stages_ms, whole_ms, turn.marks_ms)

    @property
    def begin_ms(self) -> float:
        """When the stages begin: where the assistant took the user's speech to end, which may be sooner or later."""
        heard_ms = self.marks_ms.get("audio_started")
        return 0.0 if heard_ms is None else heard_ms - sum(self.stages_ms.get(stage, 0.0) for stage in STAGES)

    @property
    def is_accounted_for(self) -> bool:
        """Whether the stages are all of it."""
        sum_ms = sum(self.stages_ms.get(stage, 0.0) for stage in STAGES)
        return self.begin_ms < 1 and self.whole_ms - self.begin_ms - sum_ms < 1


def bar(row: Row, scale: Scale) -> Markup:
    """The stages one after the other, moments of the turn as ticks below, the goal as a line."""
    shapes: list[Markup] = []
    begin_ms = at_ms = row.begin_ms
    if begin_ms >= 1:
        shapes.append(_piece(UNKNOWN, _UNKNOWN_COLOUR, 0.0, begin_ms, scale))
    for stage in STAGES:
        took_ms = row.stages_ms.get(stage, 0.0)
        if took_ms > 0:
            shapes.append(_piece(stage.replace("_", " "), COLOURS[stage], at_ms, took_ms, scale))
            at_ms += took_ms
    if row.whole_ms - at_ms >= 1:
        shapes.append(_piece(UNKNOWN, _UNKNOWN_COLOUR, at_ms, row.whole_ms - at_ms, scale))
    for mark in TURN_MARKS:
        if 0 <= row.marks_ms.get(mark, -1.0) <= scale.end_ms:
            title = f"{mark.replace('_', ' ')} at {row.marks_ms[mark]:.0f} ms"
            shapes.append(_line(scale.x(row.marks_ms[mark]), _BAR + 2, _ROW, "mark", title))
    shapes.append(_goal(scale, _ROW))
    return _picture(shapes, _ROW, f"{row.label}: {row.whole_ms:.0f} ms", "bar")


def rows(shown: Iterable[tuple[str, Row]], scale: Scale) -> Markup:
    """Bars on one scale, each with what it is before it and its length behind it."""
    cells: list[Markup] = []
    for label, row in shown:
        over = " ▸" if row.whole_ms > scale.end_ms else ""
        cells += [
            element("div", label, class_="name"),
            bar(row, scale),
            element("div", f"{in_ms(row.whole_ms)}{over}", class_="value"),
        ]
    return element("div", *cells, axis(scale), class_="rows")


def strip(turns: Sequence[Turn], spread: Spread, scale: Scale) -> Markup:
    """Every turn's voice_to_voice as a line on one strip, the median and the 90th percentile longer."""
    shapes = [
        _line(scale.x(turn.voice_to_voice_ms), 14, 36, "dot", f"turn {turn.number}: {turn.voice_to_voice_ms:.0f} ms")
        for turn in turns
        if turn.voice_to_voice_ms is not None
    ]
    for name, value_ms in (("p50", spread.p50), ("p90", spread.p90)):
        if math.isfinite(value_ms):
            shapes.append(_line(scale.x(value_ms), 2, 48, name, f"{name}: {value_ms:.0f} ms"))
    shapes.append(_goal(scale, 50))
    return _picture(shapes, 50, f"voice to voice of {spread.n} turns", "strip")


def axis(scale: Scale) -> Markup:
    """The scale in numbers, to stand over or under pictures of the same width."""
    labels = [
        element("span", f"{tick / 1000:g} s", style=f"left:{scale.x(tick) / _WIDTH * 100:.2f}%")
        for tick in scale.ticks_ms()
    ]
    return element("div", *labels, class_="axis", aria_hidden="true")


def legend(stages: Iterable[str]) -> Markup:
    """Which colour is which stage."""
    shown = [(stage, COLOURS.get(stage, _UNKNOWN_COLOUR)) for stage in stages]
    return element(
        "p",
        *(
            element("span", element("i", style=f"background:{colour}"), stage.replace("_", " "))
            for stage, colour in shown
        ),
        class_="legend",
    )


def _piece(name: str, colour: str, at_ms: float, took_ms: float, scale: Scale) -> Markup:
    left = scale.x(at_ms)
    width = round(scale.x(at_ms + took_ms) - left, 1)
    title = element("title", f"{name}: {took_ms:.0f} ms")
    return element("rect", title, x=left, y=0, width=width, height=_BAR, fill=colour, class_="piece")


def _line(x: float, top: float, bottom: float, kind: str, title: str) -> Markup:
    return element(
        "line", element("title", title), x1=x, x2=x, y1=top, y2=bottom, class_=kind, vector_effect="non-scaling-stroke"
    )


def _goal(scale: Scale, height: float) -> Markup:
    return _line(scale.x(scale.goal_ms), 0, height, "goal", f"goal: {scale.goal_ms:.0f} ms")


def _picture(shapes: Iterable[Markup], height: float, label: str, kind: str) -> Markup:
    return element(
        "svg",
        *shapes,
        viewBox=f"0 0 {_WIDTH} {height:g}",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
        class_=kind,
        height=f"{height:g}",
    )
