"""PulseAudio, and PipeWire in its place: its own microphones and speakers, which PortAudio knows only as one, `pulse`.

Asked through `pactl`. Without it, or without a server, there are none.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

ROUTE = "pulse"
"""What PortAudio calls the way to the server; which device of it is meant stands in the environment."""
VARIABLES = {"microphone": "PULSE_SOURCE", "speaker": "PULSE_SINK"}
_KINDS = {"microphone": "sources", "speaker": "sinks"}
ANSWER_S = 2.0


@dataclass(frozen=True, slots=True)
class PulseDevice:
    """One of the server's: `name` is its own, `description` what people call it."""

    name: str
    description: str


def can_ask() -> bool:
    """Whether there is a `pactl` to ask a server with."""
    return shutil.which("pactl") is not None


def finds_no_server() -> bool:
    """Whether `pactl` is there, and no server that answers it."""
    return can_ask() and pulse_devices("speaker") is None


def pulse_devices(kind: Literal["microphone", "speaker"]) -> list[PulseDevice] | None:
    """The server's devices that one can talk into or listen to; None where there is no server that answers."""
    if not can_ask():
        return None
    command = ["pactl", "--format=json", "list", _KINDS[kind]]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=ANSWER_S)
        return parse_devices(done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired):
        return None


def parse_devices(listed: str) -> list[PulseDevice] | None:
    """What `pactl --format=json list` says, without the recordings of what a speaker plays; None if that is no list."""
    try:
        found: Any = json.loads(listed)
    except ValueError:
        return None
    if not isinstance(found, list):
        return None
    devices = []
    for one in found:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            continue
        if one.get("monitor_source") and str(one["name"]).endswith(".monitor"):
            continue  # of a source it names the speaker that is recorded
        devices.append(PulseDevice(one["name"], str(one.get("description") or one["name"])))
    return devices


def find(kind: Literal["microphone", "speaker"], choice: str) -> list[PulseDevice]:
    """The devices that `choice` means: one by its whole name or description, else each that has it as a part."""
    wanted = choice.strip().casefold()
    known = (pulse_devices(kind) if wanted else None) or []
    exact = [one for one in known if wanted in (one.name.casefold(), one.description.casefold())]
    return exact[:1] or [one for one in known if wanted in one.description.casefold()]


@contextmanager
def routed(kind: Literal["microphone", "speaker"], name: str) -> Iterator[None]:
    """Whatever opens `pulse` meanwhile gets the device `name`; with "" the server's default. One at a time.

    It sets the environment of this process for so long: PortAudio opens a device by its number, which is the same for
    all of the server's, and passes no name on; libpulse, which opens the stream in the end, asks the environment alone.
    """
    variable = VARIABLES[kind]
    before = os.environ.get(variable)
    if name:
        os.environ[variable] = name
    try:
        yield
    finally:
        if name and before is None:
            del os.environ[variable]
        elif name and before is not None:
            os.environ[variable] = before
