"""A room in place of microphone and speaker: one thread at real speed is both, and all that sounds is recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from parlor_tui.bench.analysis import Track
from parlor_tui.bench.sound import SPEAKER_STEP, STEP_S, Colour, Echo, RoomSound, Sound, Tape
from parlor_tui.devices.base import (
    BLOCK_SAMPLES,
    MIC_RATE_HZ,
    SPEAKER_RATE_HZ,
    OnBlock,
    OnEnd,
    OnTrouble,
    PlaybackClock,
)
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.devices.pacing import MOST_BEHIND_S
from parlor_tui.devices.select import Opener
from parlor_tui.events import now_s


@dataclass(frozen=True, slots=True)
class Heard:
    """Both sides between two times, on one clock.

    `user`: what was spoken, without echo and noise. `mic`: what the microphone got. `speaker`: what was audible.
    `intended`: what would have been audible of the reply without dips and holds; None where nobody can know.
    """

    user: Track
    mic: Track
    speaker: Track
    intended: Track | None


class Ear(Protocol):
    """Takes what the microphone gets, on the room's thread."""

    def add(self, samples: Sound, end_s: float, latency_s: float) -> None:
        """Take the 160 samples that end at `end_s`, which is now; they reach the assistant `latency_s` later."""


class Mouth(Protocol):
    """Gives what the speaker plays, on the room's thread."""

    def pull(self, audible_at_s: float) -> tuple[Sound, Sound]:
        """The next 240 samples, as they sound and as they were meant."""

    def missed(self) -> None:
        """The room was too late to pull: nothing sounds for a step."""


class Room:
    """Microphone and speaker of one assistant. `open`, then hand `opener` to it; `close` at the end.

    Blocks reach the assistant `microphone_latency_ms` after their last sample sounded; the reply becomes audible
    `speaker_latency_ms` (a multiple of 10) after it was taken from the buffer. `kept_s`: so much of both sides can be
    heard afterwards; None: all of it.
    """

    def __init__(
        self,
        *,
        microphone_latency_ms: int = 20,
        speaker_latency_ms: int = 40,
        seed: int = 1,
        kept_s: float | None = None,
    ) -> None:
        self._speaker_steps = round(speaker_latency_ms / 1000 / STEP_S)
        self._microphone_s = microphone_latency_ms / 1000
        self._sound = RoomSound(self._speaker_steps, seed, kept_s)
        self._lock = threading.Lock()
        self._microphone: Ear | None = None
        self._speaker: Mouth | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="room", daemon=True)
        self.start_s = 0.0
        self.missed_steps = 0
        """How often this thread was so late that a sound system would have run dry."""
        self.worst_late_ms = 0.0
        self.fault = ""
        """What ended the room before its time."""

    @property
    def opener(self) -> Opener:
        """The room's microphone and speaker whatever the settings choose but `none`. The camera is real."""
        return Opener(microphone=self._open_microphone, speaker=self._open_speaker)

    def open(self) -> None:
        """Let time begin in it."""
        self.start_s = now_s()
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def say(self, samples: Sound) -> float:
        """Speak `samples` (16 kHz, -1..1) from now on; returns at once when the first of them sounds."""
        with self._lock:
            return self.start_s + self._sound.say(samples) / MIC_RATE_HZ

    def set_echo(self, echo: Echo | None) -> None:
        """How the speaker gets into the microphone from now on; None: not at all."""
        with self._lock:
            self._sound.set_echo(echo)

    def set_noise(self, dbfs: float | None, colour: Colour = "white") -> None:
        """Background noise at the microphone from now on; None for none."""
        with self._lock:
            self._sound.set_noise(dbfs, colour)

    def heard(self, from_s: float, until_s: float) -> Heard:
        """What was recorded between; times that are still to come are left out."""
        with self._lock:
            last_s = min(until_s, self.start_s + self._sound.steps * STEP_S)

            def track(tape: Tape, rate_hz: int) -> Track:
                first = max(0, round((from_s - self.start_s) * rate_hz))
                samples = tape.get(first, round((last_s - self.start_s) * rate_hz))
                return Track(samples, rate_hz, self.start_s + first / rate_hz)

            sound = self._sound
            return Heard(
                track(sound.user, MIC_RATE_HZ),
                track(sound.mic, MIC_RATE_HZ),
                track(sound.speaker, SPEAKER_RATE_HZ),
                track(sound.intended, SPEAKER_RATE_HZ),
            )

    def listen(self, microphone: Ear | None) -> None:
        """Give what sounds to `microphone` from now on."""
        with self._lock:
            self._microphone = microphone

    def play(self, speaker: Mouth | None) -> None:
        """Pull from `speaker` from now on."""
        with self._lock:
            self._speaker = speaker

    def _open_microphone(self, choice: str) -> RoomMicrophone | None:
        return None if choice == "none" else RoomMicrophone(self)

    def _open_speaker(self, choice: str, jitter_buffer_ms: int, _latency_ms: int) -> RoomSpeaker | None:
        return None if choice == "none" else RoomSpeaker(self, jitter_buffer_ms)

    def _run(self) -> None:
        try:
            while not self._stop.wait(max(0.0, self.start_s + (self._sound.steps + 1) * STEP_S - now_s())):
                self._step()
        except Exception as error:  # noqa: BLE001 - edge of a thread: whoever waits for the room must learn of it
            self.fault = f"the room stopped: {type(error).__name__}: {error}"

    def _step(self) -> None:
        due_s = self.start_s + (self._sound.steps + 1) * STEP_S
        late_s = now_s() - due_s
        with self._lock:
            speaker, microphone = self._speaker, self._microphone
            if late_s > MOST_BEHIND_S:  # the process stood still, and the sound of that time is nobody's
                skipped = int(late_s / STEP_S)
                self._sound.skip(skipped)
                self.missed_steps += skipped if speaker is not None else 0
                due_s, late_s = due_s + skipped * STEP_S, late_s - skipped * STEP_S
            reply, intended = np.zeros((2, SPEAKER_STEP), np.float32)
            if speaker is not None and late_s > self._speaker_steps * STEP_S:
                self.missed_steps += 1
                self.worst_late_ms = max(self.worst_late_ms, late_s * 1000)
                speaker.missed()
            elif speaker is not None:
                reply, intended = speaker.pull(due_s + self._speaker_steps * STEP_S)
            mic = self._sound.step(reply, intended)
        if microphone is not None:
            microphone.add(mic, due_s, self._microphone_s)


