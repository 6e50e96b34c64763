"""What the user types: a turn, which waits where there is no core yet, or a text that is only said aloud."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from parlor_tui.assistant.core.core_side import CoreSide
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.events import Event, Failed, now_s

LONGEST_TYPED_CHARS = 8000
_WAITING = 20


class Typed:
    """Used by the assistant's thread. `frame` gives the picture that goes with a turn, if there is to be one."""

    def __init__(
        self, core: CoreSide, talk: Talk, frame: Callable[[], bytes | None], emit: Callable[[Event], None]
    ) -> None:
        self._core = core
        self._talk = talk
        self._frame = frame
        self._emit = emit
        self._waiting: deque[str] = deque()

    def say(self, text: str) -> None:
        """Take a turn. Where no core comes any more, one is started for it."""
        if len(text) > LONGEST_TYPED_CHARS:
            self._refuse(f"that is {len(text)} characters long; at most {LONGEST_TYPED_CHARS} are taken in one turn")
        elif not self._core.try_again() and self._core.is_linked:
            self._talk.typed(text, self._frame())
        elif len(self._waiting) < _WAITING:
            self._waiting.append(text)
        else:
            self._refuse("not taken: too much is waiting for the core already")

    def core_back(self) -> None:
        """There is a core: it gets the turns that waited."""
        while self._waiting:
            self._talk.typed(self._waiting.popleft(), self._frame())

    def forget(self) -> None:
        """What waits belongs to a conversation that is over."""
        self._waiting.clear()

    def speak(self, text: str, voice: str) -> None:
        """Say `text` in `voice`, as no part of the conversation."""
        if not (self._core.is_linked and self._core.is_ready):
            self._refuse("not said aloud: the models are not loaded yet; try again when ready")
        elif text.strip():
            self._talk.say_aloud(text.strip()[:LONGEST_TYPED_CHARS], voice)

    def _refuse(self, why: str) -> None:
        self._emit(Failed(at_s=now_s(), text=why))
