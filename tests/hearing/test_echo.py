"""Echo cancellation: a room in software, and the real speaker and microphone on the rig."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices import select, sound_system
from parlor_tui.devices.base import SPEAKER_RATE_HZ
from parlor_tui.devices.speaker import DeviceSpeaker
from parlor_tui.hearing import echo as echo_module
from parlor_tui.hearing.echo import EchoCanceller, SteadyTime
from parlor_tui.hearing.vad import FRAME_SAMPLES, SAMPLE_RATE_HZ, open_vad
from parlor_tui.pcm import level_dbfs
from tests.hearing.echo_room import (
    BLOCK_S,
    DELAY,
    echo_of,
    hiss,
    loudness,
    probabilities,
    replies,
    rms,
    run,
    spoken,
)
from tests.questions import QUESTIONS
from tests.rig import Rig


@pytest.mark.parametrize(("delay_ms", "db"), [(20, -6), (60, -12), (150, -30), (400, -6), (400, -20)])
def test_an_echo_is_no_speech_from_the_first_reply_on(delay_ms: int, db: float) -> None:
    echo = echo_of(replies(), delay_ms, db)
    microphone = echo + hiss(len(echo))
    assert np.mean(probabilities(microphone) >= 0.5) > 0.4, "without a canceller it is speech"
    done = run(microphone, replies(), jitter_s=0.004)
    assert (done.probability < 0.5).all()
    if db >= -12:
        assert 20 * np.log10(rms(echo) / rms(done.cleaned)) > 20
    assert max(suppressed_db for _, suppressed_db in done.levels) > (20 if db >= -20 else 6)


@pytest.mark.parametrize("db_to_echo", [6, 0])
def test_a_user_who_talks_over_the_reply_is_heard(db_to_echo: float) -> None:
    echo = echo_of(replies(), 60, -12)
    user = spoken(QUESTIONS[1], "am_michael")
    said_at = len(echo) - len(user) - 4000
    clean = hiss(len(echo))
    clean[said_at : said_at + len(user)] += user * (loudness(echo) / loudness(user) * 10 ** (db_to_echo / 20))
    heard_alone = probabilities(clean)
    done = run(clean + echo, replies())
    assert np.flatnonzero(done.probability >= 0.5)[0] >= said_at // FRAME_SAMPLES
    first, alone = (int(np.flatnonzero(one >= 0.5)[0]) for one in (done.probability, heard_alone))
    assert (first - alone) * BLOCK_S < 0.15
    half_a_second = done.probability[first : first + 16]
    assert np.count_nonzero(half_a_second >= 0.5) * BLOCK_S > 0.15, (
        "enough to hold the reply, and then there is no echo"
    )


def test_the_room_is_learnt_after_some_speech_and_forgotten_when_sound_was_lost() -> None:
    echo = echo_of(replies(), 60, -12)
    canceller = run((echo + hiss(len(echo)))[:SAMPLE_RATE_HZ], replies()).canceller
    assert not canceller.settled
    canceller = run((echo + hiss(len(echo)))[: 3 * SAMPLE_RATE_HZ], replies()).canceller
    assert canceller.settled
    canceller.process(np.zeros(FRAME_SAMPLES, np.float32), 103.5)
    canceller.process(np.zeros(FRAME_SAMPLES, np.float32), 103.5 + BLOCK_S)
    assert canceller.leaps == 1
    assert not canceller.settled


@pytest.mark.parametrize("delay_ms", [60, 400])
def test_no_burst_of_echo_comes_through_while_the_room_is_unknown(
    delay_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause = np.zeros(SAMPLE_RATE_HZ, np.float32)
    answer = spoken("There are seven days in a week, beginning with Monday, and fifty two weeks in a year.", "af_heart")
    played = np.concatenate([pause, spoken("Yes.", "af_heart"), pause[:12000], answer, pause])
    microphone = echo_of(played, delay_ms, -12) + 5 * hiss(len(played))
    assert (run(microphone, played).probability < 0.5).all()
    monkeypatch.setattr(echo_module, "SURELY_ECHO", 2.0)
    monkeypatch.setattr(echo_module, "is_residue", lambda *_, **__: False)
    assert (run(microphone, played).probability >= 0.5).any(), "AEC3 alone lets a burst through"


@pytest.mark.parametrize(("first", "second"), [((60, -6), (20, -12)), ((20, -12), (200, -20)), ((200, -20), (100, -6))])
def test_an_echo_that_comes_later_or_sooner_than_before_is_no_speech(
    first: tuple[int, float], second: tuple[int, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    played = np.concatenate([replies(), np.zeros(SAMPLE_RATE_HZ, np.float32), replies()])
    moved = len(replies()) + SAMPLE_RATE_HZ * 3 // 4
    microphone = np.concatenate([echo_of(played, *first)[:moved], echo_of(played, *second)[moved:]]) + hiss(len(played))
    assert (run(microphone, played).probability < 0.5).all()
    monkeypatch.setattr(echo_module, "is_residue", lambda *_, **__: False)
    hot = run(microphone, played).probability >= 0.5
    assert hot[moved // FRAME_SAMPLES :].any(), "AEC3 alone takes it for speech"


def test_a_user_as_loud_as_the_echo_comes_through_while_the_room_is_unknown() -> None:
    echo = echo_of(replies(), 60, -12)
    user = spoken(QUESTIONS[1], "am_michael")
    microphone = hiss(len(echo)) + echo
    microphone[16000 : 16000 + len(user)] += user * (loudness(echo) / loudness(user) * 1.4)
    found = run(microphone, replies()).probability[32:] >= 0.5
    assert np.flatnonzero(found)[0] * BLOCK_S < 0.5


def test_the_echo_is_measured_while_something_plays() -> None:
    echo = echo_of(replies(), 60, -12)
    silence = np.zeros(2 * SAMPLE_RATE_HZ, np.float32)
    microphone = np.concatenate([echo, silence])
    microphone += hiss(len(microphone))
    done = run(microphone, np.concatenate([replies(), silence]))
    last_reply = slice(len(echo) - SAMPLE_RATE_HZ, len(echo))
    heard_dbfs = level_dbfs(echo[last_reply])
    told = [dbfs for dbfs, _ in done.levels[last_reply.start // FRAME_SAMPLES : last_reply.stop // FRAME_SAMPLES]]
    assert np.median(told) == pytest.approx(heard_dbfs, abs=4)
    assert done.levels[5] == (-120.0, 0.0)
    assert done.levels[-1] == (-120.0, 0.0)
    assert not done.canceller.active


def test_where_nothing_plays_sound_passes_as_it_is_and_no_later_than_told() -> None:
    user = np.concatenate([spoken(QUESTIONS[0], "am_michael"), np.zeros(FRAME_SAMPLES, np.float32)])
    microphone = user + hiss(len(user))
    done = run(microphone, np.zeros(1, np.float32))
    same = microphone[: len(done.cleaned) - DELAY]
    passed = done.cleaned[DELAY:]
    cross = np.fft.irfft(np.fft.rfft(passed, 1 << 17) * np.conj(np.fft.rfft(same, 1 << 17)))
    assert abs(int(np.argmax(np.roll(cross, 400))) - 400) <= 8
    assert level_dbfs(passed) == pytest.approx(level_dbfs(same), abs=0.5)
    before, after = probabilities(same), probabilities(passed)
    assert np.mean(np.abs(before - after)) < 0.02
    assert np.mean((before >= 0.5) == (after >= 0.5)) > 0.95


def test_after_a_rest_the_echo_is_cancelled_as_before_and_nothing_is_heard_twice() -> None:
    rest = np.zeros(6 * SAMPLE_RATE_HZ, np.float32)
    played = np.concatenate([replies(), rest, replies()])
    microphone = echo_of(played, 60, -12) + hiss(len(played))
    user = spoken(QUESTIONS[0], "am_michael")[: 2 * SAMPLE_RATE_HZ]
    said_at = len(replies()) + 4 * SAMPLE_RATE_HZ - 700  # in the rest, and to its end: no block of it begins there
    microphone[said_at : said_at + len(user)] += user
    done = run(microphone, played)
    speech = np.flatnonzero(done.probability >= 0.5) * FRAME_SAMPLES
    assert len(speech) > 20
    assert speech.min() >= said_at
    assert speech.max() <= said_at + len(user) + 0.3 * SAMPLE_RATE_HZ
    assert (
        20 * np.log10(rms(echo_of(replies(), 60, -12)) / rms(done.cleaned[-len(replies()) + SAMPLE_RATE_HZ // 2 :]))
        > 20
    )
    at = slice(said_at + 400, said_at + SAMPLE_RATE_HZ)  # while it rests, what is said passes as it is
    assert np.array_equal(done.cleaned[DELAY:][at], microphone[at])


@pytest.mark.parametrize("lost_ms", [15, 100])
def test_sound_that_the_microphone_lost_brings_no_echo_back(lost_ms: int) -> None:
    echo = echo_of(replies(), 60, -12)
    lost_at = 3 * SAMPLE_RATE_HZ // 2
    done = run(echo + hiss(len(echo)), replies(), lost=(lost_at, lost_at + lost_ms * 16))
    assert done.canceller.leaps == 1
    assert (done.probability < 0.5).all()


def test_a_speaker_that_was_replaced_is_learnt_anew() -> None:
    echo = echo_of(replies(), 60, -12)
    done = run(echo + hiss(len(echo)), replies())
    assert done.canceller.active
    done.canceller.reset()
    assert not done.canceller.active
    assert (done.canceller.echo_dbfs, done.canceller.suppressed_db) == (-120.0, 0.0)
    assert [one.samples.any() for one in done.canceller.process(np.zeros(FRAME_SAMPLES, np.float32), 5.0)] == [False]


def test_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="512 samples"):
        run(np.zeros(512, np.float32), np.zeros(1, np.float32)).canceller.process(np.zeros(480, np.float32), 1.0)


def test_without_the_library_the_reason_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(ImportError, match="pip install pywebrtc-audio") as caught:
        EchoCanceller(lambda start_s, count: np.zeros(count, np.float32))
    assert "\n" not in str(caught.value)


@given(st.lists(st.floats(-0.01, 0.01), min_size=1, max_size=100))
def test_times_that_jitter_leave_no_gap(jitter_s: list[float]) -> None:
    steady = SteadyTime()
    starts = [steady.start_of(10.0 + n * BLOCK_S + off_s, BLOCK_S) for n, off_s in enumerate([0.0, *jitter_s])]
    steps = (np.diff(starts) - BLOCK_S) * SAMPLE_RATE_HZ
    assert np.abs(steps).max() < 1.01
    assert np.count_nonzero(np.abs(steps) > 0.5) <= len(jitter_s) // SteadyTime.SLIP_EVERY_BLOCKS
    assert steady.leaps == 0


@given(st.floats(0.03, 5.0), st.integers(3, 20))
def test_lost_sound_is_seen_within_two_blocks_and_one_late_report_is_none(lost_s: float, before: int) -> None:
    steady = SteadyTime()
    for n in range(before):
        steady.start_of(n * BLOCK_S, BLOCK_S)
    steady.start_of(before * BLOCK_S + 0.5, BLOCK_S)
    assert steady.start_of((before + 1) * BLOCK_S, BLOCK_S) == pytest.approx((before + 1) * BLOCK_S)
    assert steady.leaps == 0
    steady.start_of((before + 2) * BLOCK_S + lost_s, BLOCK_S)
    assert steady.start_of((before + 3) * BLOCK_S + lost_s, BLOCK_S) == (before + 3) * BLOCK_S + lost_s
    assert steady.leaps == 1


def test_clocks_that_drift_apart_are_followed() -> None:
    steady = SteadyTime()
    for n in range(4000):  # two minutes at 100 ppm: 12.8 ms
        reported_s = n * BLOCK_S * (1 + 100e-6)
        start_s = steady.start_of(reported_s, BLOCK_S)
    assert abs(start_s - reported_s) < 0.0055
    assert steady.leaps == 0


@dataclass
class Live:
    """What came of a reply played and heard by real devices, block by block."""

    with_canceller: np.ndarray
    without: np.ndarray
    ends_at_s: np.ndarray
    tears: np.ndarray
    said_at_s: float

    @property
    def alone(self) -> np.ndarray:
        """Which blocks heard the reply only, a second after the sound began or was torn at the earliest."""
        torn_at_s = self.ends_at_s[np.flatnonzero(np.diff(self.tears, prepend=self.tears[0]))]
        earlier_s = [at_s for at_s in torn_at_s if at_s < self.said_at_s]
        since_s = max([self.ends_at_s[0], *earlier_s]) + 1.0
        return (self.ends_at_s > since_s) & (self.ends_at_s < self.said_at_s)

    @property
    def usable(self) -> bool:
        """Was there enough of the reply alone, and was the sound whole from then on."""
        whole = np.ptp(self.tears[self.ends_at_s > self.said_at_s - 0.5]) == 0
        return bool(whole and np.count_nonzero(self.without[self.alone] >= 0.5) > 20)


def live(user_wav: Path, rig: Rig) -> Live:
    """Play the replies and, after 3.2 s of them, speak over them."""
    microphone, speaker = select.open_microphone("default"), select.open_speaker("default", 500, 60)
    assert microphone is not None
    assert isinstance(speaker, DeviceSpeaker)
    canceller = EchoCanceller(speaker.reference)
    clean_vad, raw_vad = open_vad(), open_vad()
    lost: list[str | None] = []
    raw: deque[tuple[float, float, int]] = deque()
    rows: list[tuple[float, float, float, int]] = []

    def on_block(samples: np.ndarray, end_at_s: float) -> None:
        cleaned = canceller.process(samples, end_at_s)
        raw.append((raw_vad.probability(samples), end_at_s, speaker.tears + canceller.leaps + len(lost)))
        rows.extend((clean_vad.probability(one.samples), *raw.popleft()) for one in cleaned)

    speaker.start(lost.append)
    microphone.start(on_block, lost.append)
    time.sleep(0.7)
    samples, at = replies(SPEAKER_RATE_HZ), 0
    began_s = time.monotonic()
    saying: threading.Thread | None = None
    said_at_s = 0.0
    while at < len(samples):
        at += speaker.write(samples[at : at + 4800])
        time.sleep(0.02)
        if saying is None and time.monotonic() - began_s > 3.2:
            said_at_s = time.monotonic()
            saying = threading.Thread(target=rig.speak, args=(user_wav,))
            saying.start()
    assert saying is not None
    saying.join()
    time.sleep(0.3)
    microphone.stop()
    speaker.stop()
    clean, without, ends_at_s, tears = np.array(rows).T
    return Live(clean, without, ends_at_s, tears, said_at_s)


def test_real_devices_do_not_hear_themselves_and_hear_the_user(rig: Rig, tmp_path: Path) -> None:
    assert sound_system.rescan(), "a test before left a stream open"
    rig.control("echo", "60", "-12")
    user = spoken(QUESTIONS[1], "am_michael", SPEAKER_RATE_HZ) * np.float32(0.35)
    wav = tmp_path / "user.wav"
    soundfile.write(wav, user, SPEAKER_RATE_HZ)
    replies(SPEAKER_RATE_HZ)
    for _ in range(3):  # a machine with no core to spare tears the sound, and the rig's echo with it
        heard = live(wav, rig)
        if heard.usable:
            break
    assert heard.usable, "the sound was torn in each of three tries: this machine is too busy to be measured"
    assert np.count_nonzero(heard.with_canceller[heard.alone] >= 0.5) == 0
    over = np.flatnonzero((heard.ends_at_s > heard.said_at_s) & (heard.with_canceller >= 0.5))
    assert over.size >= 5
    assert heard.ends_at_s[over[0]] - heard.said_at_s < 1.0  # half a second of it is paplay's own


def test_a_block_that_is_no_sound_does_not_deafen_for_good() -> None:
    canceller = EchoCanceller(lambda _start_s, count: np.full(count, 0.01, np.float32))
    rng = np.random.default_rng(3)
    for number in range(60):
        samples = rng.normal(0, 0.05, 512).astype(np.float32)
        if number == 20:
            samples[7], samples[9] = np.nan, np.inf
        cleaned = canceller.process(samples, number * 0.032)
        assert all(np.isfinite(one.samples).all() for one in cleaned)
