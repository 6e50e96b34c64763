"""What a microphone loses is counted: by the device, and where nobody takes what it gives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from parlor_tui.counts import Count, counts
from parlor_tui.devices import microphone
from parlor_tui.devices.microphone import PIECES_WAITING, DeviceMicrophone
from parlor_tui.devices.sound_system import SoundDevice

DEVICE = SoundDevice(0, "a microphone", "ALSA", 1, 0, 16_000, True, False, True)
SOUND = np.full((512, 1), 0.1, np.float32)
NOW = SimpleNamespace(currentTime=1.0, inputBufferAdcTime=0.9)


def test_sound_that_came_too_late_or_found_no_room_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    callbacks: list[Callable[..., None]] = []

    def opened(*_: Any, callback: Callable[..., None], **__: Any) -> Any:
        callbacks.append(callback)
        return SimpleNamespace(rate_hz=16_000, latency_s=0.06, close=lambda timeout_s: True)

    monkeypatch.setattr(microphone, "open_stream", opened)  # PortAudio's place, and its thread's
    taking, go_on = threading.Event(), threading.Event()

    def on_block(*_: Any) -> None:
        taking.set()
        go_on.wait(20)

    lost = counts()[Count.MICROPHONE_PIECES_LOST]
    listened = DeviceMicrophone(DEVICE)
    listened.start(on_block, lambda reason: None)
    (sound,) = callbacks
    try:
        sound(SOUND, len(SOUND), NOW, SimpleNamespace(input_overflow=False))
        assert taking.wait(10)
        assert listened.overruns == 0
        for piece in range(PIECES_WAITING + 7):
            sound(SOUND, len(SOUND), NOW, SimpleNamespace(input_overflow=piece % 100 == 0))
        assert listened.overruns == 3
        assert counts()[Count.MICROPHONE_PIECES_LOST] - lost == 7
    finally:
        go_on.set()
        listened.stop()
