"""PortAudio; the only module that imports sounddevice.

A sound server that hangs makes opening, closing and even listing hang with it: all of it runs on threads that may be
abandoned. PortAudio lists devices once, and again only after `rescan`.
"""

from __future__ import annotations

import atexit
import functools
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from parlor_tui.devices import pulse
from parlor_tui.devices.base import DeviceError
from parlor_tui.devices.bounded import run_bounded

Kind = Literal["microphone", "speaker"]
ANSWER_S = 5.0
RESUME_S = 1.5
"""Sound is waiting to be played: who waits longer is told."""
"""Longest wait for the sound system to list its devices or to open one."""
NO_ANSWER = "the sound system does not answer: restart it (Linux: systemctl --user restart pipewire pulseaudio)"
NO_SERVER = "the sound server does not run: start it (Linux: systemctl --user start pipewire pulseaudio)"

_lock = threading.Lock()
_open_streams = 0


@dataclass(frozen=True, slots=True)
class SoundDevice:
    """A sound device as PortAudio knows it; `rate_hz` is its own rate.

    `routed`: it is the way to the sound server, for the server's own device of this name.
    """

    number: int
    name: str
    host: str
    microphone_channels: int
    speaker_channels: int
    rate_hz: int
    default_microphone: bool
    default_speaker: bool
    default_host: bool
    routed: str = ""

    def channels(self, kind: Kind) -> int:
        """How many channels it has as a `kind`; 0: it is none."""
        return self.microphone_channels if kind == "microphone" else self.speaker_channels

    def is_default(self, kind: Kind) -> bool:
        """Whether the system uses it where nobody chose a `kind`."""
        return self.default_microphone if kind == "microphone" else self.default_speaker


def _import_sounddevice() -> Any:
    import sounddevice

    return sounddevice


def load() -> Any:
    """The sounddevice module. Raises DeviceError if PortAudio is missing or does not answer."""
    try:
        return run_bounded(_import_sounddevice, ANSWER_S, "sound system: load")
    except TimeoutError:
        raise DeviceError(NO_ANSWER) from None
    except (OSError, ImportError):
        raise DeviceError(_how_to_get_portaudio(), missing=True) from None
    except Exception as error:  # noqa: BLE001 - PortAudio may refuse to initialise with its own error type, not importable here
        raise DeviceError(f"PortAudio does not start: {error}", missing=True) from None


def _how_to_get_portaudio() -> str:
    if sys.platform.startswith("linux"):
        return "PortAudio is missing: sudo apt-get install libportaudio2 (Fedora: sudo dnf install portaudio)"
    return "PortAudio is missing: it comes with the package: pip install --force-reinstall sounddevice"


def devices() -> list[SoundDevice]:
    """What PortAudio knows. Raises DeviceError if there is no PortAudio; no devices are an empty list."""
    sd = load()

    def read() -> list[SoundDevice]:
        with _lock:
            hosts = sd.query_hostapis()
            default_in, default_out = (int(n) for n in sd.default.device)
            found = sd.query_devices()
        default_hosts = {found[n]["hostapi"] for n in (default_in, default_out) if 0 <= n < len(found)}
        return [
            SoundDevice(
                number=number,
                name=str(one["name"]),
                host=str(hosts[one["hostapi"]]["name"]),
                microphone_channels=int(one["max_input_channels"]),
                speaker_channels=int(one["max_output_channels"]),
                rate_hz=int(one["default_samplerate"]),
                default_microphone=number == default_in,
                default_speaker=number == default_out,
                default_host=one["hostapi"] in default_hosts,
            )
            for number, one in enumerate(found)
        ]

    try:
        return run_bounded(read, ANSWER_S, "sound system: list")
    except TimeoutError:
        raise DeviceError(NO_ANSWER) from None
    except sd.PortAudioError as error:
        raise DeviceError(f"the sound devices cannot be listed: {_reason(error)}") from None


def rescan() -> bool:
    """Let PortAudio look for devices again; False (and nothing done) while a stream is open or the system hangs."""
    sd = load()

    def again() -> bool:
        with _lock:
            if _open_streams:
                return False
            sd._terminate()
            sd._initialize()
            return True

    try:
        return run_bounded(again, ANSWER_S, "sound system: rescan")
    except (TimeoutError, sd.PortAudioError):
        return False


