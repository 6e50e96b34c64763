"""Whoever leaves while a reply is being made or heard finds the turn where every other one is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from parlor_tui.assistant import Assistant
from parlor_tui.bench.watching import Watch
from parlor_tui.conversations.store import Store
from parlor_tui.events import Ready, State, StateChanged
from parlor_tui.settings import Settings, journal_beside
from tests.assistant import scripted_core


def test_the_turn_is_kept_and_journalled(tmp_path: Path) -> None:
    kept, log = tmp_path / "kept", tmp_path / "log" / "parlor-tui.log"
    values = {
        "devices.microphone": "none",
        "devices.speaker": "none",
        "conversations.folder": str(kept),
        "conversations.record": "text",
    }
    watch = Watch()
    core = [sys.executable, scripted_core.__file__, str(tmp_path / "core.log")]
    assistant = Assistant(Settings().with_values(values, "test"), None, watch.listener, core=core, log=log)
    assistant.start()
    try:
        assert watch.wait(0, Ready, 20)
        assistant.say("Why is the sky blue?")
        assert watch.wait(0, StateChanged, 20, lambda event: event.state is State.THINKING)
    finally:
        assistant.stop(2.0)
    store = Store(kept)
    (turn,) = store.load(store.find("last")).turns
    assert (turn.said, turn.status) == ("Why is the sky blue?", "interrupted")
    lines = [json.loads(line) for line in journal_beside(log).read_bytes().splitlines()]
    assert [(line["turn"], line["status"]) for line in lines if line["kind"] == "turn"] == [(1, "interrupted")]
