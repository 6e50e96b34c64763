"""Real devices that fail under a real assistant: noticed within two seconds, told, and used again without a restart."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from parlor_tui.assistant import Assistant, assistant
from parlor_tui.bench.watching import Watch
from parlor_tui.devices import opencv, select, sound_system
from parlor_tui.devices.camera import CameraDevice
from parlor_tui.events import DeviceKind, DevicesChanged, DeviceUsed, Event, MicLevel, Notice, Ready, now_s
from parlor_tui.settings import Settings
from tests.assistant import scripted_core
from tests.conftest import ROOT
from tests.rig import Rig

NOTICED_S = 6.0
"""0.1 to 1.4 s where nothing else runs."""
BACK_S = 6.0


class Terminal:
    """An assistant with the system's default microphone and speaker, and a core that follows a script."""

    def __init__(self, folder: Path, **devices: str) -> None:
        self.watch = Watch()
        values = {f"devices.{kind}": choice for kind, choice in {"camera": "none", **devices}.items()}
        core = [sys.executable, scripted_core.__file__, str(folder / "told.jsonl")]
        settings = Settings().with_values(values, "test")
        self._block_came = threading.Event()
        self.assistant = Assistant(settings, folder / "config.toml", self._listen, core=core)

    def _listen(self, event: Event) -> None:
        if isinstance(event, MicLevel):
            self._block_came.set()
        self.watch.listener(event)

    def wait(self, mark: int, says: Callable[[Event], bool], seconds: float) -> Event:
        """The first event after `mark` that `says` so."""
        found = self.watch.wait(mark, Event, seconds, says)
        assert found is not None, self.watch.since(mark)[-8:]
        return found

    def notice(self, mark: int, key: str, *words: str) -> float:
        """When a notice of that trouble came, with one of these words in it; with none: that it is over."""

        def says(event: Event) -> bool:
            if not isinstance(event, Notice) or event.key != key:
                return False
            return any(word in event.text for word in words) if words else not event.text

        return self.wait(mark, says, NOTICED_S if words else BACK_S).at_s

    def used(self, mark: int, kind: DeviceKind) -> None:
        """Wait until one of that kind is in use again."""
        self.wait(mark, lambda e: isinstance(e, DeviceUsed) and e.kind == kind and bool(e.label), BACK_S)

    def hears(self) -> bool:
        """Whether blocks of the microphone come."""
        self._block_came.clear()
        return self._block_came.wait(3.0)


@pytest.fixture(scope="module")
def terminal(rig: Rig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """One for all faults of sound: it is to get over each of them."""
    assert sound_system.rescan(), "a test before left a stream open"
    folder = tmp_path_factory.mktemp("terminal")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))))
        patch.setattr(assistant, "not_now_file", lambda: folder / "not-now")
        patch.setattr(assistant, "log_file", lambda: folder / "log")
        made = Terminal(folder)
        made.assistant.start()
        assert made.watch.wait(0, Ready, 20.0) is not None
        made.used(0, "microphone")
        made.used(0, "speaker")
        yield made
        made.assistant.stop(3.0)


class Lens:
    """What OpenCV makes of a camera, in the hands of a test: it gives pictures, none any more, or hangs."""

    def __init__(self) -> None:
        self.works, self.hangs = True, False
        self.let_go = threading.Event()

    def read(self) -> tuple[bool, np.ndarray | None]:
        if self.hangs:
            self.let_go.wait(20)
        threading.Event().wait(0.03 if self.works else 0.0)
        return self.works, np.full((48, 64, 3), 120, np.uint8) if self.works else None

    def release(self) -> None: ...


def test_a_camera_that_is_unplugged_or_hangs_is_told_and_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lenses: list[Lens] = []
    there = [CameraDevice(0, "Front", "/dev/video0", allowed=True)]
    monkeypatch.setattr(select, "list_cameras", lambda: list(there))
    monkeypatch.setattr(opencv, "open_camera_device", lambda _: lenses.append(Lens()) or lenses[-1])
    monkeypatch.setattr(assistant, "not_now_file", lambda: tmp_path / "not-now")
    monkeypatch.setattr(assistant, "_RETRY_DEVICES_S", 0.5)  # what is tried is the same, sooner
    terminal = Terminal(tmp_path, microphone="none", speaker="none", camera="default")
    terminal.assistant.start()
    try:
        terminal.used(0, "camera")
        assert terminal.watch.wait(0, Ready, 20.0) is not None
        for hangs in (False, True):
            threading.Event().wait(0.3)
            mark, lens, began_s = terminal.watch.mark(), lenses[-1], now_s()
            there.clear()
            lens.hangs, lens.works = hangs, hangs
            assert terminal.notice(mark, "camera", "Front gives no picture") - began_s < NOTICED_S
            terminal.notice(mark, "camera", "no camera found")
            mark = terminal.watch.mark()
            there.append(CameraDevice(0, "Front", "/dev/video0", allowed=True))
            terminal.notice(mark, "camera")
            assert lenses[-1] is not lens
            lens.let_go.set()
    finally:
        terminal.assistant.stop(3.0)