def choose(kind: Kind, choice: str) -> SoundDevice:
    """The device meant by `default`, a number, or a part of a name.

    Raises DeviceError with the candidates where none or several are meant.
    """
    for fresh in (False, True):
        known = [device for device in devices() if device.channels(kind)]
        found = _through_pulse(known, kind, choice) or _matches(known, kind, choice)
        if found or fresh or not rescan():
            break
    if len(found) == 1:
        if kind == "microphone" and choice == "default" and _server_has_none(known, kind):
            raise DeviceError("no microphone is there: plug one in, or type instead", missing=True)
        return found[0]
    if not known:
        raise DeviceError(
            f"no {kind} found: plug one in or start the sound server, or type instead; "
            "`parlor-tui devices` shows what there is",
            missing=True,
        )
    served = [] if found else _served(known, kind)
    names = ", ".join(served or [f"{device.number} {device.name}" for device in found or known])
    if found:
        raise DeviceError(f"{kind} {choice!r}: several match: {names}; give the number of one")
    what = "no default is set" if choice == "default" else "no such device or file"
    raise DeviceError(f"{kind} {choice!r}: {what}; there are: {names}", missing=True)


def _server_has_none(known: list[SoundDevice], kind: Kind) -> bool:
    """Whether the way leads to a sound server without a `kind`: it would record what the speaker plays instead."""
    return any(device.name == pulse.ROUTE for device in known) and pulse.pulse_devices(kind) == []


def _served(known: list[SoundDevice], kind: Kind) -> list[str]:
    """The names of the sound server's own devices, if there is a way to it."""
    way = any(device.name == pulse.ROUTE for device in known)
    return [one.description for one in (pulse.pulse_devices(kind) or [])] if way else []


def _through_pulse(known: list[SoundDevice], kind: Kind, choice: str) -> list[SoundDevice]:
    """The sound server's own devices that are meant, if there is a way to it."""
    way = next((device for device in known if device.name == pulse.ROUTE), None)
    if way is None or choice == "default" or choice.strip().isdecimal() or choice.strip() == pulse.ROUTE:
        return []
    return [replace(way, name=one.description, routed=one.name) for one in pulse.find(kind, choice)]


def _matches(known: list[SoundDevice], kind: Kind, choice: str) -> list[SoundDevice]:
    if choice == "default":
        return [device for device in known if device.is_default(kind)]
    wanted = choice.strip().casefold()
    if wanted.isdecimal():
        return [device for device in known if str(device.number) == wanted.lstrip("0").rjust(1, "0")]
    if not wanted:
        return []
    exact = [
        device for device in known if wanted in (device.name.casefold(), f"{device.name}, {device.host}".casefold())
    ]
    found = exact or [device for device in known if wanted in f"{device.name}, {device.host}".casefold()]
    # Windows lists each device once for each of its sound interfaces: the one in use is meant.
    usual = [device for device in found if device.default_host]
    return usual if len(found) > 1 and len(usual) == 1 else found


class Streaming(Protocol):
    """An open stream, whoever opened it."""

    rate_hz: int
    latency_s: float

    def pause(self) -> None:
        """Leave the device to others until `resume`. Raises DeviceError."""

    def resume(self) -> None:
        """Go on, at the same rate; nothing happens to one that was closed. Raises DeviceError."""

    def close(self, timeout_s: float) -> bool:
        """Close it; False if it hangs and was left to itself."""


class OpenStream(Protocol):
    """See `open_stream`."""

    def __call__(
        self,
        kind: Kind,
        device: SoundDevice,
        rate_hz: int,
        *,
        latency: float | Literal["low", "high"],
        callback: Callable[..., None],
        finished: Callable[[], None],
    ) -> Streaming:
        """Open and start a stream. Raises DeviceError."""


