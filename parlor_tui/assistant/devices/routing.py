"""What it means for the user that the sound server put a stream elsewhere, or muted it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from parlor_tui.assistant.devices.slots import Slot
from parlor_tui.assistant.inbox import StreamsRouted
from parlor_tui.devices.routes import Route
from parlor_tui.events import DeviceKind, Event, Notice, now_s

SoundKind = Literal["microphone", "speaker"]
SOUND: tuple[SoundKind, ...] = ("microphone", "speaker")
_SILENT = {"microphone": "microphone-silent", "speaker": "speaker-silent"}
"""The trouble of one that is there and gives, or plays, nothing."""
_NOW = {"microphone": "listening to {} now", "speaker": "playing on {} now"}
_MUTED = {
    "microphone": "the microphone {} is muted in the system's sound settings, nobody is heard: unmute it there",
    "speaker": "the speaker {} is muted in the system's sound settings, replies can only be read: unmute it there",
}
_AGAIN = (
    "the system's sound settings have this program listen to {}, to what the speaker plays, and not to a microphone: "
    "choose one there"
)
"""A sound server remembers where a recording was moved to, and moves the next one there as well."""


class Rerouted(NamedTuple):
    """What became of a stream: `lost` says why it is of no use any more, `moved` where it is now, "" for neither."""

    lost: str = ""
    moved: str = ""


def judged(kind: SoundKind, choice: str, before: Route | None, now: Route, there: frozenset[str]) -> Rerouted:
    """What it means that the stream of `choice`, as the settings write it, was `before` and is `now`. Pure.

    `there` are the names of all devices of the server.
    """
    if now.monitor and not _means(choice, now):
        gone = f"{before.description} is there no more" if before is not None else "there is none"
        return Rerouted(lost=f"{gone}: plug it in again or choose another one")
    if before is None or before.name == now.name:
        return Rerouted()
    if before.name in there:
        return Rerouted(moved=_NOW[kind].format(now.description))
    if _means(choice, before):
        return Rerouted(lost=f"{before.description} is there no more: plug it in again or choose another one")
    return Rerouted(moved=f"the {kind} {before.description} is gone: {_NOW[kind].format(now.description)}")


class Routing:
    """Follows where the streams are. `notify` takes a trouble and its name, `lost` that a device is of no use."""

    def __init__(
        self,
        notify: Callable[[str, str], None],
        emit: Callable[[Event], None],
        lost: Callable[[DeviceKind, str], None],
    ) -> None:
        self._notify = notify
        self._emit = emit
        self._lost = lost
        self._before: dict[DeviceKind, Route] = {}
        self._troubled: set[DeviceKind] = set()
        self._lost_to_monitor = False
        self.moves = 0
        """How often a stream was put elsewhere: what was learnt of the room holds no more."""

    def forget(self, kind: DeviceKind) -> None:
        """The device is another one, or none."""
        self._before.pop(kind, None)
        self._troubled.discard(kind)
        if kind != "camera":
            self._notify("", _SILENT[kind])

    def silent(self, hint: str) -> None:
        """The microphone says that it gives nothing; "" once it does. Where it is known why, that is told already."""
        if "microphone" not in self._troubled:
            self._notify(hint, _SILENT["microphone"])

    def take(self, told: StreamsRouted, slot: Slot) -> None:
        """Make of what was `told` what it means for the device of `slot`, a microphone or a speaker."""
        kind: SoundKind = "speaker" if slot.kind == "speaker" else "microphone"
        now = told.routes.speaker if kind == "speaker" else told.routes.microphone
        if slot.device is None or now is None or told.asked_at_s < slot.since_s:
            return
        became = judged(kind, slot.choice, self._before.get(kind), now, told.routes.there)
        again = now.monitor and self._lost_to_monitor
        if kind == "microphone":
            self._lost_to_monitor = now.monitor and bool(became.lost)
        if became.lost and not again:
            self._lost(kind, became.lost)
            return
        self._before[kind] = now
        if became.moved:
            self.moves += 1
            self._emit(Notice(at_s=now_s(), text=became.moved))
        trouble = _AGAIN if became.lost else _MUTED[kind] if now.muted else ""
        if trouble or kind in self._troubled:
            self._notify(trouble.format(now.description), _SILENT[kind])
        (self._troubled.add if trouble else self._troubled.discard)(kind)


def _means(choice: str, route: Route) -> bool:
    """Whether `choice`, as the settings write it, is this device of the server's."""
    wanted = choice.strip().casefold()
    return wanted == route.name.casefold() or (wanted not in {"", "default"} and wanted in route.description.casefold())