class _Blocks:
    """Cuts steps into blocks of 512, each handed on once the device's latency is over. Used by the room's thread."""

    def __init__(self, on_block: OnBlock) -> None:
        self._on_block = on_block
        self._rest = np.zeros(0, np.float32)
        self._waiting: list[tuple[Sound, float]] = []

    def add(self, samples: Sound, end_s: float, latency_s: float) -> None:
        """Take the samples that end at `end_s`, which is now, and hand on what is due."""
        self._rest = np.concatenate((self._rest, samples))
        while len(self._rest) >= BLOCK_SAMPLES:
            block, self._rest = self._rest[:BLOCK_SAMPLES], self._rest[BLOCK_SAMPLES:]
            self._waiting.append((block, end_s - len(self._rest) / MIC_RATE_HZ))
        while self._waiting and self._waiting[0][1] + latency_s <= end_s + 1e-9:
            self._on_block(*self._waiting.pop(0))


class RoomMicrophone:
    """See `devices.base.Microphone`."""

    label = "room"

    def __init__(self, room: Room) -> None:
        self._room = room

    def start(self, on_block: OnBlock, on_end: OnEnd, on_trouble: OnTrouble | None = None) -> None:  # noqa: ARG002
        """See `devices.base.Microphone`."""
        self._room.listen(_Blocks(on_block))

    def stop(self, timeout_s: float = 1.0) -> None:  # noqa: ARG002
        """See `devices.base.Microphone`."""
        self._room.listen(None)


class RoomSpeaker:
    """See `devices.base.Speaker`. Beside the buffer it keeps what waits there as it was written."""

    label = "room"

    def __init__(self, room: Room, jitter_buffer_ms: int) -> None:
        self._room = room
        self._buffer = JitterBuffer(SPEAKER_RATE_HZ * jitter_buffer_ms // 1000)
        self._unaltered = np.zeros(0, np.float32)
        self._held_steps = 0
        self._lock = threading.Lock()

    def start(self, on_lost: Callable[[str], None]) -> None:  # noqa: ARG002
        """See `devices.base.Speaker`."""
        self._room.play(self)

    def stop(self, timeout_s: float = 1.0) -> None:  # noqa: ARG002
        """See `devices.base.Speaker`."""
        self._room.play(None)

    def write(self, samples: NDArray[np.float32]) -> int:
        """See `devices.base.Speaker`."""
        with self._lock:
            taken = self._buffer.write(samples)
            self._unaltered = np.concatenate((self._unaltered, samples[:taken]))
            return taken

    def flush(self) -> None:
        """See `devices.base.Speaker`."""
        with self._lock:
            self._buffer.flush()
            self._unaltered = self._unaltered[: self._buffer.waiting_samples]

    def hold(self) -> None:
        """See `devices.base.Speaker`."""
        self._buffer.hold()

    def go_on(self) -> None:
        """See `devices.base.Speaker`."""
        self._buffer.go_on()

    def set_gain(self, gain: float) -> None:
        """See `devices.base.Speaker`."""
        self._buffer.set_gain(gain)

    def set_volume(self, volume: float) -> None:
        """See `devices.base.Speaker`."""
        self._buffer.set_volume(volume)

    def wake(self) -> None:
        """See `devices.base.Speaker`."""
        self._buffer.wake()

    def reference(self, start_s: float, count: int) -> NDArray[np.float32]:
        """See `devices.base.Speaker`."""
        return self._buffer.reference(start_s, count)

    @property
    def tears(self) -> int:
        """How often the room missed its time."""
        return self._buffer.tears

    def clock(self) -> PlaybackClock:
        """See `devices.base.Speaker`."""
        return self._buffer.clock(now_s())

    def restart(self) -> None:
        """See `devices.base.Speaker`."""
        self._buffer.restart()

    def missed(self) -> None:
        """The room was too late to pull: nothing sounds for a step."""
        self._buffer.count_underrun()

    def pull(self, audible_at_s: float) -> tuple[Sound, Sound]:
        """The next 10 ms, as they sound and as they were meant.

        While the reply is held back, what is meant is what would have followed, as far as it is here; then again.
        """
        out = np.zeros(SPEAKER_STEP, np.float32)
        with self._lock:
            waiting = self._unaltered
            count = self._buffer.read_into(out, audible_at_s)
            self._held_steps = 0 if count or not len(waiting) else self._held_steps + 1
            at = self._held_steps * SPEAKER_STEP % max(1, len(waiting) - SPEAKER_STEP)
            meant = np.zeros(SPEAKER_STEP, np.float32)
            meant[: len(waiting[at : at + SPEAKER_STEP])] = waiting[at : at + SPEAKER_STEP]
            self._unaltered = waiting[count:]
        return out, meant
