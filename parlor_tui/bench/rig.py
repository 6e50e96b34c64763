"""Real devices in place of the room: a virtual microphone and speaker of PulseAudio, played to and recorded beside.

The assistant opens the system's default devices. Speech is played into the sink `virtual_mic_in`, which the source
`virtual_mic` records; what `virtual_speaker` plays is recorded from its monitor.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

import numpy as np

from parlor_tui.bench.analysis import Track
from parlor_tui.bench.room import Heard
from parlor_tui.bench.sound import Colour, Echo, Sound, Tape
from parlor_tui.bench.utterances import BenchError
from parlor_tui.devices.base import MIC_RATE_HZ, SPEAKER_RATE_HZ
from parlor_tui.devices.resample import resample_whole
from parlor_tui.devices.select import Opener
from parlor_tui.devices.sound_file import WavRecording
from parlor_tui.events import now_s
from parlor_tui.pcm import samples_of

MIC_INPUT, MIC, SPEAKER_OUTPUT = "virtual_mic_in", "virtual_mic", "virtual_speaker.monitor"
_TOOLS = ("pactl", "paplay", "parec")
_START_S = 10.0
_READ_BYTES = 4096


class Rig:
    """See `sitting.Place`. `open` raises BenchError, in one line, where there are no such devices.

    `kept_s`: so much of both sides can be heard afterwards, and a recording that ends is no fault: `record` begins
    another one. None: all of it, and the end of one is the end of the rig.
    """

    def __init__(self, kept_s: float | None = None) -> None:
        self.fault = ""
        self._kept_s = kept_s
        self.opener = Opener()
        self.missed_steps = 0
        self._mic: _Capture | None = None
        self._speaker: _Capture | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="parlor-tui-bench-")
        self._spoken = 0
        self._playing: list[subprocess.Popen[bytes]] = []

    @staticmethod
    def check() -> None:
        """Raises BenchError, in one line, where there are no such devices."""
        if not sys.platform.startswith("linux") or any(shutil.which(tool) is None for tool in _TOOLS):
            raise BenchError(f"--rig needs Linux with PulseAudio's {', '.join(_TOOLS)}", missing=True)
        found = subprocess.run(["pactl", "list", "short", "sinks"], capture_output=True, text=True, check=False)
        if MIC_INPUT not in found.stdout:
            raise BenchError(
                f"--rig needs the virtual devices {MIC_INPUT} and virtual_speaker in PulseAudio, and there are none",
                missing=True,
            )

    def open(self) -> None:
        """Begin to record both sides."""
        self.check()
        self.record()

    def record(self) -> None:
        """Begin to record both sides, anew if they were recorded before."""
        self._stop_recording()
        self._mic, self._speaker = _Capture(MIC, self._kept_s), _Capture(SPEAKER_OUTPUT, self._kept_s)

    def close(self) -> None:
        """End it."""
        self._stop_recording()
        for playing in self._playing:
            playing.kill()
            playing.wait()
        self._folder.cleanup()

    def say(self, samples: Sound) -> float:
        """See `sitting.Place`."""
        self._spoken += 1
        file = Path(self._folder.name) / f"{self._spoken}.wav"
        recording = WavRecording(file)
        recording.add(np.clip(resample_whole(samples, MIC_RATE_HZ, SPEAKER_RATE_HZ), -1, 1))
        recording.close()
        self._playing = [playing for playing in self._playing if playing.poll() is None]
        self._playing.append(subprocess.Popen(["paplay", "-d", MIC_INPUT, "--latency-msec=20", str(file)]))
        return now_s()

    def heard(self, from_s: float, until_s: float) -> Heard:
        """See `sitting.Place`. Nobody knows the user apart from echo and noise here, nor what the reply was to be."""
        if self._mic is None or self._speaker is None:
            raise BenchError("the rig is not open")
        for capture in (self._mic, self._speaker):
            self.fault = self.fault or (capture.fault if self._kept_s is None else "")
        mic, speaker = self._mic.track(from_s, until_s), self._speaker.track(from_s, until_s)
        return Heard(mic, mic, speaker, None)

    def set_echo(self, echo: Echo | None) -> None:
        """Not here: the rig has its own."""
        if echo is not None:
            raise BenchError("the rig's echo is set where it is started")

    def set_noise(self, dbfs: float | None, colour: Colour = "white") -> None:  # noqa: ARG002
        """Not here."""
        if dbfs is not None:
            raise BenchError("there is no noise on the rig")

    def _stop_recording(self) -> None:
        for capture in (self._mic, self._speaker):
            if capture is not None:
                capture.stop()


class _Capture:
    """Records one source of PulseAudio at 16 kHz. Times are those of the earliest arrival, which waited for nothing."""

    def __init__(self, source: str, kept_s: float | None) -> None:
        """Returns once sound comes. Raises BenchError if none does."""
        self.fault = ""
        self._source = source
        self._tape = Tape(None if kept_s is None else round(kept_s * MIC_RATE_HZ))
        self._start_s = float("inf")
        self._lock = threading.Lock()
        self._begun = threading.Event()
        command = ["parec", "-d", source, f"--rate={MIC_RATE_HZ}", "--channels=1", "--format=s16le", "--raw"]
        self._process = subprocess.Popen([*command, "--latency-msec=10"], stdout=subprocess.PIPE)
        if self._process.stdout is not None:
            threading.Thread(
                target=self._read, args=(self._process.stdout,), name=f"capture {source}", daemon=True
            ).start()
        if not self._begun.wait(_START_S):
            self.stop()
            raise BenchError(f"--rig: nothing can be recorded from {source}", missing=True)

    def track(self, from_s: float, until_s: float) -> Track:
        """What was recorded between, as far as it came."""
        with self._lock:
            first = max(0, round((from_s - self._start_s) * MIC_RATE_HZ))
            end = min(self._tape.length, max(first, round((until_s - self._start_s) * MIC_RATE_HZ)))
            return Track(self._tape.get(first, end), MIC_RATE_HZ, self._start_s + first / MIC_RATE_HZ)

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def _read(self, stream: IO[bytes]) -> None:
        rest = b""
        while piece := getattr(stream, "read1", stream.read)(_READ_BYTES):
            at_s, piece = now_s(), rest + piece
            whole = len(piece) // 2 * 2
            rest = piece[whole:]
            samples = samples_of(piece[:whole])
            with self._lock:
                self._tape.put(self._tape.length, samples)
                self._start_s = min(self._start_s, at_s - self._tape.length / MIC_RATE_HZ)
            self._begun.set()
        self.fault = f"the recording of {self._source} ended"
