"""What is kept of a talk, and a talk that begins anew: real talk and writer, with the core's part spoken by hand."""

from __future__ import annotations

import io
import threading
import wave
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import numpy as np
import pytest

from parlor_tui.assistant.ear.utterance import Heard
from parlor_tui.assistant.keeping import recording, wall_time
from parlor_tui.assistant.keeping.recording import Recording
from parlor_tui.assistant.talk.playback import Playback
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.conversations import writer as writer_module
from parlor_tui.conversations.record import Conversation, head_line
from parlor_tui.conversations.store import Store
from parlor_tui.conversations.writer import Writer
from parlor_tui.events import (
    CaptionFinal,
    Event,
    Failed,
    InputCommitted,
    InputTaken,
    ItemTruncated,
    Notice,
    RecordingChanged,
    ReplyAudio,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    ReplyUnit,
)
from parlor_tui.hearing.turn import Action, Begin, Commit, Confirm, Drop, Sure
from parlor_tui.link.client_events import ClientEvent, CreateItem, CreateResponse, ForgetAll, TruncateItem
from parlor_tui.observe.stages import LatencyObserver
from tests.assistant.loudspeaker import Loudspeaker

BLOCK = (np.arange(512) % 100).astype("<i2").tobytes()
JPEG = b"\xff\xd8 a picture"


class Terminal:
    """A talk that is kept in `folder`."""

    def __init__(self, folder: Path, record: str = "text+audio", sound_mb: int = 100) -> None:
        self.sent: list[ClientEvent] = []
        self.events: list[Event] = []
        self.playback = Playback()
        self.playback.use(Loudspeaker())
        self.observer = LatencyObserver()
        self.troubles: list[str] = []
        self.recording = Recording(folder, record, sound_mb, self.emit, self.troubles.append)
        self.talk = Talk(self.emit, self.sent.append, self.playback, self.observer)
        self.talk.tap = self.recording

    def emit(self, event: Event) -> None:
        self.observer.on_event(event)
        self.recording.on_event(event)
        self.events.append(event)

    def hear(self, *actions: Action, frame: bytes | None = None) -> None:
        self.talk.heard(Heard(-20.0, 0.9, actions, BLOCK), 1.0, lambda: frame)

    def speak(self, text: str, frame: bytes | None = None) -> None:
        for action in (Begin(), Confirm(), Sure(), Commit(1.0)):
            self.hear(action, frame=frame)
        self.talk.core_said(InputCommitted(f"item_{text}"))
        self.talk.core_said(CaptionFinal(f"item_{text}", text, 500.0))

    def begin_to_answer(self, turn: int, text: str, seconds: float = 0.5) -> None:
        response, item = f"resp_{turn}", f"item_{turn}"
        self.talk.core_said(ReplyCreated(response, item, turn))
        self.talk.core_said(ReplyDelta(response, item, text))
        self.talk.core_said(ReplyUnit(response, item, text))
        tone = 0.3 * np.sin(np.arange(int(seconds * 24_000)) / 5)
        self.talk.core_said(ReplyAudio(response, item, (tone * 32767).astype("<i2").tobytes()))
        self.talk.tick(hold=False)

    def answer(self, turn: int, text: str) -> None:
        """The whole reply, heard to its end: without a loudspeaker that takes no time."""
        self.playback.use(None)
        self.begin_to_answer(turn, text)
        self.talk.core_said(ReplyDone(f"resp_{turn}", f"item_{turn}", turn, "completed", text))
        self.talk.tick(hold=False)

    def kept(self) -> list[Conversation]:
        """All conversations, oldest first, as they are on the disk in the end."""
        self.recording.close()
        assert self.troubles == []
        store = self.recording.store
        return [store.load(name) for name in reversed(store.names())]

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


def pcm_of(folder: Path, name: str) -> tuple[int, bytes]:
    with wave.open(io.BytesIO((folder / name).read_bytes())) as sound:
        return sound.getframerate(), sound.readframes(sound.getnframes())


