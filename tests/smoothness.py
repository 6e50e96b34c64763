"""How smooth the screen is, measured on the virtual rig: `python -m tests.smoothness [MINUTES]`. Prints JSON.

talk    the real program in tmux (120x36) on the lite models, a question spoken every few seconds for MINUTES (5)
storm   2,000 turns from a stand-in for the assistant, ten a second, while the terminal changes its size all the time

lag_ms  by how much longer than 10 ms a sleep of 10 ms took in the screen's event loop: p50, p99, max
cpu_pct of one core, of the terminal process alone
Run it on a machine that does nothing else.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tests.conftest import Home, make_home
from tests.e2e.running import READY_S
from tests.measure import asked
from tests.questions import question_wav
from tests.rig import Rig
from tests.terminal import Tmux

BETWEEN_S = 8.0
STORM_S = 60.0
IDLE_S = 30.0
SIZES = [(80, 24), (120, 40), (200, 60), (100, 30), (60, 15)]


def main() -> None:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = make_home(folder)
        for part in ("rig", "talk", "storm"):
            (folder / part).mkdir()
        rig = Rig(folder / "rig")
        os.environ.update(rig.env)
        try:
            result = {
                "talk": talk(home, rig, folder / "talk", minutes * 60),
                "storm": storm(home, rig, folder / "storm"),
            }
        finally:
            rig.stop()
    sys.stdout.write(json.dumps(result, indent=2) + "\n")


def terminal(home: Home, rig: Rig, folder: Path) -> Tmux:
    names = ("HOME", "PYTHONPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    return Tmux(folder, {**{name: home.env[name] for name in names if name in home.env}, **rig.env}, 120, 36)


def talk(home: Home, rig: Rig, folder: Path, seconds: float) -> dict[str, Any]:
    out = folder / "lag.json"
    screen = terminal(home, rig, folder)
    try:
        screen.run(f"{sys.executable} -m tests.measured_screen {out}")
        screen.wait_for("LISTENING", READY_S)
        time.sleep(3)
        process = psutil.Process(screen.program_pid())
        idle = cpu_pct(process, IDLE_S)
        before_s, began_s = cpu_s(process), time.monotonic()
        for question, voice in itertools.cycle(asked()):
            rig.speak(question_wav(question, voice))
            time.sleep(BETWEEN_S)
            if time.monotonic() - began_s >= seconds:
                break
        talking = (cpu_s(process) - before_s) * 100 / (time.monotonic() - began_s)
        time.sleep(3)
        lags = json.loads(out.read_text())
        screen.keys("C-q")
        screen.wait_for_end()
    finally:
        screen.close()
    answering = [lag for state, lag in lags if state in ("thinking", "speaking")]
    return {
        "cpu_pct": {"idle": round(idle, 1), "talking": round(talking, 1)},
        "lag_ms": {"whole talk": spread([lag for _, lag in lags]), "while it answers": spread(answering)},
    }


def storm(home: Home, rig: Rig, folder: Path) -> dict[str, Any]:
    out = folder / "lag.json"
    screen = terminal(home, rig, folder)
    try:
        screen.run(f"{sys.executable} -m tests.measured_screen {out} --replay")
        screen.wait_for("LISTENING", READY_S)
        process = psutil.Process(screen.program_pid())
        began_s, before_s = time.monotonic(), cpu_s(process)
        for columns, rows in itertools.cycle(SIZES):
            screen.call("resize-window", "-x", str(columns), "-y", str(rows))
            time.sleep(0.2)
            if time.monotonic() - began_s >= STORM_S:
                break
        busy = (cpu_s(process) - before_s) * 100 / (time.monotonic() - began_s)
        time.sleep(3)
        memory_mb = round(process.memory_info().rss / 1e6)
        lags = json.loads(out.read_text())
        screen.keys("C-q")
        screen.wait_for_end()
    finally:
        screen.close()
    return {"cpu_pct": round(busy, 1), "memory_mb": memory_mb, "lag_ms": spread([lag for _, lag in lags])}


def cpu_s(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


def cpu_pct(process: psutil.Process, seconds: float) -> float:
    before_s = cpu_s(process)
    time.sleep(seconds)
    return (cpu_s(process) - before_s) * 100 / seconds


def spread(lags_ms: list[float]) -> dict[str, float]:
    return {
        "p50": round(float(np.percentile(lags_ms, 50)), 1),
        "p99": round(float(np.percentile(lags_ms, 99)), 1),
        "max": round(max(lags_ms), 1),
        "samples": len(lags_ms),
    }


if __name__ == "__main__":
    main()