STANDS_STILL = """
import sys, threading
from parlor_tui.devices import select
from parlor_tui.events import now_s
came = []
microphone, speaker = select.open_microphone("default"), select.open_speaker("default", 500, 40)
microphone.start(lambda block, at_s: came.append((now_s(), at_s)), lambda reason: print("lost", reason, flush=True))
speaker.start(lambda reason: print("lost", reason, flush=True))
while not came:
    threading.Event().wait(0.02)
threading.Event().wait(0.5)
print("began", flush=True)
sys.stdin.readline()
on_s, before = now_s(), len(came)
threading.Event().wait(1.2)
new = [one for one in came[before:] if one[0] > on_s + 0.5]
print("ages", *sorted(round(given_s - at_s, 3) for given_s, at_s in new), flush=True)
microphone.stop(0.5)
speaker.stop(0.5)
"""


def test_a_program_that_stood_still_hears_and_plays_on_and_took_nothing_for_lost(rig: Rig) -> None:
    command = [sys.executable, "-c", STANDS_STILL]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "began\n"
        child.send_signal(signal.SIGSTOP)
        threading.Event().wait(1.5)
        child.send_signal(signal.SIGCONT)
        child.stdin.write("\n")
        child.stdin.flush()
        told = child.stdout.read().splitlines()
        assert child.wait(5) == 0
    assert [line for line in told if line.startswith("lost")] == []
    ages_s = [float(age) for age in next(line for line in told if line.startswith("ages")).split()[1:]]
    assert len(ages_s) > 15, "sound comes as before"
    assert ages_s[len(ages_s) // 2] < 0.3, "and is not 1.5 s old"


def pactl(*words: str) -> str:
    return subprocess.run(["pactl", *words], capture_output=True, text=True, check=True, timeout=10).stdout


def own_recording() -> str:
    """The server's number of the recording of this process."""
    listed = json.loads(pactl("--format=json", "list", "source-outputs"))
    own = [one for one in listed if one["properties"].get("application.process.id") == str(os.getpid())]
    return str(max(one["index"] for one in own))


def test_a_microphone_that_is_lost_is_not_taken_for_what_the_speaker_plays(rig: Rig, terminal: Terminal) -> None:
    mark = terminal.watch.mark()
    rig.control("lose-mic")  # the server goes on with the monitor of the speaker
    terminal.notice(mark, "microphone", "Virtual_Microphone is there no more")
    terminal.notice(mark, "microphone", "no microphone is there")
    mark = terminal.watch.mark()
    rig.control("restore-mic")
    terminal.notice(mark, "microphone")
    assert terminal.hears()


def test_a_recording_that_somebody_moved_to_the_speaker_comes_back(terminal: Terminal) -> None:
    mark = terminal.watch.mark()
    pactl("move-source-output", own_recording(), "virtual_speaker.monitor")
    terminal.notice(mark, "microphone", "plug it in again or choose another one")
    terminal.used(mark, "microphone")
    assert terminal.hears()


def test_a_microphone_that_is_muted_at_the_source_is_told_by_its_name(terminal: Terminal) -> None:
    mark = terminal.watch.mark()
    pactl("set-source-mute", "virtual_mic", "1")
    terminal.notice(mark, "microphone-silent", "Virtual_Microphone is muted")
    mark = terminal.watch.mark()
    pactl("set-source-mute", "virtual_mic", "0")
    terminal.notice(mark, "microphone-silent")


def test_a_speaker_that_is_lost_is_told_and_so_is_its_return(rig: Rig, terminal: Terminal) -> None:
    mark = terminal.watch.mark()
    rig.control("lose-speaker")
    terminal.notice(mark, "", "the speaker Virtual_Speaker is gone: playing on")
    mark = terminal.watch.mark()
    rig.control("restore-speaker")
    terminal.notice(mark, "", "playing on Virtual_Speaker now")


def test_a_sound_server_that_hangs_is_told_and_used_once_it_answers(rig: Rig, terminal: Terminal) -> None:
    mark = terminal.watch.mark()
    rig.control("kill-server", "STOP")
    terminal.notice(mark, "microphone", "the sound system hangs")
    terminal.notice(mark, "speaker", "the sound system hangs")
    mark = terminal.watch.mark()
    rig.control("kill-server", "CONT")
    terminal.used(mark, "microphone")
    terminal.used(mark, "speaker")
    assert terminal.hears()


def test_a_sound_server_that_dies_is_used_again_and_at_another_rate(
    rig: Rig, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = terminal.watch.mark()
    rig.control("kill-server")
    terminal.notice(mark, "microphone", "is gone")
    terminal.notice(mark, "microphone", "the sound server does not run")
    terminal.notice(mark, "speaker", "the sound server does not run")
    mark = terminal.watch.mark()
    monkeypatch.setitem(rig._base, "VIRTUAL_AUDIO_RATE", "44100")
    rig.control("start")
    terminal.used(mark, "microphone")
    terminal.used(mark, "speaker")
    assert terminal.hears()
    terminal.wait(mark, lambda e: isinstance(e, DevicesChanged) and e.microphones == ("Virtual_Microphone",), BACK_S)
