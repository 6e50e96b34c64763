"""The line on top: what the assistant is doing, who thinks, what is heard and seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.events import CoreFound, Event, MicLevel, Ready, State, StateChanged, TurnCommitted
from parlor_tui.ui.exchange import Yields
from parlor_tui.ui.widgets.last_turn import DASH

METER = "▁▂▃▄▅▆▇█"
QUIETEST_DBFS = -60.0
DB_STEP = 2.0
"""The shown number moves only with changes of at least this much."""
SYMBOLS = {
    State.LOADING: "◌",
    State.LISTENING: "●",
    State.HEARING: "◉",
    State.THINKING: "◆",
    State.SPEAKING: "▶",
    State.MUTED: "○",
    State.ERROR: "✗",
}
"""One shape for each state, so that it can be told without colour."""
YIELDING: dict[Yields, tuple[str, State]] = {"dipped": ("▷ QUIETER", State.SPEAKING), "held": ("‖ HELD", State.HEARING)}
"""What stands in place of SPEAKING while the reply makes way, and whose colour it has."""


@dataclass(frozen=True, slots=True)
class Status:
    """What the status line shows. `mic_db` is None before the first sound, and cleaned by `shown_db`.

    `yields`: how the reply makes way for a voice.
    """

    state: State = State.LOADING
    yields: Yields | None = None
    muted: bool = False
    profile: str = ""
    model: str = ""
    demo_grade: bool = False
    microphone: bool = True
    mic_db: int | None = None
    camera: bool = False
    turn: int | None = None

    def after(self, event: Event) -> Status:
        """What it shows once `event` has happened."""
        match event:
            case StateChanged(state=state):
                told = state in (State.MUTED, State.LISTENING, State.HEARING)
                return replace(self, state=state, muted=state is State.MUTED if told else self.muted)
            case MicLevel():
                return replace(self, mic_db=shown_db(event.dbfs, self.mic_db))
            case CoreFound():
                return replace(self, profile=event.profile, model=event.model, demo_grade=event.demo_grade)
            case Ready():
                return replace(self, profile=event.profile, model=event.model)
            case TurnCommitted():
                return replace(self, turn=event.turn)
            case _:
                return self


def shown_db(dbfs: float, shown: int | None) -> int:
    """The number to show for `dbfs` where `shown` stands: whole dB from -60 to 0, at rest for small changes."""
    level = min(max(dbfs, QUIETEST_DBFS), 0.0)
    return shown if shown is not None and abs(level - shown) < DB_STEP else round(level)


def meter(db: int) -> str:
    """`db` as up to eight rising steps, padded to eight cells."""
    steps = round((db - QUIETEST_DBFS) / -QUIETEST_DBFS * len(METER))
    return METER[:steps] + "·" * (len(METER) - steps)


def status_line(status: Status, width: int) -> Content:
    """The fullest line that fits into `width` cells; the state and a closed microphone always stay."""
    left = _left(status)
    for with_model, with_meter, with_camera, with_turn in _FULLNESS:
        middle = _model(status, with_model)
        right = _right(status, with_meter, with_camera, with_turn)
        room = width - left.cell_length - middle.cell_length - right.cell_length
        if room >= 1:
            gap = min(3, room // 2)
            return Content.assemble(left, " " * gap, middle, " " * (room - gap), right)
    return (left + " " + _right(status, False, False, False)).truncate(width)


_FULLNESS = [
    (True, True, True, True),
    (True, True, True, False),
    (True, True, False, False),
    (False, True, True, False),
    (False, True, False, False),
    (False, False, False, False),
]


def _left(status: Status) -> Content:
    word, look = f"{SYMBOLS[status.state]} {status.state.upper()}", status.state
    if status.yields is not None and status.state is State.SPEAKING:
        word, look = YIELDING[status.yields]
    return Content.assemble((" parlor  ", "bold"), (f"{word:<11}", f"bold $state-{look}"))


def _model(status: Status, with_model: bool) -> Content:
    if not status.profile:
        return Content("")
    parts: list[str | tuple[str, str]] = [status.profile]
    if with_model and status.model:
        parts.append((f" · {status.model}", "dim"))
    if status.demo_grade:
        parts += [(" · ", "dim"), ("demo-grade", "$text-warning")]
    return Content.assemble(*parts)


def _right(status: Status, with_meter: bool, with_camera: bool, with_turn: bool) -> Content:
    parts: list[str | tuple[str, str]] = []
    if not status.microphone:
        parts.append(("no mic", "dim"))
    elif status.muted:
        parts += [("mic", "strike $state-muted"), (" muted", "bold $state-muted")]
    elif with_meter and status.mic_db is not None:
        level_style = f"$state-{State.HEARING if status.state is State.HEARING else State.LISTENING}"
        parts += [("mic ", "dim"), (meter(status.mic_db), level_style), f" {status.mic_db:>3} dB"]
    elif with_meter:
        parts.append((f"mic {'·' * len(METER)}   {DASH} dB", "dim"))
    if with_camera:
        parts += [("   cam ", "dim"), "▣" if status.camera else (DASH, "dim")]
    if with_turn and status.turn is not None:
        parts += [("   turn ", "dim"), str(status.turn)]
    return Content.assemble(*parts, " ")


class StatusLine(Widget):
    """Draws `status`; redrawn only when something it shows has changed."""

    status: reactive[Status] = reactive(Status())

    def render(self) -> RenderResult:
        """The line for the present width."""
        return status_line(self.status, self.content_size.width)
