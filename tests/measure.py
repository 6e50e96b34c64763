"""Measures the program as people run it, on the virtual rig: `python -m tests.measure`. Prints one JSON object.

`python -m tests.measure talk [OPTIONS OF THE PROGRAM]` measures the ten questions alone, for instance
`talk --profile gemma --model tiny.litertlm --camera moving`; `moving` is a picture that changes every eight seconds.

first_paint_s   from the start of the process to the first frame on a real terminal (tmux), polled every 10 ms
ready_s         from the start of the process to LISTENING, models on disk
idle_cpu_pct    of one core, over 30 s of listening to a silent room: terminal process, core process
memory_mb       resident, after ten turns: terminal process, core process
stages_ms       median over ten spoken questions, by the program's own events
Run it on a machine that does nothing else.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import psutil

from tests.conftest import Home, make_home
from tests.e2e.running import READY_S, headless
from tests.questions import QUESTIONS, VOICES, question_wav
from tests.rig import Rig
from tests.terminal import Tmux

IDLE_S = 30.0
RUNS = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        home = make_home(place)
        (place / "rig").mkdir()
        rig = Rig(place / "rig")
        for question, voice in asked():
            question_wav(question, voice)
        os.environ.update(rig.env)
        try:
            if sys.argv[1:2] == ["talk"]:
                options = [moving_video(place) if word == "moving" else word for word in sys.argv[2:]]
                sys.stdout.write(json.dumps(talk(home, rig, *options), indent=2) + "\n")
                return
            starts = [start(home, rig, place / f"start{n}") for n in range(RUNS)]
            result: dict[str, Any] = {
                name: round(statistics.median(one[name] for one in starts), 2) for name in ("first_paint_s", "ready_s")
            }
            result["idle_cpu_pct"] = {name: round(pct, 1) for name, pct in starts[-1]["cpu"].items()}
            result |= talk(home, rig)
        finally:
            rig.stop()
    sys.stdout.write(json.dumps(result, indent=2) + "\n")


def asked() -> list[tuple[str, str]]:
    return [(question, VOICES[n % len(VOICES)]) for n, question in enumerate(QUESTIONS, 1)]


def start(home: Home, rig: Rig, folder: Path) -> dict[str, Any]:
    folder.mkdir()
    names = ("HOME", "PYTHONPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    screen = Tmux(folder, {**{name: home.env[name] for name in names}, **rig.env}, 120, 36)
    try:
        began_s = time.time()
        screen.run(f"{sys.executable} -m parlor_tui")
        while "parlor" not in screen.picture():
            time.sleep(0.01)
        painted_s = time.time()
        screen.wait_for("LISTENING", READY_S)
        ready_s = time.time()
        terminal = psutil.Process(screen.program_pid())
        (core,) = [p for p in terminal.children() if "core" in p.cmdline()]
        time.sleep(2)
        before = {name: sum(p.cpu_times()[:2]) for name, p in (("terminal", terminal), ("core", core))}
        time.sleep(IDLE_S if folder.name == f"start{RUNS - 1}" else 1)
        passed_s = IDLE_S if folder.name == f"start{RUNS - 1}" else 1
        cpu = {
            name: (sum(p.cpu_times()[:2]) - before[name]) * 100 / passed_s
            for name, p in (("terminal", terminal), ("core", core))
        }
        screen.keys("C-q")
        screen.wait_for_end()
    finally:
        screen.close()
    return {"first_paint_s": painted_s - began_s, "ready_s": ready_s - began_s, "cpu": cpu}


def moving_video(folder: Path) -> str:
    """A video of five minutes whose picture is another one every eight seconds: about each turn, seldom within one."""
    file = folder / "moving.avi"
    video = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 5, (640, 480))
    for second in range(0, 300, 8):
        frame_bgr = np.full((480, 640, 3), 190, np.uint8)
        colour = tuple(int(part) for part in np.random.default_rng(second).integers(0, 255, 3))
        cv2.circle(frame_bgr, (120 + 97 * second % 400, 240), 110, colour, -1)
        for _ in range(8 * 5):
            video.write(frame_bgr)
    video.release()
    return str(file)


def talk(home: Home, rig: Rig, *options: str) -> dict[str, Any]:
    with headless(*options, home=home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        terminal = psutil.Process(live.process.pid)
        (core,) = [p for p in terminal.children() if "core" in p.cmdline()]
        for number, (question, voice) in enumerate(asked(), 1):
            rig.speak(question_wav(question, voice))
            live.wait("turn_done", count=number)
        turns = live.of("turn_done")
        memory_mb = {name: round(p.memory_info().rss / 1e6) for name, p in (("terminal", terminal), ("core", core))}
    names = dict.fromkeys(name for turn in turns for name in turn["stages_ms"])
    stages = {name: round(statistics.median(turn["stages_ms"].get(name, 0) for turn in turns)) for name in names}
    return {"memory_mb": memory_mb, "stages_ms": stages}


if __name__ == "__main__":
    main()
