"""A process to which the system refuses memory notices, before it hangs as it starts a thread."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from types import SimpleNamespace
from typing import Any, cast

import pytest

from parlor_tui.core import reply
from parlor_tui.core.profiles import LITE, Parts
from parlor_tui.core.spare_memory import has_spare_memory
from parlor_tui.engines.base import Abilities
from parlor_tui.events import ReplyDone
from tests.core.unloaded import unloaded
from tests.waiting import until

REFUSED = """
import os, resource, threading
from parlor_tui.core.spare_memory import watch_spare_memory
watch_spare_memory(lambda: os._exit(71))
resource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20))
threading.Event().wait(20)
"""


def test_memory_that_is_refused_is_noticed() -> None:
    assert has_spare_memory()
    assert sys.platform == "linux", "this test limits a process as Linux does"
    assert subprocess.run([sys.executable, "-c", REFUSED], check=False, timeout=20).returncode == 71


def test_a_reply_that_failed_for_want_of_memory_is_told_of_if_there_is_some_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody ends the process then, and who asked would wait for ever."""
    monkeypatch.setattr(reply, "has_spare_memory", lambda: False)
    broken = cast(
        "Any", SimpleNamespace(name="broken", abilities=Abilities(), voices=("none",), stuck_s=lambda _at_s: 0.0)
    )

    async def run() -> None:
        async with unloaded(Parts(LITE, broken, broken, broken)) as core:
            await core.core.parts()
            core.session.add_item("user", "Hello?")
            core.session.respond(1)
            await asyncio.to_thread(
                until, lambda: any(isinstance(event, ReplyDone) for event in core.told), "the end of the reply"
            )

    asyncio.run(run())
