"""The program's own devices on streams of the room, which fail; and what a soak holds on to, which does not grow."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.bench.room import Room
from parlor_tui.bench.soak.deeds import CannotBeError, of_process
from parlor_tui.bench.soak.stand_in import CAMERA, StandIns
from parlor_tui.bench.sound import Tape
from parlor_tui.bench.watching import Watch
from parlor_tui.conversations.store import TALK, load_folder
from parlor_tui.conversations.writer import Writer
from parlor_tui.devices.base import BLOCK_SAMPLES, DeviceError, Microphone
from parlor_tui.devices.microphone import DENIED
from parlor_tui.events import Failed, Loading, now_s

WAIT_S = 20.0


class Ear:
    """Takes what a microphone tells."""

    def __init__(self, microphone: Microphone) -> None:
        self.told: queue.Queue[str | None] = queue.Queue()
        self.block = threading.Event()
        self.loud = threading.Event()
        microphone.start(self._take, self.told.put, self.told.put)

    def _take(self, samples: np.ndarray, at_s: float) -> None:
        assert samples.shape == (BLOCK_SAMPLES,)
        assert at_s <= now_s()
        self.block.set()
        if np.abs(samples).max() > 0.05:
            self.loud.set()


@pytest.fixture
def stand_ins() -> Iterator[StandIns]:
    room = Room(kept_s=5.0)
    room.set_noise(-66.0)
    room.open()
    made = StandIns(room)
    made.room = room  # type: ignore[attr-defined]
    yield made
    room.close()
    assert not room.fault


def open_microphone(stand_ins: StandIns) -> Microphone:
    microphone = stand_ins.opener.microphone("any")
    assert microphone is not None
    return microphone


def test_a_microphone_hears_is_muted_and_is_lost_as_a_real_one_is(stand_ins: StandIns) -> None:
    microphone = open_microphone(stand_ins)
    ear = Ear(microphone)
    stand_ins.room.say(np.full(8000, 0.3, np.float32))  # type: ignore[attr-defined]
    assert ear.loud.wait(WAIT_S)
    stand_ins.set("microphone", "muted")
    assert ear.told.get(timeout=WAIT_S) == DENIED
    stand_ins.set("microphone", "well")
    assert ear.told.get(timeout=WAIT_S) == ""
    stand_ins.set("microphone", "gone")
    assert "is gone: plug it in again" in (ear.told.get(timeout=WAIT_S) or "")
    with pytest.raises(DeviceError, match="no microphone is there"):
        Ear(open_microphone(stand_ins))
    microphone.stop()


def test_a_microphone_of_another_rate_is_opened_anew_and_heard(stand_ins: StandIns) -> None:
    microphone = open_microphone(stand_ins)
    ear = Ear(microphone)
    assert ear.block.wait(WAIT_S)
    threading.Event().wait(2.5)  # it has to have run at its rate
    stand_ins.microphone_rate_hz = 44100
    assert "at another sample rate" in (ear.told.get(timeout=WAIT_S) or "")
    microphone.stop()
    again = open_microphone(stand_ins)
    ear = Ear(again)
    stand_ins.room.say(np.full(8000, 0.3, np.float32))  # type: ignore[attr-defined]
    assert ear.loud.wait(WAIT_S)
    again.stop()


def test_a_speaker_that_hangs_is_lost_and_opens_once_it_answers(stand_ins: StandIns) -> None:
    lost: queue.Queue[str] = queue.Queue()
    speaker = stand_ins.opener.speaker("any", 500, 40)
    assert speaker is not None
    speaker.start(lost.put)
    speaker.write(np.full(4800, 0.3, np.float32))
    until_s = now_s() + WAIT_S
    while speaker.clock().played_samples < 4800 and now_s() < until_s:
        threading.Event().wait(0.02)
    assert speaker.clock().played_samples == 4800
    stand_ins.set("speaker", "hung")
    assert "takes no sound" in lost.get(timeout=WAIT_S)
    opened = threading.Event()
    again = stand_ins.opener.speaker("any", 500, 40)
    assert again is not None
    opening = threading.Thread(target=lambda: (again.start(lost.put), opened.set()))
    opening.start()
    assert not opened.wait(0.3)
    stand_ins.set("speaker", "well")
    assert opened.wait(WAIT_S)
    opening.join()
    for one in (speaker, again):
        one.stop()


def test_a_camera_gives_a_picture_until_it_is_gone(stand_ins: StandIns) -> None:
    camera = stand_ins.opener.camera("any")
    assert camera is not None
    assert camera.label == CAMERA
    camera.start()

    def sees(wanted: bool) -> bool:
        until_s = now_s() + WAIT_S
        while (camera.newest_jpeg() is not None) is not wanted and now_s() < until_s:
            threading.Event().wait(0.05)
        return camera.newest_jpeg() is not None

    assert sees(True)
    stand_ins.set("camera", "gone")
    assert not sees(False)
    camera.stop()
    with pytest.raises(DeviceError, match="no camera found"):
        stand_ins.opener.camera("any")


def test_a_full_disk_is_the_systems_own_refusal_and_nothing_is_lost_over_it(tmp_path: Path) -> None:
    deeds = of_process(lambda: None, tmp_path)
    assert "disk-full" in deeds.there, deeds.absent
    with pytest.raises(CannotBeError):
        deeds.there["disk-full"].do()
    told: queue.Queue[str] = queue.Queue()
    writer = Writer(told.put, told.put)
    folder = tmp_path / "2026-11-30-141852"
    writer.begin(folder, b'{"turn": 1, "said": "One."}\n')
    until_s = now_s() + WAIT_S
    while not (folder / TALK).exists() and now_s() < until_s:
        threading.Event().wait(0.02)
    deeds.there["disk-full"].do()
    writer.append(folder, b'{"turn": 2, "said": "Two."}\n')
    assert "No space left on device" in told.get(timeout=WAIT_S)
    deeds.there["disk-full"].undo()
    assert told.get(timeout=WAIT_S) == ""
    writer.close(2.0)
    assert [turn.said for turn in load_folder(folder).turns] == ["One.", "Two."]
    assert sorted(path.name for path in folder.iterdir()) == [TALK]


def test_without_a_core_nothing_can_be_done_to_it(tmp_path: Path) -> None:
    for name, deed in of_process(lambda: None, tmp_path).there.items():
        if name != "disk-full":
            with pytest.raises(CannotBeError, match="there is no core"):
                deed.do()


@given(st.integers(1, 40), st.lists(st.tuples(st.integers(-30, 30), st.integers(0, 60)), max_size=20))
def test_a_tape_that_keeps_its_end_has_there_what_one_that_keeps_all_has(
    kept: int, puts: list[tuple[int, int]]
) -> None:
    ring, whole, value = Tape(kept), Tape(), 0
    for offset, count in puts:
        at = max(0, whole.length + offset)
        samples = np.arange(value + 1, value + 1 + count, dtype=np.float32)
        value += count
        for tape in (ring, whole):
            tape.put(at, samples)
    assert ring.length == whole.length
    first = max(0, whole.length - kept)
    assert ring.get(first, whole.length + 5).tolist() == whole.get(first, whole.length + 5).tolist()
    assert not ring.get(0, first).any()


@given(st.integers(1, 10), st.integers(0, 40), st.integers(0, 40))
def test_a_watch_that_keeps_its_end_counts_on(kept: int, before: int, after: int) -> None:
    watch = Watch(kept=kept)
    for number in range(before):
        watch.listener(Loading(at_s=number, text=str(number)))
    mark = watch.mark()
    for number in range(after):
        watch.listener(Failed(at_s=number, text=str(number)))
    since = watch.since(mark)
    assert [event.at_s for event in since] == list(range(max(0, after - kept), after))
    assert all(isinstance(event, Failed) for event in since)


def waited(until: Callable[[], bool]) -> bool:
    until_s = now_s() + WAIT_S
    while not until() and now_s() < until_s:
        threading.Event().wait(0.02)
    return until()


def test_a_room_that_stood_still_goes_on_from_now(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room(kept_s=5.0)
    stand_ins = StandIns(room)
    ages_s: list[float] = []
    microphone = stand_ins.opener.microphone("any")
    assert microphone is not None
    room.open()
    stood_s = 30.0
    room.start_s -= stood_s  # as if it were so much later
    microphone.start(lambda _, at_s: ages_s.append(now_s() - at_s), lambda _: None)
    assert waited(lambda: len(ages_s) > 20)
    microphone.stop()
    room.close()
    assert min(ages_s) < 0.5
    heard = room.heard(now_s() - stood_s, now_s())
    assert heard.mic.end_s > now_s() - 5, "the clock is right"
    assert not room.fault
