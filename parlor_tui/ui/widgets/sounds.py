"""The speaker's side in one line: its level, the echo of it in the microphone, and what eager replies bring."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.events import EagerCount, Event, State, Tuned
from parlor_tui.settings import Hearing
from parlor_tui.ui.exchange import Exchange
from parlor_tui.ui.latency import DASH
from parlor_tui.ui.widgets.status import METER, QUIETEST_DBFS, meter, shown_db

WIDE_CELLS = 100
LEFT_CELLS = 35
"""What level and echo take at most where it is narrow."""


@dataclass(frozen=True, slots=True)
class Sounds:
    """What the line shows. Levels are None while nothing plays, `eager` before the first count.

    `echo` is the setting `hearing.echo`, `can_cancel` whether it can be followed, `may_be_eager` whether replies are
    begun at a pause at all.
    """

    speaker_db: int | None = None
    echo: str = "cancel"
    can_cancel: bool = True
    echo_db: int | None = None
    suppressed_db: int | None = None
    may_be_eager: bool = True
    eager: EagerCount | None = None

    @classmethod
    def of(cls, hearing: Hearing) -> Sounds:
        """Before anything sounded."""
        return cls(echo=hearing.echo, may_be_eager=hearing.eager_ms > 0)

    def after(self, event: Event) -> Sounds:
        """What it shows once `event` has happened."""
        if not isinstance(event, Tuned):
            return self
        eager_ms = event.values.get("hearing.eager_ms", int(self.may_be_eager))
        return replace(self, echo=event.values.get("hearing.echo", self.echo), may_be_eager=eager_ms > 0)

    def now(self, exchange: Exchange) -> Sounds:
        """The figures of `exchange`; small changes of a level do not show."""
        echo, level = exchange.echo, exchange.speaker_dbfs
        return replace(
            self,
            speaker_db=None if level is None else shown_db(level, self.speaker_db),
            echo_db=None if echo is None else shown_db(echo.dbfs, self.echo_db),
            suppressed_db=None if echo is None else _calm(echo.suppressed_db, self.suppressed_db),
            eager=exchange.eager,
        )


def _calm(value_db: float, shown: int | None) -> int:
    return shown if shown is not None and abs(value_db - shown) < 2 else round(value_db)


def sound_line(sounds: Sounds, width: int) -> Content:
    """The fullest line that fits into `width` cells."""
    wide = width >= WIDE_CELLS
    left = Content("   ").join([_speaker(sounds), _echo(sounds, wide)])
    taken = max(left.cell_length, LEFT_CELLS) + 2  # an echo that comes moves nothing
    right = _eager(sounds, wide)
    if taken + right.cell_length > width:
        right = _eager_short(sounds)
    room = width - left.cell_length - right.cell_length
    return Content.assemble(left, " " * max(room, 2), right).truncate(width, ellipsis=True)


def _speaker(sounds: Sounds) -> Content:
    level = "·" * len(METER) if sounds.speaker_db is None else meter(sounds.speaker_db)
    return Content.assemble(
        ("spk ", "dim"), (level, "dim" if sounds.speaker_db is None else f"$state-{State.SPEAKING}")
    )


def _echo(sounds: Sounds, wide: bool) -> Content:
    if sounds.echo == "headphones":
        return Content.styled("headphones", "dim")
    if sounds.echo == "off" or not sounds.can_cancel:
        return Content.assemble(("echo ", "dim"), ("not cancelled", "$text-warning"))
    if sounds.echo_db is None or sounds.suppressed_db is None:
        return Content.styled(f"echo {DASH}", "dim")
    if sounds.echo_db <= QUIETEST_DBFS:
        return Content.assemble(("echo ", "dim"), f"below {QUIETEST_DBFS:.0f} dB")
    less = f"{sounds.suppressed_db} dB taken out" if wide else f"{sounds.suppressed_db} less"
    return Content.assemble(("echo ", "dim"), f"{sounds.echo_db} dB, {less}")


def _eager(sounds: Sounds, wide: bool) -> Content:
    if (count := sounds.eager) is None or not sounds.may_be_eager:
        return _eager_short(sounds)
    begun = count.hits + count.dropped
    if wide:
        told = f"{count.hits} of {begun} used · {count.saved_ms:.0f} ms saved · {count.wasted_ms:.0f} ms wasted"
    else:
        told = f"{count.hits}/{begun}: saved {count.saved_ms:.0f}, wasted {count.wasted_ms:.0f} ms"
    return Content.assemble(("eager ", "dim"), told)


def _eager_short(sounds: Sounds) -> Content:
    if not sounds.may_be_eager:
        return Content.styled("eager off", "dim")
    if (count := sounds.eager) is None:
        return Content.styled(f"eager {DASH}", "dim")
    return Content.assemble(("eager ", "dim"), f"{count.hits}/{count.hits + count.dropped}")


class SoundLine(Widget):
    """Draws `sounds`; redrawn only when something it shows has changed."""

    sounds: reactive[Sounds] = reactive(Sounds())

    def render(self) -> RenderResult:
        """The line for the present width."""
        return sound_line(self.sounds, self.content_size.width)