class Stream:
    """A PortAudio stream that is open and runs, and can be closed whatever state it is in. `make` opens one."""

    def __init__(self, make: Callable[[], Any]) -> None:
        """Raises what `make` does."""
        global _open_streams  # noqa: PLW0603 - PortAudio is one per process, and so is its count
        self._make = make
        self._turns = threading.Lock()
        self._closed = False
        self._sd_stream = make()
        with _lock:
            _open_streams += 1
        self.rate_hz = int(self._sd_stream.samplerate)
        self.channels = int(self._sd_stream.channels)
        self.latency_s = float(self._sd_stream.latency)
        try:
            self._sd_stream.start()
        except BaseException:
            self._close()
            raise

    def pause(self) -> None:
        """See Streaming. PortAudio hangs where it is to start one again whose server is gone: it is closed."""
        self._do(self._let_go, "pause")

    def resume(self) -> None:
        """See Streaming."""

        def again() -> None:
            self._sd_stream = self._make()
            self._sd_stream.start()

        self._do(again, "resume")

    def close(self, timeout_s: float) -> bool:
        """Close it; False if it hangs and was left to itself."""
        try:
            run_bounded(self._close, timeout_s, "sound system: close")
        except TimeoutError:
            _leave_to_itself()
            return False
        return True

    def _do(self, what: Callable[[], None], name: str) -> None:
        def unless_closed() -> None:
            with self._turns:
                if not self._closed:
                    what()

        try:
            run_bounded(unless_closed, RESUME_S, f"sound system: {name}")
        except TimeoutError:
            _leave_to_itself()
            raise DeviceError(NO_ANSWER) from None
        except (sys.modules["sounddevice"].PortAudioError, ValueError) as error:
            raise DeviceError(_reason(error)) from None

    def _let_go(self) -> None:
        sd_stream, self._sd_stream = self._sd_stream, None
        if sd_stream is not None:
            sd_stream.abort(ignore_errors=True)
            with _lock:
                sd_stream.close(ignore_errors=True)

    def _close(self) -> None:
        global _open_streams  # noqa: PLW0603 - PortAudio is one per process, and so is its count
        with self._turns:
            if self._closed:
                return
            self._closed = True
            self._let_go()
            with _lock:
                _open_streams -= 1


def _leave_to_itself() -> None:
    """PortAudio's exit handler closes every stream: one that hangs would hang the end of the program too."""
    atexit.unregister(sys.modules["sounddevice"]._exit_handler)


def open_stream(
    kind: Kind,
    device: SoundDevice,
    rate_hz: int,
    *,
    latency: float | Literal["low", "high"],
    callback: Callable[..., None],
    finished: Callable[[], None],
) -> Stream:
    """Open and start a float32 stream, mono at `rate_hz` if the device can, else at what it can.

    The callbacks are sounddevice's, on PortAudio's thread. Raises DeviceError.
    """
    sd = load()
    abandoned = threading.Event()
    make = sd.InputStream if kind == "microphone" else sd.OutputStream

    def made(channels: int, hz: int) -> Any:
        with _lock, pulse.routed(kind, device.routed):
            return make(
                device=device.number,
                samplerate=hz,
                channels=channels,
                dtype="float32",
                latency=latency,
                callback=callback,
                finished_callback=finished,
            )

    def try_each() -> Stream:
        first: Exception | None = None
        for channels in dict.fromkeys((1, min(2, device.channels(kind)), device.channels(kind))):
            for hz in dict.fromkeys((rate_hz, device.rate_hz, 48000, 44100)):
                try:
                    stream = Stream(functools.partial(made, channels, hz))
                except (sd.PortAudioError, ValueError) as error:
                    first = first or error
                    continue
                if abandoned.is_set():
                    stream._close()
                return stream
        raise DeviceError(
            f"{kind} {device.name!r} cannot be opened: {_reason(first)}; is it plugged in, allowed and not in use?",
            missing=True,
        )

    try:
        return run_bounded(try_each, ANSWER_S, f"sound system: open {kind}")
    except TimeoutError:
        abandoned.set()
        _leave_to_itself()
        raise DeviceError(NO_ANSWER) from None
    except DeviceError:
        if _server_is_gone():
            raise DeviceError(f"no {kind}: {NO_SERVER}", missing=True) from None
        raise


def _server_is_gone() -> bool:
    """Whether there was a sound server when the devices were listed, and there is none any more."""
    return pulse.finds_no_server() and any(device.name == pulse.ROUTE for device in devices())


def _reason(error: Exception | None) -> str:
    """PortAudio's words without its numbers."""
    return (
        str(error)
        .partition(" [PaErrorCode")[0]
        .removeprefix("Error opening InputStream: ")
        .removeprefix("Error opening OutputStream: ")
    )
