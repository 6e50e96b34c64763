"""Conversations on a disk: written by a thread, killed at any moment, found, deleted."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from parlor_tui.appending import append
from parlor_tui.conversations import writer as writer_module
from parlor_tui.conversations.record import ConversationError, head_line, turn_line
from parlor_tui.conversations.store import Store, found, has_sound
from parlor_tui.conversations.writer import Writer, wav
from tests.waiting import until

NAME = "2026-11-30-141852"


def keep(folder: Path, name: str, *said: str) -> Path:
    """A conversation in which the user said this."""
    kept = folder / name
    kept.mkdir(parents=True)
    lines = [head_line("2026-11-30T14:18:52+00:00", "lite", "small")]
    lines += [turn_line(number, said=text) for number, text in enumerate(said, 1)]
    (kept / "talk.jsonl").write_bytes(b"".join(lines))
    return kept


def test_what_is_written_is_for_the_user_alone_and_in_order(tmp_path: Path) -> None:
    troubles: list[str] = []
    writer = Writer(troubles.append)
    folder = tmp_path / "conversations" / NAME
    writer.begin(folder, head_line("2026-11-30T14:18:52+00:00", "lite", "small"))
    for number in range(1, 100):
        writer.append(folder, turn_line(number, said=f"turn {number}"))
    writer.save(folder, "0001-user.wav", wav(b"\0\0" * 100, 16_000))
    writer.close(10)
    assert troubles == []
    talk = Store(tmp_path / "conversations").load(NAME)
    assert [turn.said for turn in talk.turns] == [f"turn {number}" for number in range(1, 100)]
    assert has_sound(folder)
    if sys.platform != "win32":
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder.parent, folder, *folder.iterdir()]}
        assert modes == {"conversations": 0o700, NAME: 0o700, "talk.jsonl": 0o600, "0001-user.wav": 0o600}


def test_a_full_disk_is_told_once_and_what_follows_is_let_go(tmp_path: Path) -> None:
    full = Path("/dev/full")
    assert full.exists(), "this test needs /dev/full, as Linux has it"
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "talk.jsonl").symlink_to(full)
    troubles: list[str] = []
    writer = Writer(troubles.append)
    for number in range(1, 50):
        writer.append(folder, turn_line(number, said="x"))
    writer.save(folder, "0001-user.wav", b"RIFF")
    writer.close(10)
    assert len(troubles) == 1
    assert "No space left on device" in troubles[0]
    assert str(folder) in troubles[0]
    assert not (folder / "0001-user.wav").exists()


def test_a_full_disk_is_waited_for_and_nothing_is_lost_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "ROOM_AGAIN_S", 0.05)
    folder = tmp_path / NAME
    folder.mkdir()
    talk = folder / "talk.jsonl"
    talk.symlink_to("/dev/full")
    troubles: list[str] = []
    full: list[str] = []
    writer = Writer(troubles.append, full.append)
    writer.append(folder, head_line("2026-11-30T14:18:52+00:00", "lite", "small"))
    for number in range(1, 50):
        writer.append(folder, turn_line(number, said=f"turn {number}"))
    writer.save(folder, "0001-user.wav", wav(b"\0\0" * 100, 16_000))
    began_s = time.monotonic()
    while not full:
        assert time.monotonic() - began_s < 5
        time.sleep(0.01)
    assert full == [f"{talk}: cannot be written: No space left on device"]
    time.sleep(0.2)
    talk.unlink()  # somebody makes room
    talk.write_bytes(b'{"half a li')
    while len(full) < 2:
        assert time.monotonic() - began_s < 5
        time.sleep(0.01)
    writer.close(10)
    assert (troubles, full[1:]) == ([], [""])
    kept = Store(tmp_path).load(NAME)
    assert [turn.said for turn in kept.turns] == [f"turn {number}" for number in range(1, 50)]
    assert has_sound(folder)


def test_a_disk_that_stays_full_takes_so_much_memory_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_WAITING_BYTES", 10_000)
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "talk.jsonl").symlink_to("/dev/full")
    troubles: list[str] = []
    writer = Writer(troubles.append)
    writer.append(tmp_path / NAME, b"{}\n")
    began_s = time.monotonic()
    while not troubles:
        assert time.monotonic() - began_s < 5
        writer.save(tmp_path / NAME, "0001-user.wav", b"RIFF" * 500)
        time.sleep(0.01)
    assert "No space left on device" in troubles[0]
    writer.close(10)
    assert len(troubles) == 1


def test_after_trouble_it_can_be_tried_again(tmp_path: Path) -> None:
    in_the_way = tmp_path / "conversations"
    in_the_way.write_text("a file")
    troubles: list[str] = []
    writer = Writer(troubles.append)
    writer.begin(in_the_way / NAME, b"{}\n")
    until(lambda: bool(troubles), "word of the trouble")
    in_the_way.unlink()
    writer.again()
    writer.begin(in_the_way / NAME, b"{}\n")
    writer.close(10)
    assert len(troubles) == 1
    assert (in_the_way / NAME / "talk.jsonl").read_bytes() == b"{}\n"


def test_whatever_goes_wrong_with_writing_is_told_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    broken = True

    def append_or_break(file: Path, content: bytes) -> None:
        if broken:
            raise ValueError("embedded null byte")
        append(file, content)

    monkeypatch.setattr(writer_module, "append", append_or_break)
    troubles: list[str] = []
    writer = Writer(troubles.append)
    writer.append(folder, turn_line(1, said="one"))
    until(lambda: bool(troubles), "word of the trouble")
    broken = False
    writer.again()
    writer.append(folder, turn_line(2, said="two"))
    writer.close(10)
    assert troubles == [f"{folder}: cannot be written (ValueError)"]
    assert (folder / "talk.jsonl").read_bytes() == turn_line(2, said="two")


def test_a_disk_that_hangs_holds_nobody_up(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    os.mkfifo(folder / "talk.jsonl")  # nobody reads: opening it waits for ever
    troubles: list[str] = []
    writer = Writer(troubles.append)
    began_s = time.monotonic()
    for number in range(1, 2000):
        writer.append(folder, turn_line(number, said="x"))
    assert time.monotonic() - began_s < 10
    assert troubles == [f"{folder}: the disk does not keep up"]
    writer.close(0.1)
    os.close(os.open(folder / "talk.jsonl", os.O_RDONLY | os.O_NONBLOCK))  # let its thread go


KILLED = """
import sys
from pathlib import Path
from parlor_tui.conversations.record import head_line, turn_line
from parlor_tui.conversations.writer import Writer
folder = Path(sys.argv[1])
writer = Writer(print)
writer.begin(folder, head_line("2026-11-30T14:18:52+00:00", "lite", "small"))
number = 0
while True:
    number += 1
    writer.append(folder, turn_line(number, said="word " * 50))
    while writer._jobs.qsize() > 20:
        pass
    if number == 40:
        print("go", flush=True)
