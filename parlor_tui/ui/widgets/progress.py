"""How far loading has come, and trouble that lasts."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.events import Severity
from parlor_tui.ui.lines import SEVERITY_LOOK
from parlor_tui.ui.text import clean

MEGABYTE = 1_000_000
BAR_CELLS_AT_MOST = 40
BANNER_LINES = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One step of loading. `total_bytes` is 0 where there is nothing to count."""

    text: str
    done_bytes: int = 0
    total_bytes: int = 0


def progress_line(step: Step, width: int) -> Content:
    """Text, bar and MB in `width` cells; the text gives way."""
    text = Content(clean(step.text).replace("\n", " "))
    if step.total_bytes <= 0:
        return text.truncate(width, ellipsis=True)
    done = min(max(step.done_bytes, 0), step.total_bytes)
    total = f"{step.total_bytes / MEGABYTE:.0f}"
    numbers = f"{done / MEGABYTE:>{len(total)}.0f} / {total} MB {done * 100 // step.total_bytes:>3} %"
    cells = min(BAR_CELLS_AT_MOST, max(width // 3, 1))
    filled = cells * done // step.total_bytes
    text = text.truncate(max(width - cells - len(numbers) - 4, 0), ellipsis=True)
    bar = [("━" * filled, "$state-listening"), ("─" * (cells - filled), "dim")]
    return Content.assemble(text, "  ", *bar, "  ", numbers).truncate(width)


class Progress(Widget):
    """One line while models are fetched and loaded; absent otherwise."""

    step: reactive[Step | None] = reactive(None)

    def watch_step(self, step: Step | None) -> None:
        """Come and go with the step."""
        self.display = step is not None

    def render(self) -> RenderResult:
        """The line for the present width."""
        return progress_line(self.step, self.content_size.width) if self.step else Content("")


Trouble = tuple[Severity, str]


class Banner(Widget):
    """Troubles that last, one line each, the newest ones; absent while there is none."""

    troubles: reactive[tuple[Trouble, ...]] = reactive((), layout=True)

    def watch_troubles(self, troubles: tuple[Trouble, ...]) -> None:
        """Come and go with the troubles."""
        self.display = bool(troubles)

    def render(self) -> RenderResult:
        """One line for each trouble."""
        width = self.content_size.width
        return Content("\n").join(banner_line(trouble, width) for trouble in self.troubles[-BANNER_LINES:])


def banner_line(trouble: Trouble, width: int) -> Content:
    """One trouble in one line of `width` cells."""
    severity, text = trouble
    symbol, style = SEVERITY_LOOK[severity]
    return Content.styled(f"{symbol} {clean(text)}".replace("\n", " "), style).truncate(width, ellipsis=True)
