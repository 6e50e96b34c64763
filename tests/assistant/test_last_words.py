"""A core that stands still says where it was before it is ended, and the incident has that."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from parlor_tui.assistant.keeping.journaling import Journaling
from parlor_tui.events import CoreEvent, CoreLoading
from parlor_tui.link.pulse import Patience
from parlor_tui.link.supervisor import Supervisor
from parlor_tui.observe import incidents
from parlor_tui.settings import Settings, incidents_beside
from tests.waiting import until

CORE = str(Path(__file__).parents[1] / "link" / "hanging_core.py")


def test_the_incident_has_the_stacks_of_a_core_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    log = tmp_path / "parlor-tui.log"
    kept = Journaling(Settings(), log, lambda _: None)
    heard: list[CoreEvent] = []
    supervisor = Supervisor(
        [sys.executable, CORE, "never"], log, lambda _: None, heard.append, kept.core_down, patience=Patience()
    )
    supervisor.start()
    try:
        until(lambda: CoreLoading("loading the first part", 0, 0) in heard, "the core loads", 30)
        psutil.Process(supervisor.core_pid).suspend()
        until(lambda: bool(incidents.names(incidents_beside(log))), "an incident", 40)
    finally:
        supervisor.stop(1.0)
        kept.close(5.0)
    folder = incidents_beside(log)
    scene = (folder / incidents.names(folder)[-1] / "native.log").read_text("utf-8", errors="replace")
    assert "most recent call first" in scene
    assert "hanging_core.py" in scene
