"""One message to a LiteRT-LM conversation, from its sending to the freeing of what is no longer wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parlor_tui.engines.litert_base import Branch, Timings
from parlor_tui.engines.native_call import Put
from parlor_tui.events import now_s


class Job:
    """Sends `content` on `branch`. `work` runs on a thread of its own; all else is called by whoever ordered it.

    `order` is one lock for all jobs of a model. The library runs messages one after another, too, but loses a cancel of
    one that waits: it would be read and answered to its end. Here it is not sent at all.

    `pieces`, `timings` and `tokens` (of context taken) are there once it is over, `pieces` as they come.
    """

    def __init__(
        self,
        branch: Branch,
        content: Sequence[Mapping[str, Any]],
        max_tokens: int,
        image_tokens: int,
        order: threading.Lock,
    ) -> None:
        self._branch = branch
        self._order = order
        self._content = content
        self._max_tokens = max_tokens
        self._image_tokens = image_tokens
        self._lock = threading.Lock()
        self._over = False
        self._failed = False
        self._unwanted = False
        self._cancelled = False
        self._then: Callable[[], None] | None = None
        self._began_s = now_s()
        self._first_s: float | None = None
        self.pieces: list[str] = []
        self.timings: Timings | None = None
        self.tokens = 0

    def work(self, put: Put) -> None:
        """Send, and give out the reply as it comes. Frees the branch if it failed or is not wanted any more."""
        whole = False
        try:
            with self._order:
                if not self._cancelled:
                    self._send(put)
                    whole = True
        finally:
            with self._lock:
                self._over, self._failed = True, not whole
                then = None if self._unwanted or self._failed else self._then
                free = self._unwanted or self._failed
            if free:
                self._branch.close()
            elif then is not None:
                then()

    def _send(self, put: Put) -> None:
        self._began_s = now_s()
        for piece in self._branch.send(self._content, max_tokens=self._max_tokens, image_tokens=self._image_tokens):
            if self._cancelled:  # it came as the message was about to begin, and may have been lost
                self._branch.cancel()
            self._first_s = self._first_s or now_s()
            self.pieces.append(piece)
            put(piece)
        self.timings, self.tokens = self._branch.timings(), self._branch.tokens

    def cancel(self) -> None:
        """Have it end soon; the branch cannot be gone on from. Blocks as long as the library does."""
        self._cancelled = True
        with self._lock:
            if not self._over:
                self._branch.cancel()

    def release(self) -> None:
        """Nobody wants it any more: end it, and free the branch once it is over, unless it was handed on by then.

        Never blocks: the library's own cancel has been seen to.
        """
        threading.Thread(target=self._release, name="native-release", daemon=True).start()

    def discard(self) -> None:
        """It was never begun: free the branch."""
        self._unwanted = True
        self._branch.close()

    def then(self, do: Callable[[], None]) -> None:
        """Have `do`, which takes the branch over, called when it has come to its end; at once if it has."""
        with self._lock:
            if self._unwanted or self._failed:
                return
            over, self._then = self._over, do
        if over:
            do()

    def _release(self) -> None:
        with self._lock:
            if self._unwanted:
                return
            handed_on = self._over and (self._then is not None or self._failed)
            self._unwanted = self._cancelled = True
            if not self._over:
                self._branch.cancel()
                return
        if not handed_on:
            self._branch.close()

    def encoded(self) -> tuple[float, float] | None:
        """How many ms the encoders took, and when they were done: what passed before the first token beyond the reading
        and writing of tokens, which the library times. None if it wrote nothing.
        """
        if self.timings is None or self._first_s is None or self.timings.prefill_per_s <= 0:
            return None
        reading_s = self.timings.prefill_tokens / self.timings.prefill_per_s
        writing_s = 1 / self.timings.decode_per_s if self.timings.decode_per_s > 0 else 0.0
        encode_s = max(0.0, self._first_s - self._began_s - reading_s - writing_s)
        return encode_s * 1000, self._began_s + encode_s
