"""Native generations on threads of their own: one that does not stop when it should is left to finish unheard."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from parlor_tui.counts import Count, count
from parlor_tui.engines.base import OnText, Stopped
from parlor_tui.events import now_s

_POLL_S = 0.015
_STOP_S = 0.06
"""A generation ends within 2 to 23 ms of its cancel (measured); one that takes longer is in its prefill: it is left."""
_MOST_PIECES = 16_384
"""Twice as many as the longest reply that the settings allow has tokens."""
_NO_SIGN_S = 10.0
"""Without a cancel, a call that gives nothing for this long beyond what its prompt should take is stuck."""

Put = Callable[[str], None]
Outcome = Literal["ended", "enough", "cancelled", "left", "unbegun"]
"""A call came to its end; goes on to it unheard, its text being enough; was cancelled, and is over, is left, or was
never begun.
"""


@dataclass(slots=True, eq=False)
class _Call:
    """A call under way. `expected_s`: what its prompt should take before the first piece comes."""

    expected_s: float
    last_sign_s: float
    pieces: queue.SimpleQueue[str | BaseException | None] = field(default_factory=queue.SimpleQueue)
    left_s: float | None = None
    """Since when nobody waits for it; None while somebody does."""

    def put(self, piece: str) -> None:
        """Take a piece from the native thread."""
        self.last_sign_s = now_s()
        self.expected_s = 0.0
        if self.left_s is not None:
            return  # nobody listens any more
        if self.pieces.qsize() >= _MOST_PIECES:
            count(Count.REPLY_PIECES_LOST)
            return
        self.pieces.put(piece)


class NativeCalls:
    """The native calls of one engine, which runs them one after another. At most `most_left` are left to themselves."""

    def __init__(self, *, most_left: int) -> None:
        self._most_left = most_left
        self._calls: set[_Call] = set()
        self._lock = threading.Lock()

    def run(
        self,
        work: Callable[[Put], None],
        cancel: Callable[[], None],
        on_text: OnText,
        stopped: Stopped,
        *,
        expected_s: float,
    ) -> Outcome:
        """Run `work`, which gives out pieces of text, on a thread of its own, and pass them on here.

        When it returns "enough" or "left", `work` is still under way: what it uses must not be touched, and `work`
        itself must see to it. Where too many were left already, it waits for one of them to end. "unbegun": it was
        cancelled meanwhile, and `work` was not called. Raises what `work` raises.
        """
        while self._left_count() >= self._most_left:
            if stopped():
                return "unbegun"
            time.sleep(_POLL_S)
        call = _Call(expected_s, now_s())
        with self._lock:
            self._calls.add(call)
        threading.Thread(target=self._work, args=(call, work), name="native", daemon=True).start()
        while not stopped():
            try:
                piece = call.pieces.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if piece is None:
                return "ended"
            if isinstance(piece, BaseException):
                raise piece
            if not on_text(piece):
                return "enough"
        call.left_s = now_s()
        # The library's cancel itself has been seen not to come back.
        threading.Thread(target=cancel, name="native-cancel", daemon=True).start()
        deadline_s = call.left_s + _STOP_S
        while (left_s := deadline_s - now_s()) > 0:
            with contextlib.suppress(queue.Empty):
                piece = call.pieces.get(timeout=left_s)
                if piece is None or isinstance(piece, BaseException):
                    return "cancelled"
        return "left"

    def stuck_s(self, at_s: float) -> float:
        """How long the call that is most overdue has been so; 0 if none is.

        A call that waits for others shows no sign of life, and is not overdue as long as they do.
        """
        with self._lock:
            calls = list(self._calls)
        left = [at_s - call.left_s - call.expected_s for call in calls if call.left_s is not None]
        if left or not calls:
            return max([0.0, *left])
        sign_s = max(call.last_sign_s for call in calls)
        return max(0.0, at_s - sign_s - max(call.expected_s for call in calls) - _NO_SIGN_S)

    def _left_count(self) -> int:
        with self._lock:
            return sum(call.left_s is not None for call in self._calls)

    def _work(self, call: _Call, work: Callable[[Put], None]) -> None:
        try:
            work(call.put)
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits, on its own thread
            call.pieces.put(error)
        else:
            call.pieces.put(None)
        finally:
            with self._lock:
                self._calls.discard(call)
