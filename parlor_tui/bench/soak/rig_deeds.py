"""What is done to the sound devices of a rig, by PulseAudio's own tools: modules unloaded, streams moved, muted."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
from typing import Any, NamedTuple

from parlor_tui.bench.rig import MIC, SPEAKER_OUTPUT, Rig
from parlor_tui.bench.soak.deeds import CannotBeError, Deed, Deeds

_ANSWERS_S = 10.0
_SPEAKER = SPEAKER_OUTPUT.removesuffix(".monitor")
_MUTED, _LOUD = "1", "0"


class _Module(NamedTuple):
    """One that the server has loaded, by its name and its arguments."""

    name: str
    arguments: str


def of_rig(rig: Rig) -> Deeds:
    """What can be done to the devices of `rig`. Each needs no rights of root."""
    modules, server = _Modules(rig), _Server(rig)
    deeds = {
        "mic-lost": Deed(lambda: modules.unload(f"source_name={MIC}"), modules.restore),
        "mic-muted": Deed(lambda: _mute(_MUTED), lambda: _mute(_LOUD)),
        "mic-moved": Deed(_move_own_recording),
        "speaker-lost": Deed(lambda: modules.unload(f"sink_name={_SPEAKER}"), modules.restore),
        "sound-hung": Deed(server.stand_still, server.go_on),
    }
    absent = dict.fromkeys(("mic-hung", "speaker-hung"), "here the whole sound server hangs: sound-hung")
    absent["mic-rate"] = "PulseAudio keeps the rate of a stream whatever its device runs at"
    absent["camera-lost"] = "there is no camera on the rig"
    return Deeds(deeds, absent)


class _Modules:
    """Unloads a device as if it were unplugged, and loads all again that went with it."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._before: list[tuple[str, _Module]] = []

    def unload(self, argument: str) -> None:
        """Unload the module with this argument."""
        self._before = _loaded()
        for index, module in self._before:
            if argument in module.arguments.split():
                _pactl("unload-module", index)
                return
        raise CannotBeError(f"no module of PulseAudio has {argument}")

    def restore(self) -> None:
        """What is no longer loaded is loaded again, and is the default again."""
        there = [module for _, module in _loaded()]
        for _, module in self._before:
            if module in there:
                there.remove(module)
            else:
                _pactl("load-module", module.name, *module.arguments.split())
        _pactl("set-default-source", MIC)
        _pactl("set-default-sink", _SPEAKER)
        self._rig.record()


class _Server:
    """The sound server's process, which is told to stand still."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._pid = 0

    def stand_still(self) -> None:
        self._pid = _server_pid()
        os.kill(self._pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self._pid, signal.SIGCONT)
        self._rig.record()


def _move_own_recording() -> None:
    """Have the server give this process what the speaker plays, in place of the microphone."""
    listed: list[dict[str, Any]] = json.loads(_pactl("--format=json", "list", "source-outputs"))
    own = [one["index"] for one in listed if one["properties"].get("application.process.id") == str(os.getpid())]
    if not own:
        raise CannotBeError("nothing is recorded")
    _pactl("move-source-output", str(max(own)), SPEAKER_OUTPUT)


def _mute(wanted: str) -> None:
    _pactl("set-source-mute", MIC, wanted)


def _loaded() -> list[tuple[str, _Module]]:
    """Every module with its number, in the order in which they were loaded."""
    lines = (line.split("\t") for line in _pactl("list", "short", "modules").splitlines())
    return [(fields[0], _Module(fields[1], fields[2])) for fields in lines if len(fields) > 2]


def _server_pid() -> int:
    """The process at the other end of the server's socket."""
    told = dict(line.split(": ", 1) for line in _pactl("info").splitlines() if ": " in line)
    path = told.get("Server String", "").removeprefix("unix:").removeprefix("{")
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        pid, _, _ = struct.unpack("3i", server.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(pid)


def _pactl(*words: str) -> str:
    """What `pactl` says. Raises CannotBeError, in one line."""
    try:
        done = subprocess.run(
            ["pactl", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_ANSWERS_S,
            env={**os.environ, "LC_ALL": "C"},  # its words are read
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBeError(f"pactl: {type(error).__name__}") from None
    if done.returncode:
        raise CannotBeError(f"pactl {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
