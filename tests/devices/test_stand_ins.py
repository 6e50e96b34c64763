"""Files at real speed: the pacing with a clock of our own, and the whole with the real one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices.base import BLOCK_SAMPLES, MIC_RATE_HZ, SPEAKER_RATE_HZ, DeviceError
from parlor_tui.devices.output_shape import FADE_SAMPLES
from parlor_tui.devices.pacing import MOST_BEHIND_S, Pacer, StallWatch
from parlor_tui.devices.sound_file import WavRecording
from parlor_tui.devices.stand_ins import FileMicrophone, FileSpeaker, file_blocks, play_in
from parlor_tui.events import now_s
from tests.devices.told import Told

PERIOD_S = BLOCK_SAMPLES / MIC_RATE_HZ


class Time:
    """A clock that goes on by waiting, and by `late_s` more at each wait."""

    def __init__(self, late_s: list[float], waits: int) -> None:
        self.now = 1000.0
        self._late_s = iter(late_s)
        self._waits = waits
        self.asked_s: list[float] = []

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        assert seconds >= 0
        self.asked_s.append(seconds)
        self.now += seconds + next(self._late_s, 0.0)
        self._waits -= 1
        return self._waits < 0


@given(st.lists(st.floats(0, 0.3), min_size=1, max_size=60).filter(lambda late_s: sum(late_s) < MOST_BEHIND_S))
def test_ticks_do_not_drift_however_late_each_wake_up_is(late_s: list[float]) -> None:
    time = Time(late_s, waits=len(late_s) + 30)
    pacer = Pacer(PERIOD_S, time.wait, time.clock)
    due = []
    while (at_s := pacer.tick()) is not None:
        due.append(at_s)
        assert time.now >= at_s - 1e-9
    np.testing.assert_allclose(due, 1000.0 + PERIOD_S * np.arange(1, len(due) + 1), atol=1e-6)
    if max(late_s) > PERIOD_S:
        assert 0.0 in time.asked_s


def test_after_a_suspension_it_goes_on_from_now() -> None:
    time = Time([0.0, 3600.0], waits=6)
    pacer = Pacer(PERIOD_S, time.wait, time.clock)
    due = [pacer.tick() for _ in range(5)]
    assert due[2] == pytest.approx(time.now, abs=MOST_BEHIND_S)
    assert sum(second == 0 for second in time.asked_s) <= 1


def test_a_file_is_played_in_whole_then_ends_once_then_silence() -> None:
    samples = np.linspace(-1, 1, 1300, dtype=np.float32)
    time = Time([0.05], waits=8)

    def keep(block: np.ndarray, captured_at_s: float) -> None:
        heard.append(block)
        at_s.append(captured_at_s)

    heard: list[np.ndarray] = []
    at_s: list[float] = []
    ends: list[tuple[int, str | None]] = []
    play_in(
        file_blocks(samples),
        Pacer(PERIOD_S, time.wait, time.clock),
        keep,
        lambda reason: ends.append((len(heard), reason)),
    )
    assert ends == [(3, None)]
    assert len(heard) == 8
    sound = np.concatenate(heard)
    np.testing.assert_array_equal(sound[:1300], samples)
    assert not sound[1300:].any()
    np.testing.assert_allclose(np.diff(at_s), PERIOD_S, atol=1e-9)


def test_a_sound_file_as_microphone_keeps_real_time(tmp_path: Path) -> None:
    path = tmp_path / "talk.wav"
    sound = np.random.default_rng(3).uniform(-0.9, 0.9, 24000).astype(np.float32)
    soundfile.write(path, sound, MIC_RATE_HZ, subtype="FLOAT")
    microphone = FileMicrophone(path)
    blocks: list[tuple[np.ndarray, float, float]] = []
    ended = threading.Event()
    began_s = now_s()
    microphone.start(lambda block, at_s: blocks.append((block, at_s, now_s())), lambda reason: ended.set())
    assert ended.wait(20)
    took_s = now_s() - began_s
    threading.Event().wait(0.2)
    microphone.stop()
    count = len(blocks)
    threading.Event().wait(0.1)
    assert len(blocks) == count
    assert 1.4 < took_s < 3
    np.testing.assert_allclose(np.concatenate([b for b, _, _ in blocks])[:24000], sound, atol=1e-6)
    assert count >= 47 + 4
    late_s = [given_at_s - at_s for _, at_s, given_at_s in blocks]
    assert min(late_s) > -0.001
    assert float(np.median(late_s)) < 0.2


def test_a_listener_that_fails_ends_it_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "talk.wav"
    soundfile.write(path, np.zeros(5120, np.float32), MIC_RATE_HZ)
    microphone, ended = FileMicrophone(path), Told()

    def fail(block: np.ndarray, at_s: float) -> None:
        raise RuntimeError("the listener fell over")

    microphone.start(fail, ended)
    assert ended.wait(2)
    assert "the listener fell over" in str(ended.words)
    microphone.stop()


def test_a_recording_has_the_reply_at_its_time_and_the_silences(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    speaker = FileSpeaker(path, jitter_buffer_ms=300)
    began_s = now_s()
    speaker.start(pytest.fail)
    threading.Event().wait(0.5)
    speaker.restart()
    written_at_s = now_s()
    assert speaker.write(np.full(24000, 0.5, np.float32)) == 7200
    threading.Event().wait(0.15)
    clock = speaker.clock()
    assert clock.first_audible_at_s is not None
    assert written_at_s <= clock.first_audible_at_s <= written_at_s + 0.5
    assert 0 < clock.played_samples <= (now_s() - clock.first_audible_at_s) * 24000 + 1200
    assert clock.level_dbfs == pytest.approx(-6.0, abs=0.1)
    threading.Event().wait(0.5)
    assert speaker.clock().played_samples == speaker.clock().written_samples == 7200
    speaker.stop()
    took_s = now_s() - began_s
    samples, rate_hz = soundfile.read(path)
    assert rate_hz == SPEAKER_RATE_HZ
    assert took_s - 0.5 < len(samples) / rate_hz < took_s + 0.1
    loud = np.flatnonzero(np.abs(samples) > 0.25)  # half of it, with fades of 10 ms at both ends
    assert len(loud) == pytest.approx(7200, abs=2)
    assert loud[-1] - loud[0] == len(loud) - 1
    assert loud[0] / rate_hz == pytest.approx(clock.first_audible_at_s - began_s, abs=0.3)


def test_a_flush_is_silence_in_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    speaker = FileSpeaker(path, jitter_buffer_ms=1000)
    speaker.start(pytest.fail)
    speaker.write(np.full(24000, 0.5, np.float32))
    threading.Event().wait(0.3)
    speaker.flush()
    threading.Event().wait(0.2)
    clock = speaker.clock()
    assert clock.buffered_samples == 0
    assert clock.played_samples < clock.written_samples
    speaker.stop()
    samples, _ = soundfile.read(path)
    assert np.count_nonzero(samples) <= clock.played_samples + FADE_SAMPLES
    assert np.abs(np.diff(samples[np.flatnonzero(samples)[10] :])).max() < 0.01


def test_a_full_disk_is_told_before_anything_starts(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.fail("this test needs /dev/full: run it on Linux")
    link = tmp_path / "full.wav"
    link.symlink_to("/dev/full")
    with pytest.raises(DeviceError, match="No space left"):
        FileSpeaker(link, 500)


def test_a_disk_that_fills_up_while_recording_is_a_loss(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    speaker, lost = FileSpeaker(path, 500), Told()
    with Path(os.devnull).open("rb") as unwritable:  # from here on every write of the recording fails
        os.dup2(unwritable.fileno(), speaker._recording._file.fileno())
    speaker.start(lost)
    assert lost.wait(2)
    speaker.stop()
    assert len(lost.words) == 1
    assert "cannot be written" in str(lost.words)


def test_whatever_ends_a_recording_is_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_recording: WavRecording, _samples: np.ndarray) -> None:
        raise ValueError("no such sample")

    monkeypatch.setattr(WavRecording, "add", fail)
    speaker, lost = FileSpeaker(tmp_path / "out.wav", 500), Told()
    speaker.start(lost)
    assert lost.wait(10)
    assert lost.words == ["the recording out.wav stopped: ValueError: no such sample"]
    speaker.stop()


def test_stop_without_start(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "in.wav", np.zeros(100, np.float32), MIC_RATE_HZ)
    FileMicrophone(tmp_path / "in.wav").stop()
    FileSpeaker(tmp_path / "out.wav", 500).stop()
    assert soundfile.info(tmp_path / "out.wav").frames == 0


def test_a_device_that_is_still_has_stalled_and_one_that_is_watched_late_has_not() -> None:
    watch = StallWatch(first_limit_s=3.0, limit_s=1.0, at_s=0.0)
    assert not any(watch.stalled(False, n / 20) for n in range(1, 59))
    assert not watch.stalled(True, 3.0)
    assert not any(watch.stalled(False, 3.0 + n / 20) for n in range(1, 20))
    assert watch.stalled(False, 4.06)
    starved = StallWatch(first_limit_s=3.0, limit_s=1.0, at_s=0.0)
    starved.stalled(True, 0.05)
    assert not any(starved.stalled(False, 0.05 + n * 2.0) for n in range(1, 9))
    assert not starved.stalled(True, 20.0)
