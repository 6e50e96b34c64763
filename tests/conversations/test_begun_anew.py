"""The whole assistant before a scripted core, with quick hands: begun anew, taken up again, kept, at any time."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlor_tui.assistant import Assistant
from parlor_tui.assistant.keeping import conversing
from parlor_tui.assistant.keeping.conversing import READING_AT_MOST
from parlor_tui.bench.watching import Watch
from parlor_tui.conversations.record import head_line, turn_line
from parlor_tui.events import ConversationBegun, Failed, Ready, RecordingChanged, TurnDone
from parlor_tui.settings import Settings
from tests.assistant import scripted_core

NAME = "2026-11-30-141852"


class Desk:
    """An assistant that only types, its events, and what its core is told."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "core.log"
        values = {"devices.microphone": "none", "devices.speaker": "none", "conversations.folder": str(folder / "kept")}
        settings = Settings().with_values(values, "test")
        self.watch = Watch()
        core = [sys.executable, scripted_core.__file__, str(self._log)]
        self.assistant = Assistant(settings, None, self.watch.listener, core=core)

    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text("utf-8").splitlines()]

    def told_since_forgetting(self) -> list[tuple[str, str]]:
        """The messages that the core knows in the end: by whom, and their words."""
        sent = self.sent()
        kinds = [message.get("type", "") for message in sent]
        last = len(kinds) - 1 - kinds[::-1].index("parlor.conversation.forget")
        items = [message["item"] for message in sent[last:] if message.get("type") == "conversation.item.create"]
        return [(item["role"], item["content"][0]["text"]) for item in items]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.assistant.stop(2.0)


def test_quick_hands(desk: Desk, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / NAME
    kept.mkdir(parents=True)
    lines = [
        head_line("2026-11-30T14:18:52+00:00", "lite", "small"),
        turn_line(1, said="My name is Ada.", reply="Hello Ada.", status="completed"),
        turn_line(2, said="Go on.", reply="Once upon a time.", heard="Once upon", status="interrupted"),
    ]
    (kept / "talk.jsonl").write_bytes(b"".join(lines))
    assistant, watch = desk.assistant, desk.watch
    assistant.new_conversation()  # before anything is there
    assistant.start()
    assistant.say("early")
    assistant.new_conversation()
    assistant.new_conversation()
    assert watch.wait(0, Ready, 20.0) is not None
    assistant.say("forgotten")
    assistant.new_conversation()  # while the reply is being made
    assistant.say("second")
    second = watch.wait(0, TurnDone, 10.0, lambda event: event.heard == "second" and event.status == "completed")
    assert second is not None
    assert desk.told_since_forgetting() == [("user", "second")]

    mark = watch.mark()
    assistant.reopen("2031-01-01-000000")
    failed = watch.wait(mark, Failed, 5.0)
    assert failed is not None
    assert failed.text.startswith("not reopened: 2031-01-01-000000: there is no such conversation")
    assistant.set_recording("everything")
    refused = watch.wait(mark, Failed, 5.0, lambda event: "everything" in event.text)
    assert refused is not None
    assistant.set_recording("text")
    assistant.say("under way")
    assistant.reopen(NAME)
    begun = watch.wait(mark, ConversationBegun, 5.0)
    assert begun is not None
    assert (begun.name, [turn.said for turn in begun.earlier]) == (NAME, ["My name is Ada.", "Go on."])
    assistant.say("third")
    assert watch.wait(mark, TurnDone, 10.0, lambda event: event.heard == "third") is not None
    assert desk.told_since_forgetting() == [
        ("user", "My name is Ada."),
        ("assistant", "Hello Ada."),
        ("user", "Go on."),
        ("assistant", "Once upon"),
        ("user", "third"),
    ]
    names = [event.name for event in watch.since(mark) if isinstance(event, RecordingChanged)]
    assert names[0] == ""
    assert names[-1] == NAME
    assistant.stop(2.0)
    said = [json.loads(line).get("said") for line in (kept / "talk.jsonl").read_text("utf-8").splitlines()]
    assert said[-3:] == [None, "third", None]
    assert [event for event in watch.since(0) if isinstance(event, Failed)] == [failed, refused]


def test_a_disk_that_hangs_over_a_conversation_holds_nothing_up_but_what_is_typed_for_it(
    desk: Desk, tmp_path: Path
) -> None:
    kept = tmp_path / "kept" / NAME
    kept.mkdir(parents=True)
    os.mkfifo(kept / "talk.jsonl")  # whoever opens it waits, as before a disk that hangs, until somebody writes
    assistant, watch = desk.assistant, desk.watch
    assistant.start()
    assert watch.wait(0, Ready, 20.0) is not None
    mark = watch.mark()
    assistant.reopen(NAME)
    assistant.say("and then?")
    assistant.set_recording("text")
    assert watch.wait(mark, RecordingChanged, 5.0) is not None, "the assistant waits for the disk"
    assert watch.wait(mark, ConversationBegun, 0.2) is None
    lines = [
        head_line("2026-11-30T14:18:52+00:00", "lite", "small"),
        turn_line(1, said="Hello.", reply="Hi.", status="completed"),
    ]
    (kept / "talk.jsonl").write_bytes(b"".join(lines))
    assert watch.wait(mark, ConversationBegun, 5.0) is not None
    assert watch.wait(mark, TurnDone, 10.0, lambda event: event.heard == "and then?") is not None
    assert desk.told_since_forgetting() == [("user", "Hello."), ("assistant", "Hi."), ("user", "and then?")]

    mark = watch.mark()
    for _ in range(READING_AT_MOST + 1):
        assistant.reopen(NAME)
    refused = watch.wait(mark, Failed, 5.0)
    assert refused is not None
    assert refused.text.endswith("the disk hangs")
    assistant.say("forgotten")
    assistant.new_conversation()
    assert watch.wait(mark, ConversationBegun, 5.0) is not None
    (kept / "talk.jsonl").write_bytes(lines[0])
    assert watch.wait(mark, TurnDone, 0.5) is None
    begun = [event.name for event in watch.since(mark) if isinstance(event, ConversationBegun)]
    assert begun == [""], "what was asked for before is not wanted any more"


def test_a_disk_that_goes_on_hanging_is_given_up_on_and_the_talk_that_is_goes_on(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversing, "LONGEST_READING_S", 0.5)
    kept = tmp_path / "kept" / NAME
    kept.mkdir(parents=True)
    os.mkfifo(kept / "talk.jsonl")
    assistant, watch = desk.assistant, desk.watch
    assistant.start()
    assert watch.wait(0, Ready, 20.0) is not None
    mark = watch.mark()
    assistant.reopen(NAME)
    assistant.say("are you there?")
    told = watch.wait(mark, Failed, 5.0)
    assert told is not None
    assert told.text == f"not reopened: {NAME}: the disk does not answer; what was typed goes on in this conversation"
    assert watch.wait(mark, TurnDone, 10.0, lambda event: event.heard == "are you there?") is not None
    (kept / "talk.jsonl").write_bytes(head_line("2026-11-30T14:18:52+00:00", "lite", "small"))
    assert watch.wait(mark, ConversationBegun, 0.5) is None, "it comes too late"
    assert [event for event in watch.since(mark) if isinstance(event, Failed)] == [told]
