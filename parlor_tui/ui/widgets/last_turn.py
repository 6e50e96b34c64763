"""Where the time of the last turn went."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE

SCALES_MS = (100, 250, 500, 1000, 2000, 5000, 10000, 30000, 60000)
"""What a full bar may mean: few steps, so that the bars of one turn and the next can be compared."""
DASH = "\N{EN DASH}"
NAME_CELLS = max(map(len, STAGES)) + 2
NUMBER_CELLS = 6
EIGHTHS = " ▏▎▍▌▋▊▉"
STAGE_SHADES = "█▓▒░█▓▒"


def scale_ms(stages_ms: Mapping[str, float]) -> float:
    """The length of a full bar: the first of `SCALES_MS` that holds the longest stage."""
    longest = max((stages_ms[name] for name in STAGES if name in stages_ms), default=0.0)
    return next((float(step) for step in SCALES_MS if step >= longest), longest)


def bar(value_ms: float, full_ms: float, cells: int) -> str:
    """`value_ms` as a bar, to an eighth of a cell; never invisible if there was any time at all."""
    eighths = round(max(value_ms, 0.0) / full_ms * cells * 8) if full_ms > 0 else 0
    eighths = min(max(eighths, 1 if value_ms > 0 else 0), cells * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "")


def stage_lines(stages_ms: Mapping[str, float], width: int) -> list[Content]:
    """One line a stage: name, bar on the common scale, ms. A stage that did not happen is a dash."""
    full = scale_ms(stages_ms)
    cells = max(width - NAME_CELLS - NUMBER_CELLS, 1)
    lines = []
    for index, name in enumerate(STAGES):
        value = stages_ms.get(name)
        drawn = bar(value, full, cells) if value is not None else ""
        number = f"{value:.0f}" if value is not None else DASH
        lines.append(
            Content.assemble(
                (f"{name:<{NAME_CELLS}}", "" if value is not None else "dim"),
                (f"{drawn:<{cells}}", stage_colour(index)),
                (f"{number:>{NUMBER_CELLS}}", "" if value is not None else "dim"),
            )
        )
    return lines


def stacked_lines(stages_ms: Mapping[str, float], width: int, eager_ms: float = 0.0) -> list[Content]:
    """Two lines: the stages end to end with the total, and their names with their ms."""
    total = total_text(stages_ms)
    if eager_ms:
        total = f"{eager_text(eager_ms)} · {total}"
    head = "last turn " if width >= 40 else ""
    cells = max(width - len(head) - len(total) - 1, 1)
    times = [max(stages_ms.get(name, 0.0), 0.0) for name in STAGES]
    parts: list[str | tuple[str, str]] = [(head, "dim")]
    drawn, passed_ms, sum_ms = 0, 0.0, sum(times)
    for index, value_ms in enumerate(times):
        passed_ms += value_ms
        end = round(passed_ms / sum_ms * cells) if sum_ms else 0
        parts.append((STAGE_SHADES[index] * (end - drawn), stage_colour(index)))
        drawn = end
    parts += [" " * (cells - drawn + 1), total]
    return [Content.assemble(*parts), _legend(stages_ms, width)]


def _legend(stages_ms: Mapping[str, float], width: int) -> Content:
    """Every stage with its ms; where that is too long, without `first_`, then without dashes, then cut."""
    named = [(name, stages_ms.get(name)) for name in STAGES]
    short = [(name.removeprefix("first_"), value) for name, value in named]
    present = [(name, value) for name, value in short if value is not None]
    content = Content("")
    for choice in (named, short, present):
        content = Content("  ").join(
            Content.assemble((f"{name} ", "dim"), f"{value:.0f}" if value is not None else DASH)
            for name, value in choice
        )
        if content.cell_length <= width:
            return content
    return content.truncate(width, ellipsis=True)


def stage_colour(index: int) -> str:
    """The style of a stage's bar: two in turn, so that neighbours can be told apart."""
    return "$stage-even" if index % 2 == 0 else "$stage-odd"


def total_text(stages_ms: Mapping[str, float]) -> str:
    """The total, or a dash for a turn that was not answered aloud."""
    total = stages_ms.get(VOICE_TO_VOICE)
    return f"voice to voice {total:.0f} ms" if total is not None else f"voice to voice {DASH}"


def eager_text(eager_ms: float) -> str:
    """By how much earlier than it was asked for the reply had begun."""
    return f"eager -{eager_ms:.0f} ms"


class LastTurn(Widget):
    """Bars of the last turn's stages; two lines where the screen is low."""

    stages_ms: reactive[Mapping[str, float]] = reactive(dict)
    eager_ms: reactive[float] = reactive(0.0)

    def on_mount(self) -> None:
        """Begin with an empty frame."""
        self._entitle()

    def watch_stages_ms(self) -> None:
        """Another turn."""
        self._entitle()

    def watch_eager_ms(self) -> None:
        """Another turn."""
        self._entitle()

    def _entitle(self) -> None:
        """Put the total, what was begun eagerly, and what a full bar means, into the frame."""
        eager = f" · {eager_text(self.eager_ms)}" if self.eager_ms else ""
        self.border_title = Content(f"Last turn · {total_text(self.stages_ms)}{eager}")
        self.border_subtitle = Content(f"full bar {scale_ms(self.stages_ms):.0f} ms" if self.stages_ms else "")

    def render(self) -> RenderResult:
        """Bars, or the short form if they do not fit."""
        width, height = self.content_size
        if height >= len(STAGES):
            return Content("\n").join(stage_lines(self.stages_ms, width))
        return Content("\n").join(stacked_lines(self.stages_ms, width, self.eager_ms))
