"""What is lost is counted, whatever thread loses it."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import parlor_tui
from parlor_tui.counts import OF_CORE, OF_TERMINAL, Count, count, counts


def test_threads_lose_no_count() -> None:
    before = counts()[Count.INBOX_BLOCKS_LOST]
    threads = [threading.Thread(target=lambda: [count(Count.INBOX_BLOCKS_LOST) for _ in range(500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts()[Count.INBOX_BLOCKS_LOST] - before == 2000


def test_all_are_told_from_the_start() -> None:
    assert set(counts()) == set(Count)
    before = counts()
    count(Count.REPLY_SAMPLES_UNHEARD, 480)
    assert counts() == before | {"reply_samples_unheard": before["reply_samples_unheard"] + 480}


def test_each_is_either_of_the_core_or_of_the_terminal() -> None:
    assert OF_CORE | set(OF_TERMINAL) == set(Count)
    assert not OF_CORE & set(OF_TERMINAL)


def test_each_is_counted_and_by_the_process_that_shows_it() -> None:
    """What the core counted as one of the terminal's, or the other way round, nobody would ever see."""
    root = Path(parlor_tui.__file__).parent
    counted: set[Count] = set()
    for file in root.rglob("*.py"):
        place = file.relative_to(root)
        if place == Path("counts.py"):
            continue
        found = {Count[name] for name in re.findall(r"\bcount\(\s*Count\.(\w+)", file.read_text("utf-8"))}
        found |= {Count[name] for name in re.findall(r"\(Count\.(\w+), \w+", file.read_text("utf-8"))}
        of_core = place.parts[0] in ("core", "engines") or place == Path("link/served_client.py")
        assert all((what in OF_CORE) == of_core for what in found), (place, found)
        counted |= found
    assert counted == set(Count)
