"""The room as sound alone, counted in samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.bench.sound import MIC_STEP, SPEAKER_STEP, Colour, Echo, RoomSound, noise
from parlor_tui.devices.resample import resample_whole

NOTHING = np.zeros(SPEAKER_STEP, np.float32)


def run(room: RoomSound, reply: np.ndarray, steps: int) -> np.ndarray:
    """What the microphone gets in `steps` steps while `reply` is pulled."""
    padded = np.zeros(steps * SPEAKER_STEP, np.float32)
    padded[: len(reply)] = reply[: len(padded)]
    return np.concatenate([room.step(frame, frame) for frame in padded.reshape(-1, SPEAKER_STEP)])


@given(first=st.integers(0, 5), length=st.integers(1, 900), second=st.integers(0, 6))
def test_what_is_said_reaches_the_microphone_sample_by_sample(first: int, length: int, second: int) -> None:
    room = RoomSound(4, seed=1)
    words = np.linspace(0.1, 0.4, length).astype(np.float32)
    before = [room.step(NOTHING, NOTHING) for _ in range(first)]
    at = room.say(words)
    assert at == first * MIC_STEP
    between = [room.step(NOTHING, NOTHING) for _ in range(second)]
    again = room.say(words)
    after = [room.step(NOTHING, NOTHING) for _ in range(12)]

    expected = np.zeros((first + second + 12) * MIC_STEP, np.float32)
    for begins in (at, again):
        expected[begins : begins + length] += words
    assert np.allclose(np.concatenate([*before, *between, *after]), expected, atol=1e-6)
    assert np.array_equal(room.user.get(0, len(expected)), room.mic.get(0, len(expected)))


@pytest.mark.parametrize("steps", [0, 4, 10])
def test_a_reply_is_audible_its_latency_after_it_was_pulled(steps: int) -> None:
    room = RoomSound(steps, seed=1)
    for _ in range(3):
        room.step(NOTHING, NOTHING)
    room.step(np.full(SPEAKER_STEP, 0.5, np.float32), NOTHING)  # pulled at the end of the fourth step

    loud = np.flatnonzero(room.speaker.get(0, 100 * SPEAKER_STEP))
    assert loud[0] == (4 + steps) * SPEAKER_STEP
    assert len(loud) == SPEAKER_STEP


@pytest.mark.parametrize(("delay_ms", "level_db"), [(20, -12), (60, -6), (400, -30)])
def test_the_speaker_leaks_in_late_and_quieter(delay_ms: float, level_db: float) -> None:
    speech = np.random.default_rng(5).standard_normal(24_000).astype(np.float32)
    speech = np.convolve(speech, np.ones(24) / 24, "same").astype(np.float32)  # what both rates can carry
    room = RoomSound(4, seed=2)
    room.set_echo(Echo(delay_ms, level_db))
    mic = run(room, speech, 250)

    assert not room.user.get(0, len(mic)).any()
    audible = resample_whole(room.speaker.get(0, 250 * SPEAKER_STEP), 24_000, 16_000)
    shift = int(np.argmax(np.correlate(mic, audible[:16_000], "full"))) - 15_999
    assert shift == pytest.approx(delay_ms * 16, abs=2)
    energy_db = 10 * np.log10(np.sum(mic**2) / np.sum(audible**2))
    assert energy_db == pytest.approx(level_db, abs=1.5)


def test_echo_can_be_taken_away() -> None:
    room = RoomSound(0, seed=1)
    room.set_echo(Echo(20, -6))
    reply = np.random.default_rng(1).uniform(-0.5, 0.5, 50 * SPEAKER_STEP).astype(np.float32)
    assert np.abs(run(room, reply, 50)).max() > 0.01
    room.set_echo(None)
    assert not run(room, reply, 50).any()


@pytest.mark.parametrize("colour", ["white", "pink", "babble"])
def test_noise_has_its_level_and_its_seed(colour: Colour) -> None:
    made = noise(np.random.default_rng(7), 4.0, -44.0, colour)
    assert 10 * np.log10(np.mean(made**2)) == pytest.approx(-44.0, abs=0.1)
    assert np.array_equal(made, noise(np.random.default_rng(7), 4.0, -44.0, colour))
    room = RoomSound(0, seed=7)
    room.set_noise(-44.0, colour)
    mic = run(room, NOTHING, 200)
    assert 10 * np.log10(np.mean(mic**2)) == pytest.approx(-44.0, abs=2)
    assert not room.user.get(0, len(mic)).any()


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 300_000), st.integers(0, 5000)), max_size=6))
def test_a_tape_keeps_what_was_written_last(writes: list[tuple[int, int]]) -> None:
    from parlor_tui.bench.sound import Tape

    tape, model = Tape(), np.zeros(310_000, np.float32)
    for number, (at, length) in enumerate(writes, 1):
        tape.put(at, np.full(length, number, np.float32))
        model[at : at + length] = number
    assert np.array_equal(tape.get(-10, 310_000)[10:], model)
    assert tape.length == max((at + length for at, length in writes), default=0)
