"""The line on top: what the assistant is doing, who thinks, what is heard and seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from parlor_tui.events import CoreFound, DeviceUsed, Event, MicLevel, Ready, State, StateChanged, Tuned, TurnCommitted
from parlor_tui.settings import Settings
from parlor_tui.ui.exchange import Yields
from parlor_tui.ui.latency import DASH
from parlor_tui.ui.text import one_line

METER = "▁▂▃▄▅▆▇█"
QUIETEST_DBFS = -60.0
DB_STEP = 2.0
"""The shown number moves only with changes of at least this much."""
VOICE_CELLS = 8
VOICE, THRESHOLD, THRESHOLD_PASSED = "━", "┆", "┃"
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


NO_MICROPHONE = "○ NO MICROPHONE"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which probability a block of sound is speech; `guarded` over a reply whose echo is not cancelled.

    `echo` is the setting `hearing.echo`.
    """

    vad: float = 0.5
    guarded: float = 0.92
    echo: str = "cancel"

    def after(self, values: Mapping[str, Any]) -> Thresholds:
        """The same once live settings have `values`."""
        return Thresholds(
            values.get("hearing.vad_threshold", self.vad),
            values.get("hearing.vad_threshold_speaking", self.guarded),
            values.get("hearing.echo", self.echo),
        )

    def now(self, state: State, *, can_cancel: bool) -> float:
        """The one that holds in `state`."""
        cancelled = self.echo == "headphones" or (self.echo == "cancel" and can_cancel)
        return self.guarded if state is State.SPEAKING and not cancelled else self.vad


@dataclass(frozen=True, slots=True)
class Status:
    """What the status line shows. `mic_db` is None before the first sound, and cleaned by `shown_db`.

    `yields`: how the reply makes way for a voice. `voice` is how many cells the probability of speech fills, None
    before the first sound. `talk_key` is the key to talk with where the talk is not `hands_free`.
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
    voice: int | None = None
    thresholds: Thresholds = Thresholds()
    can_cancel: bool = True
    hands_free: bool = True
    talk_key: str = ""

    @classmethod
    def of(cls, settings: Settings, talk_key: str) -> Status:
        """Before anything happened."""
        hearing, devices = settings.hearing, settings.devices
        return cls(
            microphone=devices.microphone != "none",
            camera=devices.camera != "none",
            thresholds=Thresholds(hearing.vad_threshold, hearing.vad_threshold_speaking, hearing.echo),
            hands_free=hearing.hands_free,
            talk_key=talk_key,
        )

    @property
    def threshold(self) -> float:
        """From which probability a block of sound is speech now."""
        return self.thresholds.now(self.state, can_cancel=self.can_cancel)

    @property
    def invitation(self) -> str:
        """What the empty input line says."""
        if not self.microphone or self.muted:
            return "type here"
        if not self.hands_free:
            return f"type here, or press {self.talk_key} and talk" if self.talk_key else "type here"
        return "type here, or just talk"

    def after(self, event: Event) -> Status:
        """What it shows once `event` has happened."""
        match event:
            case StateChanged(state=state):
                told = state in (State.LISTENING, State.HEARING) or (
                    state is State.MUTED and self.microphone and self.hands_free
                )
                return replace(self, state=state, muted=state is State.MUTED if told else self.muted)
            case MicLevel():
                voice = voice_cells(event.speech_probability, self.threshold)
                return replace(self, mic_db=shown_db(event.dbfs, self.mic_db), voice=voice)
            case DeviceUsed(kind="microphone"):
                if not event.label:
                    return replace(self, microphone=False, mic_db=None, voice=None)
                return replace(self, microphone=True)
            case DeviceUsed(kind="camera"):
                return replace(self, camera=bool(event.label))
            case Tuned(values=values):
                hands_free = values.get("hearing.hands_free", self.hands_free)
                return replace(self, thresholds=self.thresholds.after(values), hands_free=hands_free)
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


def voice_cells(probability: float, threshold: float) -> int:
    """How many of `VOICE_CELLS` the probability fills: past the threshold's mark if, and only if, it is speech."""
    mark, filled = threshold_cell(threshold), round(probability * VOICE_CELLS)
    return max(filled, mark + 1) if probability >= threshold else min(filled, mark)