"""


def test_a_kill_costs_no_line_that_was_written(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    with subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "go\n"
        child.send_signal(signal.SIGKILL)
    talk = Store(tmp_path).load(NAME)
    assert len(talk.turns) >= 19
    assert talk.unread_lines <= 1
    writer = Writer(print)
    writer.append(folder, turn_line(900_000, said="later"))
    writer.close(10)
    assert Store(tmp_path).load(NAME).turns[-1].said == "later"


def test_lists_find_and_search(tmp_path: Path) -> None:
    store = Store(tmp_path / "none yet")
    assert store.names() == []
    with pytest.raises(ConversationError, match="no such conversation"):
        store.find("last")
    store = Store(tmp_path)
    keep(tmp_path, "2026-11-29-080000", "Good morning.", "Will it rain?")
    keep(tmp_path, "2026-11-30-141852", "How long does GREEN tea need?")
    keep(tmp_path, "2026-11-30-141852-2", "And black tea?")
    keep(tmp_path, "2026-11-30-141852-10", "Thanks.")
    (tmp_path / "notes").mkdir()
    (tmp_path / "2026-11-30-141900").mkdir()  # a folder without a talk
    names = store.names()
    assert names == ["2026-11-30-141852-10", "2026-11-30-141852-2", "2026-11-30-141852", "2026-11-29-080000"]
    assert store.find("last") == names[0]
    assert store.find("2026-11-29") == "2026-11-29-080000"
    assert store.find("2026-11-30-141852") == "2026-11-30-141852"
    with pytest.raises(ConversationError, match="3 conversations begin so"):
        store.find("2026-11-30")
    summaries = store.summaries()
    assert [one.name for one in found(summaries, "tea green")] == ["2026-11-30-141852"]
    assert [one.name for one in found(summaries, "2026-11-29 rain")] == ["2026-11-29-080000"]
    assert found(summaries, "coffee") == []
    assert found(summaries, "  ") == summaries
    assert summaries[-1].title == "Good morning."
    assert (summaries[-1].day, summaries[-1].time, summaries[-1].turns) == ("2026-11-29", "08:00", 2)


def test_names_lead_nowhere_else(tmp_path: Path) -> None:
    store = Store(tmp_path / "conversations")
    secret = keep(tmp_path, NAME, "secret")
    for name in ("../" + NAME, NAME + "/../../" + NAME, "", ".", "/etc"):
        for ask in (store.load, store.delete, store.find):
            with pytest.raises(ConversationError):
                ask(name)
    assert secret.exists()


def test_a_deleted_conversation_is_gone_with_its_sound_also_while_it_is_written(tmp_path: Path) -> None:
    folder = keep(tmp_path, NAME, "Hello.")
    (folder / "0001-user.wav").write_bytes(b"RIFF")
    troubles: list[str] = []
    writer = Writer(troubles.append)
    writer.append(folder, turn_line(2, said="more"))
    until(lambda: writer.has_written(folder), "the first line")
    Store(tmp_path).delete(NAME)
    writer.append(folder, turn_line(3, said="late"))
    writer.save(folder, "0003-user.wav", b"RIFF")
    writer.close(10)
    assert troubles == []
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConversationError, match="no such conversation"):
        Store(tmp_path).delete(NAME)


def test_one_that_cannot_be_read_is_listed_and_says_so(tmp_path: Path) -> None:
    keep(tmp_path, NAME, "Hello.")
    (tmp_path / NAME / "talk.jsonl").write_bytes(b'{"parlor": 99}\n')
    (summary,) = Store(tmp_path).summaries()
    assert "later version" in summary.title


def test_two_that_begin_in_the_same_second_have_names_of_their_own(tmp_path: Path) -> None:
    store = Store(tmp_path)
    now = datetime(2026, 11, 30, 14, 18, 52)
    assert store.fresh_name(now) == NAME
    keep(tmp_path, NAME)
    assert store.fresh_name(now) == NAME + "-2"