def test_words_sounds_pictures_and_times_are_kept(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.recording.tuned({"speaking.speed": 1.5})
    terminal.speak("What is this?", frame=JPEG)
    terminal.talk.core_said(InputTaken(1, "picture", 30.0, 0.0))
    terminal.recording.tuned({"answering.temperature": 0.9})
    terminal.answer(1, "A mug.")
    terminal.talk.typed("Thanks. \U0001f375\x07", None)
    terminal.answer(2, "You are welcome.")
    (talk,) = terminal.kept()
    folder = tmp_path / talk.name
    assert [(t.number, t.by, t.said, t.reply, t.status) for t in talk.turns] == [
        (1, "voice", "What is this?", "A mug.", "completed"),
        (2, "typed", "Thanks. \U0001f375\x07", "You are welcome.", "completed"),
    ]
    assert talk.turns[0].at.startswith(talk.name[:10])
    assert "endpoint" in talk.turns[0].stages_ms
    marks = [(mark.after, dict(mark.values)) for mark in talk.marks]
    assert marks == [(0, {"speaking.speed": 1.5}), (1, {"answering.temperature": 0.9})]
    assert pcm_of(folder, "0001-user.wav") == (16_000, BLOCK * 4)
    assert pcm_of(folder, "0001-reply.wav")[0] == 24_000
    assert (folder / "0001-shown.jpg").read_bytes() == JPEG
    assert not (folder / "0002-user.wav").exists()
    assert [event.name for event in terminal.of(RecordingChanged) if isinstance(event, RecordingChanged)] == [talk.name]


def test_of_a_cut_reply_only_what_was_heard_is_kept_as_sound(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.speak("Count.")
    terminal.begin_to_answer(1, "One two three four.", seconds=3.0)
    terminal.talk.interrupt("key")
    terminal.talk.core_said(ItemTruncated("item_1", 100, "One two"))
    (talk,) = terminal.kept()
    assert (talk.turns[0].status, talk.turns[0].heard_reply) == ("interrupted", "One two")
    assert talk.turns[0].unheard_reply == "three four."
    reply = tmp_path / talk.name / "0001-reply.wav"
    assert not reply.exists() or len(pcm_of(reply.parent, reply.name)[1]) < 3 * 48_000


@pytest.mark.parametrize("record", ["off", "text"])
def test_nothing_is_kept_that_was_not_asked_for(tmp_path: Path, record: str) -> None:
    terminal = Terminal(tmp_path / "conversations", record)
    terminal.speak("A secret.", frame=JPEG)
    terminal.talk.core_said(InputTaken(1, "picture", 30.0, 0.0))
    terminal.answer(1, "It is safe.")
    talks = terminal.kept()
    files = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert (len(talks), files) == ((0, []) if record == "off" else (1, ["talk.jsonl"]))


def test_switched_on_it_keeps_from_then_on_and_switched_off_no_more(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "off")
    terminal.speak("Not this.")
    terminal.answer(1, "No.")
    terminal.recording.set("text")
    terminal.speak("But this.")
    terminal.answer(2, "Yes.")
    terminal.recording.set("off")
    terminal.speak("And not that.")
    terminal.answer(3, "No.")
    (talk,) = terminal.kept()
    assert [turn.said for turn in talk.turns] == ["But this."]
    states = [(event.record, event.name) for event in terminal.events if isinstance(event, RecordingChanged)]
    assert states == [("text", ""), ("text", talk.name), ("off", "")]


def test_what_was_no_turn_leaves_nothing_behind(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.hear(Begin())
    terminal.hear(Drop(1.0))
    terminal.speak("A turn.")
    terminal.answer(1, "Yes.")
    (talk,) = terminal.kept()
    assert pcm_of(tmp_path / talk.name, "0001-user.wav")[1] == BLOCK * 4


def test_too_much_sound_is_told_once_and_the_words_go_on(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, sound_mb=1)
    for turn in range(1, 4):
        terminal.talk.typed(f"Question {turn}?", None)
        terminal.playback.use(None)
        terminal.begin_to_answer(turn, "A long answer.", seconds=15.0)
        terminal.talk.core_said(ReplyDone(f"resp_{turn}", f"item_{turn}", turn, "completed", "A long answer."))
        terminal.talk.tick(hold=False)
    (talk,) = terminal.kept()
    assert len(talk.turns) == 3
    assert [path.name for path in (tmp_path / talk.name).glob("*.wav")] == ["0001-reply.wav"]
    (notice,) = [event for event in terminal.events if isinstance(event, Notice)]
    assert "1 MB of sound" in notice.text


def test_a_disk_that_fails_is_one_notice_and_the_talk_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    terminal = Terminal(tmp_path / "file")
    terminal.speak("Hello?")
    terminal.recording.close()
    (why,) = terminal.troubles
    terminal.recording.failed(why)
    terminal.answer(1, "Hi.")
    terminal.speak("Still there?")
    terminal.answer(2, "Yes.")
    notices = [event.text for event in terminal.events if isinstance(event, Notice)]
    assert len(notices) == 1
    assert "from here on nothing is kept" in notices[0]
    states = [event.record for event in terminal.events if isinstance(event, RecordingChanged)]
    assert states[-1] == "off"


def test_a_deleted_conversation_is_followed_by_a_new_one(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "text")
    terminal.talk.typed("One?", None)
    terminal.answer(1, "One.")
    folder = next(event.name for event in terminal.events if isinstance(event, RecordingChanged) and event.name)
    while not terminal.recording.store.names():
        pass
    terminal.recording.store.delete(folder)
    terminal.talk.typed("Two?", None)
    terminal.answer(2, "Two.")
    (talk,) = terminal.kept()
    assert [turn.said for turn in talk.turns] == ["Two?"]


@pytest.mark.parametrize("operation", ["append", "save"])
def test_a_conversation_deleted_while_it_is_written_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    troubles: list[str] = []
    writer = Writer(troubles.append)
    folder = tmp_path / "2026-01-02-030405"
    written = writer_module.append

    def deleted_first(file: Path, content: bytes) -> None:
        if content == b"late":
            Store(tmp_path).delete(folder.name)
        written(file, content)

    monkeypatch.setattr(writer_module, "append", deleted_first)
    writer.begin(folder, head_line("2026-01-02T03:04:05+00:00", "lite", "m"))
    if operation == "append":
        writer.append(folder, b"late")
    else:
        writer.save(folder, "001-user.wav", b"late")
    other = tmp_path / "2026-01-02-030406"
    writer.begin(other, b"next\n")
    writer.close(2.0)
    assert troubles == []
    assert (other / "talk.jsonl").read_bytes() == b"next\n"
    assert not folder.exists()


def test_a_new_conversation_is_kept_apart_and_begins_with_nothing(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "text")
    terminal.talk.typed("My name is Ada.", None)
    terminal.answer(1, "Hello Ada.")
    terminal.sent.clear()
    terminal.talk.begin_anew()
    terminal.recording.begin()
    assert terminal.sent == [ForgetAll()]
    terminal.talk.typed("What is my name?", None)
    terminal.answer(2, "I do not know.")
    terminal.talk.core_lost()
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.sent == [CreateItem("user", "What is my name?"), CreateItem("assistant", "I do not know.")]
    first, second = terminal.kept()
    assert [turn.said for turn in first.turns] == ["My name is Ada."]
    assert [turn.said for turn in second.turns] == ["What is my name?"]


@pytest.mark.parametrize("audible", [False, True], ids=["thinking", "speaking"])
def test_begun_anew_over_a_reply_nothing_of_that_comes_back(tmp_path: Path, audible: bool) -> None:
    terminal = Terminal(tmp_path, "text")
    terminal.speak("Tell me a story.")
    if audible:
        terminal.begin_to_answer(1, "Once upon a time.")
    terminal.talk.begin_anew()
    terminal.recording.begin()
    asked = len(terminal.sent)
    if not audible:  # the core began before it heard of it
        terminal.begin_to_answer(1, "Once upon a time.")
    terminal.talk.core_said(ItemTruncated("item_1", 100, "Once upon"))
    terminal.talk.core_said(CaptionFinal("item_Tell me a story.", "Tell me a story!", 500.0))
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "cancelled", "Once upon", "client_cancelled"))
    assert [event for event in terminal.sent[asked:] if isinstance(event, TruncateItem)] == []
    assert terminal.of(Failed) == []
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.sent == []
    terminal.talk.typed("Something else.", None)
    assert [event.turn for event in terminal.sent if isinstance(event, CreateResponse)] == [2]


def test_taken_up_again_the_core_is_told_and_the_record_goes_on(tmp_path: Path) -> None:
    first = Terminal(tmp_path, "text")
    first.talk.typed("My name is Ada.", None)
    first.answer(1, "Hello Ada.")
    (kept,) = first.kept()
    later = Terminal(tmp_path, "text")
    later.talk.typed("By the way.", None)
    later.answer(1, "Yes?")
    later.sent.clear()
    later.talk.begin_anew([(turn.said, turn.heard_reply) for turn in kept.turns])
    later.recording.begin(kept)
    told = [ForgetAll(), CreateItem("user", "My name is Ada."), CreateItem("assistant", "Hello Ada.")]
    assert later.sent == told
    later.talk.typed("What is my name?", None)
    later.answer(2, "Ada.")
    talks = {talk.name: [turn.said for turn in talk.turns] for talk in later.kept()}
    assert talks[kept.name] == ["My name is Ada.", "What is my name?"]
    assert len(talks) == 2


def test_three_that_begin_in_the_same_second_are_three_also_while_the_disk_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awake = threading.Event()

    class SlowDisk(Writer):
        def _run(self) -> None:
            awake.wait(10.0)
            super()._run()

    monkeypatch.setattr(recording, "_time", lambda _at_s: "2026-11-30T14:18:52+00:00")
    terminal = Terminal(tmp_path, "text")
    terminal.recording._writer = SlowDisk(terminal.troubles.append)
    for turn, said in enumerate(("One.", "Two.", "Three."), 1):
        terminal.talk.typed(said, None)
        terminal.answer(turn, "Yes.")
        terminal.recording.begin()
    awake.set()
    assert [[turn.said for turn in talk.turns] for talk in terminal.kept()] == [["One."], ["Two."], ["Three."]]


def test_a_clock_that_is_set_back_changes_no_order_and_overwrites_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(tmp_path, "text")
    terminal.talk.typed("One.", None)
    terminal.answer(1, "Yes.")
    begun = datetime.now().astimezone()
    set_back = begun - timedelta(hours=2)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return set_back.astimezone(tz)

    monkeypatch.setattr(wall_time, "datetime", Clock)
    terminal.talk.typed("Two.", None)
    terminal.answer(2, "Yes.")
    for turn, said in ((3, "Three."), (4, "Four.")):
        terminal.recording.begin()
        terminal.talk.typed(said, None)
        terminal.answer(turn, "Yes.")
    kept = {talk.name: talk for talk in terminal.kept()}
    (first,) = (talk for talk in kept.values() if len(talk.turns) == 2)
    assert [turn.said for turn in first.turns] == ["One.", "Two."]
    assert abs(datetime.fromisoformat(first.turns[0].at) - begun) < timedelta(seconds=10)
    assert abs(datetime.fromisoformat(first.turns[1].at) - set_back) < timedelta(seconds=10)
    base = f"{set_back:%Y-%m-%d-%H%M%S}"
    assert sorted(set(kept) - {first.name}) == [base, f"{base}-2"]


def test_after_the_machine_slept_the_time_is_the_wall_clocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(tmp_path, "text")
    woken = datetime.now().astimezone() + timedelta(hours=30)  # `now_s` does not count sleep

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return woken.astimezone(tz)

    monkeypatch.setattr(wall_time, "datetime", Clock)
    terminal.talk.typed("Good morning.", None)
    terminal.answer(1, "Good morning.")
    (talk,) = terminal.kept()
    assert abs(datetime.fromisoformat(talk.turns[0].at) - woken) < timedelta(seconds=10)
    assert talk.name.startswith(f"{woken:%Y-%m-%d-%H}")
