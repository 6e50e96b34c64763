"""A core that dies or stands still is started again, told the conversation, and asked again. Real models."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from parlor_tui.events import AskedAgain
from tests.e2e.talk_in_trouble import Talking, happens, talking


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talking]:
    with talking(tmp_path_factory.mktemp("talk")) as running:
        yield running


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGSEGV, "the core crashed (SIGSEGV)"),
        (signal.SIGKILL, "the core was killed (maybe out of memory)"),
        (signal.SIGSTOP, "the core stood still and did not answer"),
    ],
)
def test_a_core_that_dies_or_stands_still_is_started_again_and_answers(
    talk: Talking, number: signal.Signals, words: str
) -> None:
    pid, before = talk.core_pid, len(talk.events)
    notice, done = happens(talk, lambda: os.kill(pid, number), number.name)
    assert notice.text.startswith(words)
    assert notice.text.endswith("starting it again, the talk goes on")
    assert talk.core_pid != pid
    assert done.status == "completed"
    assert done.reply
    talk.wait(AskedAgain, before)
