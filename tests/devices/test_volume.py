"""How loud speech is played: at once, without a click, and never beyond full scale."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.assistant.talk.playback import DIPPED, Playback
from parlor_tui.devices.jitter_buffer import JitterBuffer
from parlor_tui.devices.volume import RAMP_SAMPLES, Volume
from tests.assistant.loudspeaker import Loudspeaker

TONE = (0.5 * np.sin(np.arange(24_000) / 12)).astype(np.float32)


def rms(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def test_the_voices_own_loudness_is_left_bit_for_bit() -> None:
    assert np.array_equal(Volume().of(TONE), TONE)


@given(
    st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=400),
    st.lists(st.floats(0, 2), min_size=1, max_size=4),
    st.booleans(),
)
def test_whatever_is_set_nothing_is_beyond_full_scale_and_louder_stays_louder(
    values: list[float], volumes: list[float], at_once: bool
) -> None:
    samples, volume = np.array(values, np.float32), Volume()
    for wanted in volumes:
        volume.set(wanted, at_once=at_once)
        assert np.abs(volume.of(samples)).max() <= 1.0
    volume.set(volumes[-1], at_once=True)
    order = np.argsort(samples, kind="stable")
    assert (np.diff(volume.of(samples)[order]) >= -1e-6).all()


def test_what_is_soft_doubles_and_what_is_loud_is_rounded_off() -> None:
    volume = Volume()
    volume.set(2.0, at_once=True)
    assert np.allclose(volume.of(TONE * np.float32(0.5)), TONE, atol=1e-6), "up to 0.5 there is room"
    loud = volume.of(TONE * 2)
    assert rms(loud) > 1.2 * rms(TONE * 2)
    assert np.count_nonzero(np.abs(loud) >= 1.0) == 0


@given(st.lists(st.floats(0, 2), min_size=1, max_size=6), st.integers(40, 700))
def test_a_change_makes_no_click(volumes: list[float], piece: int) -> None:
    volume, heard = Volume(), []
    for number, start in enumerate(range(0, 6000, piece)):
        if number % 9 == 8:
            volume.set(volumes[number // 9 % len(volumes)], at_once=False)
        heard.append(volume.of(TONE[start : start + piece]))
    tone_step = float(np.abs(np.diff(TONE)).max())
    assert np.abs(np.diff(np.concatenate(heard))).max() < 2 * tone_step + 2 / RAMP_SAMPLES


def test_what_waits_already_is_changed_at_once_and_so_is_the_echos_reference() -> None:
    buffer = JitterBuffer(48_000)
    buffer.write(TONE)
    out = np.zeros(4800, np.float32)
    buffer.read_into(out, 10.0)
    buffer.set_volume(0.5)
    changed = np.zeros(4800, np.float32)
    buffer.read_into(changed, 10.2)
    assert abs(rms(changed[RAMP_SAMPLES:]) / rms(out) - 0.5) < 0.02
    reference = buffer.reference(10.25, 1600)
    assert abs(rms(reference) / rms(out) - 0.5) < 0.02, "the canceller is told what is heard"


def test_it_outlasts_replies_and_speakers_and_a_dip_is_a_part_of_it() -> None:
    playback, first, second = Playback(), Loudspeaker(), Loudspeaker()
    playback.use(first)
    playback.set_volume(50)
    pcm16 = (TONE * 32767).astype("<i2").tobytes()
    levels = []
    for speaker in (first, second):
        playback.use(speaker)
        for dips in (False, True):
            playback.begin()
            playback.add(pcm16[:9600])
            playback.pump()
            if dips:
                speaker.play(50)
                playback.dip()
            speaker.play(50)
            levels.append(rms(speaker.play(90)) / rms(TONE))
            playback.stop()
            speaker.play(50)
    assert np.allclose(levels, [0.5, 0.5 * DIPPED] * 2, atol=0.03)
