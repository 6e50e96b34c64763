"""What is done to the core, the link, the disk and the machine to make a fault happen, and to end it: all real."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlor_tui.bench.soak.stand_in import OTHER_RATE_HZ, StandIns
from parlor_tui.conversations.record import ConversationError
from parlor_tui.conversations.store import LAST, TALK, Store
from parlor_tui.devices.base import MIC_RATE_HZ
from parlor_tui.usage import psutil

SLEEP_S = 3.0
"""Long enough for everything that watches to have missed its time."""
_SLEEPER = """
import os, signal, sys, time
program, core, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
slept = []
try:
    for pid in (core, program):
        os.kill(pid, signal.SIGSTOP)
        slept.append(pid)
    time.sleep(seconds)
finally:
    for pid in reversed(slept):
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.1)  # not all of it wakes at the same moment
"""
_FULL = Path("/dev/full")


class CannotBeError(Exception):
    """The fault cannot be made to happen just now; the message is one line."""


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Deed:
    """`do` makes the fault happen (raises CannotBeError, OSError, psutil's errors), `undo` ends what causes it."""

    do: Callable[[], None]
    undo: Callable[[], None] = _nothing


@dataclass(frozen=True, slots=True)
class Deeds:
    """What can be done here by name, and of what cannot, why not."""

    there: Mapping[str, Deed]
    absent: Mapping[str, str]


def of_process(core_pid: Callable[[], int | None], conversations: Path) -> Deeds:
    """What is done to the core and to this process, on any place. `conversations`: the folder that they are kept in."""
    deeds: dict[str, Deed] = {"core-kill": Deed(lambda: _process(core_pid).kill())}
    absent: dict[str, str] = {}
    core = _Core(core_pid)
    if hasattr(signal, "SIGSTOP"):
        deeds["core-crash"] = Deed(lambda: _process(core_pid).send_signal(signal.SIGSEGV))
        deeds["core-hang"] = Deed(core.stand_still, core.go_on)
        deeds["suspend"] = Deed(lambda: _sleep(_pid(core_pid)))
        deeds["link-cut"] = Deed(lambda: _cut_link(_pid(core_pid)))
    else:
        absent |= dict.fromkeys(("core-crash", "core-hang", "suspend"), "this system has no such signals")
        absent["link-cut"] = "this system does not show a process its own sockets"
    if hasattr(psutil(), "RLIMIT_AS"):
        deeds["core-memory"] = Deed(core.limit_memory, core.lift_limit)
    else:
        absent["core-memory"] = "this system cannot limit the memory of another process"
    if _FULL.exists():
        disk = _Disk(conversations)
        deeds["disk-full"] = Deed(disk.fill, disk.make_room)
    else:
        absent["disk-full"] = f"this system has no {_FULL}"
    return Deeds(deeds, absent)


def of_stand_ins(stand_ins: StandIns) -> Deeds:
    """What is done to the devices of a room."""

    def fails(kind: str, health: Any) -> Deed:
        return Deed(lambda: stand_ins.set(kind, health), lambda: stand_ins.set(kind, "well"))

    def other_rate() -> None:
        """It stays at that; the next time it goes back."""
        before = stand_ins.microphone_rate_hz
        stand_ins.microphone_rate_hz = OTHER_RATE_HZ if before == MIC_RATE_HZ else MIC_RATE_HZ

    deeds = {
        "mic-lost": fails("microphone", "gone"),
        "mic-hung": fails("microphone", "hung"),
        "mic-muted": fails("microphone", "muted"),
        "mic-rate": Deed(other_rate),
        "speaker-lost": fails("speaker", "gone"),
        "speaker-hung": fails("speaker", "hung"),
        "camera-lost": fails("camera", "gone"),
    }
    return Deeds(deeds, dict.fromkeys(("mic-moved", "sound-hung"), "a room has no sound server: --rig has one"))


def _pid(core_pid: Callable[[], int | None]) -> int:
    pid = core_pid()
    if pid is None:
        raise CannotBeError("there is no core")
    return pid


def _process(core_pid: Callable[[], int | None]) -> Any:
    return psutil().Process(_pid(core_pid))


class _Core:
    """Holds on to the core that something is done to: that is ended of this one, and never of the next."""

    def __init__(self, core_pid: Callable[[], int | None]) -> None:
        self._core_pid = core_pid
        self._process: Any = None
        self._limits: Any = None

    def stand_still(self) -> None:
        self._process = _process(self._core_pid)
        self._process.suspend()

    def go_on(self) -> None:
        with contextlib.suppress(psutil().Error):
            self._process.resume()

    def limit_memory(self) -> None:
        """It may have no more address space than it has."""
        self._process = _process(self._core_pid)
        self._limits = self._process.rlimit(psutil().RLIMIT_AS)
        self._process.rlimit(psutil().RLIMIT_AS, (self._process.memory_info().vms, self._limits[1]))

    def lift_limit(self) -> None:
        with contextlib.suppress(psutil().Error):
            self._process.rlimit(psutil().RLIMIT_AS, self._limits)


def _sleep(core_pid: int) -> None:
    """Stop this process and the core for a while, all threads of both, as a machine that sleeps does."""
    command = [sys.executable, "-I", "-S", "-c", _SLEEPER, str(os.getpid()), str(core_pid), str(SLEEP_S)]
    quiet = subprocess.DEVNULL
    # In a session of its own, so that Ctrl+C does not end it before it wakes the others.
    subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, check=False, start_new_session=True)


def _cut_link(core_pid: int) -> None:
    """Shut down this process's own sockets to the core: both ends learn that the link is no more."""
    listening = {one.laddr.port for one in psutil().Process(core_pid).net_connections("tcp") if not one.raddr}
    own = psutil().Process().net_connections("tcp")
    links = [one.fd for one in own if one.raddr and one.raddr.port in listening and one.fd >= 0]
    if not links:
        raise CannotBeError("there is no link to the core")
    for number in links:
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(number)) as link:
            link.shutdown(socket.SHUT_RDWR)


class _Disk:
    """Puts a file that the system refuses to write, for want of room, in place of the conversation's."""

    def __init__(self, conversations: Path) -> None:
        self._store = Store(conversations)
        self._file: Path | None = None

    def fill(self) -> None:
        try:
            file = self._store.folder / self._store.find(LAST) / TALK
        except ConversationError as error:
            raise CannotBeError(str(error)) from None
        _kept(file).unlink(missing_ok=True)
        os.link(file, _kept(file))
        full = file.with_suffix(".full")
        full.symlink_to(_FULL)
        full.replace(file)
        self._file = file

    def make_room(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            _kept(file).replace(file)


def _kept(file: Path) -> Path:
    return file.with_suffix(".kept")
