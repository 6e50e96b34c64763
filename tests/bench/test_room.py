"""The room's thread and devices. Times are checked against counts of samples, never against a wall clock."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from parlor_tui.bench.room import Room, RoomMicrophone, RoomSpeaker
from parlor_tui.bench.sound import SPEAKER_STEP
from parlor_tui.devices.base import BLOCK_SAMPLES, MIC_RATE_HZ, SPEAKER_RATE_HZ, DeviceError
from parlor_tui.events import now_s

BLOCKS = 12


class Ear:
    """Takes blocks until there are enough."""

    def __init__(self, blocks: int) -> None:
        self.blocks: list[tuple[np.ndarray, float, float]] = []
        self.enough = threading.Event()
        self._wanted = blocks

    def on_block(self, samples: np.ndarray, captured_at_s: float) -> None:
        self.blocks.append((samples.copy(), captured_at_s, now_s()))
        if len(self.blocks) >= self._wanted:
            self.enough.set()


def never(*_: object) -> None:
    raise AssertionError("the room lost a device")


def test_blocks_carry_the_time_of_their_last_sample_and_come_late_by_the_latency() -> None:
    room, ear = Room(microphone_latency_ms=30), Ear(BLOCKS)
    microphone = room.opener.microphone("default")
    assert isinstance(microphone, RoomMicrophone)
    microphone.start(ear.on_block, never)
    room.open()
    began_s = room.say(np.linspace(0.1, 0.5, 4000).astype(np.float32))
    assert ear.enough.wait(10)
    microphone.stop()
    room.close()

    got = np.concatenate([block for block, _, _ in ear.blocks])
    first_s = ear.blocks[0][1] - BLOCK_SAMPLES / MIC_RATE_HZ
    for number, (block, at_s, came_s) in enumerate(ear.blocks):
        assert len(block) == BLOCK_SAMPLES
        assert at_s == pytest.approx(first_s + (number + 1) * BLOCK_SAMPLES / MIC_RATE_HZ, abs=1e-6)
        assert came_s >= at_s + 0.029
    spoken = room.heard(first_s, ear.blocks[-1][1])
    assert np.array_equal(spoken.mic.samples, got)
    loud = np.flatnonzero(got)
    assert first_s + loud[0] / MIC_RATE_HZ == pytest.approx(began_s, abs=1e-6)
    assert not room.fault


def test_the_clock_of_the_speaker_and_the_recording_agree() -> None:
    room = Room(speaker_latency_ms=40)
    speaker = room.opener.speaker("default", 500, 40)
    assert isinstance(speaker, RoomSpeaker)
    speaker.start(never)
    room.open()
    reply = (0.5 * np.cos(np.arange(6000) / 10)).astype(np.float32)
    assert speaker.write(reply) == len(reply)
    never_set, until_s = threading.Event(), now_s() + 10
    while speaker.clock().played_samples < len(reply) and now_s() < until_s:
        never_set.wait(0.01)
    played_s = now_s()
    while room.heard(played_s, math.inf).speaker.end_s < played_s + 0.001 and now_s() < until_s:
        never_set.wait(0.01)  # the room's own thread may be late: a recording ends where it is
    speaker.stop()
    room.close()

    first_s = speaker.clock().first_audible_at_s
    assert first_s is not None
    heard = room.heard(room.start_s, now_s())
    assert heard.speaker.first_s() == pytest.approx(first_s, abs=0.011)  # the speaker fades in
    assert heard.intended is not None
    at = round((first_s - heard.intended.start_s) * SPEAKER_RATE_HZ)
    meant = heard.intended.samples[at : at + (len(heard.intended.samples) - at) // SPEAKER_STEP * SPEAKER_STEP]
    steps = meant.reshape(-1, SPEAKER_STEP)
    sounded = steps[steps.any(axis=1)].ravel()  # a busy machine misses whole steps, which are silent, and nothing else
    assert np.allclose(sounded, reply, atol=1e-6)
    if not room.missed_steps:
        later = slice(at + 1000, at + len(reply) - 1000)
        assert np.allclose(heard.speaker.samples[later], reply[1000:-1000], atol=1e-6)


def pulled(speaker: RoomSpeaker, steps: int) -> tuple[np.ndarray, np.ndarray]:
    frames = [speaker.pull(step / 100) for step in range(steps)]
    return np.concatenate([out for out, _ in frames]), np.concatenate([meant for _, meant in frames])


def test_what_was_meant_goes_on_while_the_reply_is_held_and_then_sounds() -> None:
    speaker = RoomSpeaker(Room(), 500)
    reply = (0.5 * np.cos(np.arange(9600) / 10)).astype(np.float32)
    speaker.write(reply)
    before = pulled(speaker, 5)
    speaker.hold()
    held = pulled(speaker, 10)
    speaker.go_on()
    after = pulled(speaker, 20)

    assert np.array_equal(before[1], reply[:1200])
    assert not held[0][480:].any()
    assert all(np.abs(frame).max() > 0.4 for frame in held[1].reshape(-1, 240))
    sounded = np.concatenate([before[0], held[0], after[0]])
    assert np.abs(sounded[3800:7200]).max() > 0.4
    assert np.array_equal(after[1][480:2400], after[0][480:2400])


def test_what_was_meant_is_as_loud_as_it_was_written_under_a_dip() -> None:
    speaker = RoomSpeaker(Room(), 500)
    reply = np.full(9600, 0.5, np.float32)
    speaker.write(reply)
    pulled(speaker, 3)
    speaker.set_gain(0.25)
    out, meant = pulled(speaker, 10)
    assert np.array_equal(meant, reply[:2400])
    assert np.allclose(out[720:], 0.125, atol=1e-3)


def test_after_a_flush_nothing_is_meant_but_the_next_reply() -> None:
    speaker = RoomSpeaker(Room(), 500)
    speaker.write(np.full(9600, 0.5, np.float32))
    pulled(speaker, 3)
    speaker.flush()
    out, meant = pulled(speaker, 5)
    assert not out[240:].any()
    assert not meant[240:].any()
    speaker.restart()
    speaker.write(np.full(2400, 0.25, np.float32))
    out, meant = pulled(speaker, 10)
    assert np.array_equal(meant, np.full(2400, 0.25, np.float32))
    assert np.allclose(out[480:1920], 0.25, atol=1e-6)


def test_who_chooses_no_device_gets_none() -> None:
    opener = Room().opener
    assert opener.microphone("none") is None
    assert opener.speaker("none", 500, 40) is None
    with pytest.raises(DeviceError, match=r"/nowhere/picture\.jpg"):
        opener.camera("/nowhere/picture.jpg")


def test_a_listener_that_fails_is_told_of() -> None:
    room = Room()
    microphone = room.opener.microphone("default")
    assert microphone is not None

    def fail(_samples: np.ndarray, _at_s: float) -> None:
        raise RuntimeError("no ear")

    microphone.start(fail, never)
    room.open()
    waiting = threading.Event()
    for _ in range(500):
        if room.fault:
            break
        waiting.wait(0.01)
    room.close()
    assert room.fault == "the room stopped: RuntimeError: no ear"
