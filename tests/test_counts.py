"""What is lost is counted, whatever thread loses it."""

from __future__ import annotations

import threading

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
