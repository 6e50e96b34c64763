"""A microphone and a speaker made of software, for tests: speak into the one, record the other, take them away."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlor_tui.events import now_s

SCRIPT = Path(__file__).with_name("virtual-audio.sh")
MIC_INPUT = "virtual_mic_in"
SPEAKER_OUTPUT = "virtual_speaker.monitor"
RATE_HZ = 24_000
BLOCK_BYTES = 4 * RATE_HZ // 50
"""20 ms of float32."""
TOOLS = ("bash", "pulseaudio", "pactl", "paplay", "parec")
INSTALL = "apt-get install --no-install-recommends pulseaudio pulseaudio-utils libasound2-plugins libportaudio2"


class Recording:
    """What the speaker played since the recording began: mono float32 at 24 kHz, with the time at which it came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks: list[NDArray[np.float32]] = []
        self._times_s: list[float] = []
        self.began = threading.Event()
        """Set with the first block: from here on nothing is missed."""

    def add(self, raw: bytes, at_s: float) -> None:
        """Append a block of raw float32 that arrived at `at_s`."""
        with self._lock:
            self._blocks.append(np.frombuffer(raw, np.float32))
            self._times_s.append(at_s)
        self.began.set()

    def audio(self) -> NDArray[np.float32]:
        """Everything so far, shape (samples,)."""
        with self._lock:
            return np.concatenate(self._blocks) if self._blocks else np.zeros(0, np.float32)

    def first_sound_at_s(self, above: float = 0.01, after_s: float = 0.0) -> float | None:
        """When (on `now_s`) a sample first exceeded `above` after `after_s`; None if none did."""
        return self._when(above, after_s, last=False)

    def last_sound_at_s(self, above: float = 0.01, after_s: float = 0.0) -> float | None:
        """When a sample last exceeded `above`; None if none did after `after_s`."""
        return self._when(above, after_s, last=True)

    def _when(self, above: float, after_s: float, last: bool) -> float | None:
        with self._lock:
            pairs = list(zip(self._blocks, self._times_s, strict=True))
        for block, at_s in reversed(pairs) if last else pairs:
            loud = np.flatnonzero(np.abs(block) > above)
            if at_s > after_s and loud.size:
                at = loud[-1] if last else loud[0]
                return float(at_s - (block.size - at) / RATE_HZ)
        return None


class Rig:
    """The running server. `env` is what a child (or this process) needs on top of its environment to use it."""

    def __init__(self, folder: Path) -> None:
        """Start it, with its files in `folder`. Raises AssertionError, saying what to install, if it cannot be."""
        absent = [tool for tool in TOOLS if shutil.which(tool) is None]
        assert not absent, f"the audio rig needs {', '.join(absent)}: {INSTALL}"
        self._base = {**os.environ, "VIRTUAL_AUDIO_DIR": str(folder)}
        self.env: dict[str, str] = {}
        exports = self.control("start")
        self.env = dict(re.findall(r"^export (\w+)=(.*)$", exports, re.MULTILINE))

    def control(self, *words: str) -> str:
        """Run `virtual-audio.sh` with `words`, for instance "lose-mic", or "echo", "60", "-12"; returns its output."""
        command = ["bash", str(SCRIPT), *words]
        done = subprocess.run(
            command, env=self._base, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=30
        )
        assert done.returncode == 0, f"virtual-audio.sh {' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}"
        return done.stdout

    def reset(self) -> None:
        """Back to a server that runs, with a microphone, a speaker and no echo."""
        self.control("kill-server", "CONT")
        self.control("start")
        self.control("echo", "off")

    def speak(self, wav: Path) -> None:
        """Play `wav` into the microphone; returns once it is over."""
        self._check(["paplay", "-d", MIC_INPUT, str(wav)])

    @contextmanager
    def record(self) -> Iterator[Recording]:
        """Record the speaker within a `with`; recording has begun when the body does."""
        command = [
            "parec",
            "-d",
            SPEAKER_OUTPUT,
            "--format=float32le",
            f"--rate={RATE_HZ}",
            "--channels=1",
            "--latency-msec=20",
        ]
        recording = Recording()
        with subprocess.Popen(command, env={**os.environ, **self.env}, stdout=subprocess.PIPE) as parec:
            reader = threading.Thread(target=_read, args=(parec, recording), name="rig-recorder")
            reader.start()
            try:
                assert recording.began.wait(10), "nothing can be recorded from the virtual speaker"
                yield recording
            finally:
                parec.terminate()
                reader.join(5)

    def stop(self) -> None:
        """End the server."""
        self.control("kill-server", "CONT")
        self.control("stop")

    def _check(self, command: list[str]) -> None:
        done = subprocess.run(
            command, env={**os.environ, **self.env}, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, f"{command[0]}: {done.stderr.strip()}"


def _read(parec: subprocess.Popen[bytes], recording: Recording) -> None:
    assert parec.stdout is not None
    while len(raw := parec.stdout.read(BLOCK_BYTES)) == BLOCK_BYTES:
        recording.add(raw, now_s())
