"""Carries the demo out: has its lines made, and lets them be heard by the assistant and in the room."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parlor_tui.assistant.demo.demo import Demo, Make, Over, Utter
from parlor_tui.assistant.devices.opening import Opened, Opening, stop_later
from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ, Speaker
from parlor_tui.devices.files import SOUND_SUFFIXES, means_file
from parlor_tui.devices.resample import resample_whole
from parlor_tui.devices.select import Opener
from parlor_tui.events import CoreEvent, Event, Failed, Notice, now_s
from parlor_tui.link.client_events import ClientEvent, SayAloud
from parlor_tui.settings import Devices

BEGINNING = "a demo: a second voice, which learns its lines now, will ask; leave whenever you like"

_MOST_LINES = 16
"""So many wait for the second voice's speaker at most; the script has fewer in all."""


class Demonstration:
    """Used by the assistant's thread. `over` is called once the script is over.

    The second voice has a speaker of its own: it speaks over the answers. A speaker that is a file records these alone.
    """

    def __init__(
        self,
        demo: Demo,
        devices: Devices,
        opener: Opener,
        send: Callable[[ClientEvent], None],
        emit: Callable[[Event], None],
        over: Callable[[], None],
    ) -> None:
        self._demo = demo
        self._send = send
        self._emit = emit
        self._over = over
        self._waiting: deque[NDArray[np.float32]] = deque()
        self._speaker: Speaker | None = None
        self._told = ""
        self._opened: deque[Opened] = deque(maxlen=1)
        self._opening = Opening("speaker", self._opened.append)
        choice = devices.speaker
        self._audible = choice != "none" and not means_file(choice, SOUND_SUFFIXES)
        self._start = lambda: _started(opener, devices)

    @property
    def is_on(self) -> bool:
        """Is there more to come."""
        return not self._demo.is_over

    def ready(self, own_voice: str) -> None:
        """The models are loaded; `own_voice` is the assistant's."""
        if self.is_on and self._audible and self._speaker is None:
            self._opening.begin(self._start)
        self._demo.ready(own_voice, now_s())
        if self.is_on:
            self._tell(BEGINNING)

    def core_said(self, event: CoreEvent) -> bool:
        """Take what the core says; whether it was for the demo alone."""
        return self._demo.core_said(event)

    def happened(self, event: Event) -> None:
        """Take what became of the talk."""
        self._demo.happened(event)

    def stop(self) -> None:
        """The user wants to go on without it."""
        if self.is_on:
            self._demo.stop()
            self._end()

    def tick(self) -> None:
        """Do what is due."""
        while self._opened:
            self._speaker = self._opened.popleft().device  # type: ignore[assignment]  # this opening is of speakers alone
        match self._demo.tick(now_s()) if self.is_on else None:
            case Make(number, text, voice):
                self._send(SayAloud(number, text, voice))
            case Utter(samples):
                self._tell("")
                self._demo.hear(resample_whole(samples, SPEAKER_RATE_HZ, MIC_RATE_HZ))
                if self._speaker is not None and len(self._waiting) < _MOST_LINES:
                    self._waiting.append(samples)
            case Over(text, trouble):
                told = Failed(at_s=now_s(), text=text) if trouble else Notice(at_s=now_s(), text=text)
                self._tell("")
                self._emit(told)
                self._end()
        while self._waiting and self._speaker is not None:
            samples = self._waiting.popleft()
            taken = self._speaker.write(samples)
            if taken < len(samples):
                self._waiting.appendleft(samples[taken:])
                return

    def close(self) -> None:
        """Let go of its speaker."""
        self._opening.close()
        speaker, self._speaker = self._speaker, None
        if speaker is not None:
            stop_later(speaker)

    def _tell(self, text: str) -> None:
        """Say what lasts, or that it is over."""
        if text == self._told:
            return
        self._told = text
        self._emit(Notice(at_s=now_s(), text=text, key="demo"))

    def _end(self) -> None:
        self._tell("")
        self._waiting.clear()
        self.close()
        self._over()


def _started(opener: Opener, devices: Devices) -> Speaker | None:
    speaker = opener.speaker(devices.speaker, devices.jitter_buffer_ms, devices.output_latency_ms)
    if speaker is not None:
        speaker.start(lambda _: None)
    return speaker
