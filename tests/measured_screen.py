"""Runs the real program, and notes how late its event loop is: `python -m tests.measured_screen OUT.json [OPTIONS]`.

With `--replay` in place of options a stand-in for the assistant replays 2,000 turns, ten a second.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from parlor_tui import cli
from parlor_tui.events import Event, State, now_s
from parlor_tui.settings import Settings
from parlor_tui.ui import app as screen
from parlor_tui.ui import cockpit
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.control import Listener
from tests.ui import stand_in

PROBE_S = 0.01
REPLAYED_TURNS = 2000
TURNS_PER_S = 10


def measured(out: Path) -> type[cockpit.ParlorApp]:
    """The app, with a task that sleeps 10 ms again and again and notes by how much longer that took."""

    class Measured(cockpit.ParlorApp):
        CSS_PATH = str(Path(cockpit.__file__).with_name("cockpit.tcss"))
        lags: list[tuple[str, float]]

        def on_mount(self) -> None:  # textual calls that of each class
            self.lags = []
            self.set_interval(2.0, self.keep)
            self.probe = asyncio.ensure_future(self.look())

        async def look(self) -> None:
            while True:
                before_s = now_s()
                await asyncio.sleep(PROBE_S)
                self.lags.append((str(self._status.state), (now_s() - before_s - PROBE_S) * 1000))

        def keep(self) -> None:
            out.with_suffix(".part").write_text(json.dumps(self.lags))
            out.with_suffix(".part").replace(out)

    return Measured


class Replay(stand_in.StandIn):
    """2,000 turns, one after the other, as an assistant's thread would bring them."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(Bridge())
        self._listener = listener

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        wait = threading.Event()
        for event in stand_in.ready():
            self._listener(event)
        for turn in range(REPLAYED_TURNS):
            for event in one_turn(turn):
                self._listener(replace(event, at_s=now_s()))
                wait.wait(1 / TURNS_PER_S / 40)
        self._listener(stand_in.StateChanged(at_s=now_s(), state=State.MUTED))


def one_turn(turn: int) -> list[Event]:
    return [
        *stand_in.hearing(turn=turn),
        *stand_in.thinking(turn=turn),
        *stand_in.speaking(turn=turn),
        *stand_in.done(turn=turn),
    ]


def main() -> int:
    out, *options = sys.argv[1:]
    changed: Any = cockpit
    changed.ParlorApp = measured(Path(out))
    if options == ["--replay"]:
        return screen.run_screen(Replay, Settings())
    return cli.main(options)


if __name__ == "__main__":
    raise SystemExit(main())
