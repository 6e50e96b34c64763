"""The terminal passes on what its core says of the machine, and adds what it takes itself."""

from __future__ import annotations

import queue

import pytest

from parlor_tui.assistant import Assistant
from parlor_tui.bench.costs.command import command
from parlor_tui.events import Event, MachineSeen, now_s
from parlor_tui.settings import Settings
from tests.conftest import Home


def test_readings_come_with_the_terminals_own_share(isolated_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core is a real one in a process of its own; only its models are simulated."""
    for name, value in isolated_home.env.items():
        monkeypatch.setenv(name, value)
    settings = Settings().with_values(
        {"devices.microphone": "none", "devices.speaker": "none", "devices.camera": "none"}, "test"
    )
    events: queue.Queue[Event] = queue.Queue()
    assistant = Assistant(settings, None, events.put, core=command(None, [], isolated_home.config.parent))
    assistant.start()
    seen: list[MachineSeen] = []
    deadline_s = now_s() + 20
    try:
        while len(seen) < 3:
            event = events.get(timeout=max(0.0, deadline_s - now_s()))
            if isinstance(event, MachineSeen):
                seen.append(event)
    finally:
        assistant.stop(5)
    last = seen[-1]
    assert last.machine.reading.ram_total_mb is not None
    assert last.machine.reading.cpu_percent is not None
    assert last.machine.core_mb is not None
    assert last.machine.core_mb > 10
    assert seen[0].terminal_cpu_percent is None
    assert last.terminal_cpu_percent is not None
    assert last.terminal_mb is not None
    assert last.terminal_mb > 10
    assert 0.5 < seen[2].at_s - seen[1].at_s < 5