def threshold_cell(threshold: float) -> int:
    """Before which cell the threshold's mark stands; there is one on either side."""
    return min(max(round(threshold * VOICE_CELLS), 1), VOICE_CELLS - 1)


def voice_meter(filled: int, threshold: float) -> Content:
    """The probability of speech as a bar that runs against the threshold's mark."""
    mark = threshold_cell(threshold)
    speech = filled > mark
    below, above = min(filled, mark), max(filled - mark, 0)
    look = f"bold $state-{State.HEARING}" if speech else f"$state-{State.LISTENING}"
    return Content.assemble(
        (VOICE * below, look),
        ("·" * (mark - below), "dim"),
        (THRESHOLD_PASSED if speech else THRESHOLD, look if speech else "$text-muted"),
        (VOICE * above, look),
        ("·" * (VOICE_CELLS - mark - above), "dim"),
    )


def status_line(status: Status, width: int) -> Content:
    """The fullest line that fits into `width` cells; the state and a closed microphone always stay."""
    for with_name, with_model, with_meter, with_camera, with_turn in _FULLNESS:
        left = _left(status, with_name)
        middle = _model(status, with_model)
        right = _right(status, with_meter, with_camera, with_turn)
        room = width - left.cell_length - middle.cell_length - right.cell_length
        if room >= 1:
            gap = min(3, room // 2)
            return Content.assemble(left, " " * gap, middle, " " * (room - gap), right)
    return (_left(status, False) + " " + _right(status, False, False, False)).truncate(width)


_FULLNESS = [
    (True, True, True, True, True),
    (True, True, True, True, False),
    (True, True, True, False, False),
    (False, True, True, False, False),
    (True, False, True, True, False),
    (True, False, True, False, False),
    (False, False, True, False, False),
    (True, False, False, False, False),
    (False, False, False, False, False),
]


def _left(status: Status, with_name: bool) -> Content:
    word, look = _state_word(status)
    return Content.assemble((" parlor  " if with_name else " ", "bold"), (f"{word:<11}", f"bold $state-{look}"))


def _state_word(status: Status) -> tuple[str, State]:
    """The state's shape and word, and the state whose colour it has."""
    if status.yields is not None and status.state is State.SPEAKING:
        return YIELDING[status.yields]
    if status.state is State.MUTED and not status.microphone:
        return NO_MICROPHONE, State.MUTED
    if status.state is State.MUTED and not status.hands_free and not status.muted and status.talk_key:
        return f"{SYMBOLS[State.MUTED]} {status.talk_key.upper()} TO TALK", State.LOADING
    return f"{SYMBOLS[status.state]} {status.state.upper()}", status.state


def _model(status: Status, with_model: bool) -> Content:
    if not status.profile:
        return Content("")
    parts: list[str | tuple[str, str]] = [one_line(status.profile)]
    if with_model and status.model:
        parts.append((f" · {one_line(status.model)}", "dim"))
    if status.demo_grade:
        parts += [(" · ", "dim"), ("demo-grade", "$text-warning")]
    return Content.assemble(*parts)


def _right(status: Status, with_meter: bool, with_camera: bool, with_turn: bool) -> Content:
    parts: list[str | Content | tuple[str, str]] = []
    if not status.microphone:
        if status.state is not State.MUTED:  # which says so itself
            parts.append(("no microphone", "dim"))
    elif status.muted:
        parts += [("mic", "strike $state-muted"), (" muted", "bold $state-muted")]
    elif with_meter and status.mic_db is not None:
        level_style = f"$state-{State.HEARING if status.state is State.HEARING else State.LISTENING}"
        parts += [("mic ", "dim"), (meter(status.mic_db), level_style), f" {status.mic_db:>3} dB "]
        parts.append(voice_meter(status.voice or 0, status.threshold))
    elif with_meter:
        parts += [(f"mic {'·' * len(METER)}   {DASH} dB ", "dim"), voice_meter(0, status.threshold)]
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
