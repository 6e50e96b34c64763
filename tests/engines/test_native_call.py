from __future__ import annotations

import threading

import pytest

from parlor_tui.engines.native_call import NativeCalls, Put
from parlor_tui.events import now_s


class Native:
    """Native work that goes on until it is let go, whoever cancels it."""

    def __init__(self, *first: str) -> None:
        self._first = first
        self.go = threading.Event()
        self.cancelled = threading.Event()

    def work(self, put: Put) -> None:
        for piece in self._first:
            put(piece)
        self.go.wait(10)
        put("two")


def always() -> bool:
    return True


def test_what_does_not_end_when_it_is_cancelled_is_left_and_overdue_in_time() -> None:
    calls, native = NativeCalls(most_left=2), Native()
    assert calls.run(native.work, native.cancelled.set, lambda _: True, always, expected_s=3.0) == "left"
    assert native.cancelled.wait(5)
    at_s = now_s()
    assert calls.stuck_s(at_s) == 0
    assert calls.stuck_s(at_s + 5) == pytest.approx(2.0, abs=0.5)
    native.go.set()


def test_a_cancel_that_does_not_come_back_holds_nobody_up() -> None:
    calls, native, never = NativeCalls(most_left=2), Native(), threading.Event()
    assert calls.run(native.work, lambda: never.wait(10) and None, lambda _: True, always, expected_s=0.0) == "left"
    native.go.set()
    never.set()


def test_enough_text_ends_the_wait_and_not_the_work() -> None:
    calls, native = NativeCalls(most_left=2), Native("one")
    assert calls.run(native.work, native.cancelled.set, lambda _: False, lambda: False, expected_s=0.0) == "enough"
    assert not native.cancelled.is_set()
    native.go.set()


def test_beside_too_many_that_were_left_nothing_is_begun() -> None:
    calls, native = NativeCalls(most_left=1), Native()
    assert calls.run(native.work, native.cancelled.set, lambda _: True, always, expected_s=0.0) == "left"
    begun = threading.Event()
    assert calls.run(lambda _: begun.set(), lambda: None, lambda _: True, always, expected_s=0.0) == "unbegun"
    assert not begun.is_set()
    native.go.set()
    assert calls.run(lambda _: begun.set(), lambda: None, lambda _: True, lambda: False, expected_s=0.0) == "ended"


def test_a_call_that_waits_for_another_is_not_overdue_while_that_one_lives() -> None:
    calls, first, second = NativeCalls(most_left=2), Native(), threading.Event()
    threads = [
        threading.Thread(
            target=calls.run, args=(work, lambda: None, lambda _: True, lambda: False), kwargs={"expected_s": 0.0}
        )
        for work in (lambda _: second.wait(10) and None, first.work)
    ]
    for thread in threads:
        thread.start()
    sign_s = now_s()
    assert calls.stuck_s(sign_s + 9) == 0
    assert calls.stuck_s(sign_s + 20) > 5
    first.go.set()
    second.set()
    for thread in threads:
        thread.join(5)
    assert calls.stuck_s(now_s() + 100) == 0


def test_what_the_work_raises_is_raised_to_whoever_waits() -> None:
    def broken(_put: Put) -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        NativeCalls(most_left=1).run(broken, lambda: None, lambda _: True, lambda: False, expected_s=0.0)
