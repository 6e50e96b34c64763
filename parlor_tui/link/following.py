"""Follows one core over its link: whether it lives, gets ready, and for how long it is of use."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Literal

from parlor_tui.events import CoreEvent, CoreFailed, CoreFetching, CoreLoading, CoreNotice, CoreReady, now_s
from parlor_tui.link.client import Link
from parlor_tui.link.pulse import LOADING_LOOK_EVERY_S, LOOK_EVERY_S, LoadingWatch, Patience, Pulse
from parlor_tui.usage import ProcessSigns

Lost = Literal["closed", "stopped", "hung", "never ready"]
"""How a core was lost: its link is closed, it stands still, it does not answer, its models do not come."""

_MOST_RELINKS = 3
_RELINKS_WITHIN_S = 30.0


class Relinks:
    """Allows to link again to the same core a few times, and no more within half a minute."""

    def __init__(self) -> None:
        self._at_s: deque[float] = deque(maxlen=_MOST_RELINKS)

    def again(self, at_s: float) -> bool:
        """Whether it may be linked to once more at `at_s`."""
        if len(self._at_s) == _MOST_RELINKS and at_s - self._at_s[0] < _RELINKS_WITHIN_S:
            return False
        self._at_s.append(at_s)
        return True


class Following:
    """One core, over one link after the other. What it says goes on to `on_event`."""

    def __init__(self, patience: Patience, on_event: Callable[[CoreEvent], None]) -> None:
        self._patience = patience
        self._on_event = on_event
        self._ready_s: float | None = None
        self._settled = False
        self._loading = LoadingWatch(patience, now_s())
        self._step = "the start"
        self._silent_s = 0.0

    def useful_s(self, at_s: float) -> float:
        """For how long its models have been there."""
        return 0.0 if self._ready_s is None else at_s - self._ready_s

    def said(self, event: CoreEvent) -> None:
        """Take one event; on the link's thread."""
        match event:
            case CoreLoading(text):
                self._step = text
                self._loading.news(now_s())
            case CoreFetching():
                self._loading.news(now_s())
            case CoreReady():
                self._settled, self._ready_s = True, self._ready_s or now_s()
            case CoreFailed():
                self._settled = True
            case _:
                pass
        self._on_event(event)

    def greets(self, talking: threading.Thread, pid: int, within_s: float) -> bool:
        """Wait for the end of `talking`, which asks the process for its port; False if there is no use in waiting."""
        began_s = now_s()
        pulse, signs = Pulse(self._patience, began_s), ProcessSigns(pid)
        while talking.is_alive() and now_s() - began_s < within_s:
            talking.join(LOOK_EVERY_S)
            at_s = now_s()
            if pulse.look(at_s, began_s, signs.read() if pulse.wants_signs(at_s, began_s) else None) == "stopped":
                return False
        return not talking.is_alive()

    def watch(self, link: Link, pid: int, closed: threading.Event) -> Lost:
        """Return when the link is `closed`, or when there is no use in waiting; in which way the core was lost."""
        began_s = now_s()
        pulse, signs = Pulse(self._patience, began_s), ProcessSigns(pid)
        self._loading = LoadingWatch(self._patience, began_s)
        loading_due_s, told = began_s, False
        while not closed.wait(LOOK_EVERY_S):
            at_s = now_s()
            heard_s = link.heard_s(at_s)
            seen = signs.read() if pulse.wants_signs(at_s, heard_s) else None
            verdict = pulse.look(at_s, heard_s, seen, loading=not self._settled)
            if verdict in ("stopped", "hung"):
                self._silent_s = at_s - heard_s
                return verdict
            if verdict == "busy" and self._settled and not told:
                told = True
                self._on_event(CoreNotice("the core is hard at work and does not answer at the moment"))
            if not self._settled and at_s >= loading_due_s:
                loading_due_s = at_s + LOADING_LOOK_EVERY_S
                if self._loading.hangs(at_s, signs.read(children=True)):
                    return "never ready"
        return "closed"

    def reason(self, lost: Lost) -> str:
        """Why it was given up on, in one line."""
        match lost:
            case "stopped":
                return f"the core stood still and did not answer for {self._silent_s:.1f} s"
            case "hung":
                return f"the core did not answer for {self._silent_s:.1f} s"
            case "never ready":
                return f"the models do not come, it hangs at: {self._step}"
            case "closed":
                return "the link to the core was lost"
