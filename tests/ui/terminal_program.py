"""Runs the real screen with a stand-in for the assistant that makes noise, hangs or fails, as its arguments say."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable

from parlor_tui.events import CoreFound, Ready, State, StateChanged, now_s
from parlor_tui.settings import Settings
from parlor_tui.ui.app import run_screen
from parlor_tui.ui.control import Listener
from tests.ui.stand_in import coming, model_over, offered, whole_talk


class Noisy:
    def __init__(self, listener: Listener, faults: set[str]) -> None:
        self._listener = listener
        self._faults = faults
        self._stopped = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._live, daemon=True).start()
        if "stuck-thread" in self._faults:
            threading.Thread(target=threading.Event().wait, daemon=False).start()
        if "fail" in self._faults:
            raise RuntimeError("a fault on purpose")

    def _live(self) -> None:
        self._listener(CoreFound(at_s=now_s(), profile="lite", model="Toy", demo_grade=True))
        self._listener(Ready(at_s=now_s(), profile="lite", model="Toy", load_ms=1.0))
        self._listener(StateChanged(at_s=now_s(), state=State.LISTENING))
        for event in whole_talk() if "talked" in self._faults else []:
            self._listener(event)
        if "speaking" in self._faults:
            self._listener(StateChanged(at_s=now_s(), state=State.SPEAKING))
        if "offers" in self._faults:
            self._listener(offered(now_s()))
        if "quiet" in self._faults:
            return
        libc = ctypes.CDLL(None)
        for count in range(1_000_000):
            os.write(2, b"NOISE on two\n")
            os.write(1, b"NOISE on one\n")
            libc.printf(b"NOISE from C\n")
            sys.stdout.write("NOISE from print\n")
            if count == 3 and "die-thread" in self._faults:
                raise ValueError("NOISE of a dying thread")
            if self._stopped.wait(0.05):
                return

    def stop(self, timeout_s: float) -> None:
        os.write(2, b"NOISE while stopping\n")
        ctypes.CDLL(None).printf(b"NOISE left in a buffer")  # no line break: C keeps it back
        if "hang" in self._faults:
            threading.Event().wait()
        self._stopped.set()

    def say(self, text: str) -> None:
        os.write(2, f"SAID {text}\n".encode())

    def interrupt(self) -> None:
        os.write(2, b"INTERRUPTED\n")
        if "talked" in self._faults:
            self._listener(StateChanged(at_s=now_s(), state=State.LISTENING))

    def set_muted(self, muted: bool) -> None:
        os.write(2, f"MUTED {muted}\n".encode())

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Whatever else is asked of an assistant."""

        def asked(*values: object, **named: object) -> None:
            os.write(2, f"ASKED {name} {values} {named}\n".encode())

        return asked

    def get_model(self) -> None:
        os.write(2, b"GET MODEL\n")
        self._listener(coming(now_s()))

    def cancel_model(self) -> None:
        os.write(2, b"CANCEL MODEL\n")
        self._listener(model_over("cancelled"))
        self._listener(offered(now_s(), came_bytes=1_190_000_000))

    def decline_model(self) -> None:
        os.write(2, b"DECLINE MODEL\n")
        self._listener(model_over("declined"))


if __name__ == "__main__":
    raise SystemExit(run_screen(lambda listener: Noisy(listener, set(sys.argv[1:])), Settings()))
