"""What it means that the sound server put a stream elsewhere or muted it: lost, moved, told, over."""

from __future__ import annotations

from typing import Any

import pytest

from parlor_tui.assistant.devices.opening import Opening
from parlor_tui.assistant.devices.routing import Rerouted, Routing, judged
from parlor_tui.assistant.devices.slots import Slot
from parlor_tui.assistant.inbox import StreamsRouted
from parlor_tui.devices.routes import Route, Routes
from parlor_tui.events import DeviceKind, Event, Notice

USB, BUILT_IN = Route("alsa_input.usb-1", "USB headset"), Route("alsa_input.pci", "Built-in Audio")
MONITOR = Route("alsa_output.pci.monitor", "Monitor of Built-in Audio", monitor=True)
BOTH, NO_USB = frozenset({USB.name, BUILT_IN.name}), frozenset({BUILT_IN.name})


@pytest.mark.parametrize(
    ("choice", "before", "now", "there", "lost", "moved"),
    [
        ("default", None, USB, BOTH, "", ""),
        ("default", USB, USB, BOTH, "", ""),
        ("default", USB, MONITOR, NO_USB, "USB headset is there no more", ""),
        ("default", None, MONITOR, frozenset(), "there is none", ""),
        ("Monitor of", None, MONITOR, BOTH, "", ""),
        ("default", USB, BUILT_IN, NO_USB, "", "the microphone USB headset is gone: listening to Built-in Audio now"),
        ("default", BUILT_IN, USB, BOTH, "", "listening to USB headset now"),
        ("usb head", USB, BUILT_IN, NO_USB, "USB headset is there no more", ""),
        ("alsa_input.usb-1", USB, BUILT_IN, NO_USB, "USB headset is there no more", ""),
        ("USB headset", USB, BUILT_IN, BOTH, "", "listening to Built-in Audio now"),
        ("2", USB, BUILT_IN, NO_USB, "", "the microphone USB headset is gone: listening to Built-in Audio now"),
    ],
)
def test_lost_is_what_is_gone_and_was_chosen_and_what_is_no_microphone(
    choice: str, before: Route | None, now: Route, there: frozenset[str], lost: str, moved: str
) -> None:
    became = judged("microphone", choice, before, now, there)
    assert became.lost.startswith(lost) if lost else became == Rerouted("", became.moved)
    assert became.moved == moved


class Room:
    """A microphone or a speaker that is in use since second 10, and what the user is told of it."""

    def __init__(self, kind: DeviceKind) -> None:
        self.troubles: list[tuple[str, str]] = []
        self.notices: list[str] = []
        self.lost: list[str] = []
        self.slot = Slot(kind, "default", Opening(kind, lambda opened: None), device=object(), since_s=10.0)
        self.routing = Routing(lambda text, key: self.troubles.append((key, text)), self._emit, self._lost)

    def _emit(self, event: Event) -> None:
        assert isinstance(event, Notice)
        self.notices.append(event.text)

    def _lost(self, kind: DeviceKind, reason: str) -> None:
        assert kind == self.slot.kind
        self.lost.append(reason)

    def told(self, asked_at_s: float, **routes: Any) -> None:
        self.routing.take(StreamsRouted(Routes(there=BOTH, **routes), asked_at_s), self.slot)


def test_muted_is_a_trouble_that_lasts_until_it_is_not_and_is_told_better_than_silence() -> None:
    room = Room("microphone")
    room.told(11.0, microphone=USB)
    assert room.troubles == []
    room.told(12.0, microphone=Route(USB.name, USB.description, muted=True))
    room.routing.silent("the microphone gives only silence")
    ((key, text),) = room.troubles
    assert key == "microphone-silent"
    assert "USB headset is muted in the system's sound settings" in text
    room.told(13.0, microphone=USB)
    assert room.troubles[-1] == (key, "")
    room.routing.silent("the microphone gives only silence")
    assert room.troubles[-1] == (key, "the microphone gives only silence")


def test_a_muted_speaker_is_told() -> None:
    room = Room("speaker")
    room.told(11.0, speaker=Route(BUILT_IN.name, BUILT_IN.description, muted=True))
    ((key, text),) = room.troubles
    assert (key, "can only be read" in text) == ("speaker-silent", True)
    room.routing.forget("speaker")
    assert room.troubles[-1] == (key, "")


def test_every_move_is_told_and_counted() -> None:
    room = Room("speaker")
    for number, route in enumerate((USB, BUILT_IN, BUILT_IN, USB)):
        room.told(11.0 + number, speaker=route)
    assert room.notices == ["playing on Built-in Audio now", "playing on USB headset now"]
    assert room.routing.moves == 2
    assert room.lost == []


def test_a_server_that_moves_the_next_recording_as_well_is_not_fought() -> None:
    room = Room("microphone")
    room.told(11.0, microphone=USB)
    room.told(12.0, microphone=MONITOR)
    assert len(room.lost) == 1
    room.routing.forget("microphone")  # opened anew
    room.told(13.0, microphone=MONITOR)
    room.told(14.0, microphone=MONITOR)
    assert len(room.lost) == 1
    assert "choose one there" in room.troubles[-1][1]
    room.routing.silent("the microphone gives only silence")
    assert "choose one there" in room.troubles[-1][1]
    room.told(15.0, microphone=USB)
    assert room.troubles[-1] == ("microphone-silent", "")
    room.told(16.0, microphone=MONITOR)
    assert len(room.lost) == 2


def test_what_was_asked_before_the_device_came_into_use_means_the_one_before() -> None:
    room = Room("microphone")
    room.told(9.9, microphone=MONITOR)
    assert room.lost == []
    room.told(10.1, microphone=MONITOR)
    assert room.lost == ["there is none: plug it in again or choose another one"]
    room.slot.device = None
    room.told(10.2, microphone=MONITOR)
    assert len(room.lost) == 1
