"""What was said in each turn, and what of it all a new core must be told. Used by the talk alone."""

from __future__ import annotations

from collections.abc import Sequence

from parlor_tui.assistant.talk.memories import Memories

_KEPT_TURNS = 64


class TurnWords:
    """The words of the user's, by turn, and the memories of the talk; what is forgotten stays so."""

    def __init__(self) -> None:
        self.memories = Memories()
        self._said: dict[int, str] = {}
        self._forgotten_turn = 0

    def said(self, turn: int) -> str:
        """What was said in the turn, as far as it is known."""
        return self._said.get(turn, "")

    def take(self, turn: int, text: str) -> None:
        """`text` was said in the turn."""
        self._said[turn] = text

    def drop(self, turn: int) -> None:
        """Nothing of the turn counts."""
        self._said.pop(turn, None)

    def remembers(self, turn: int) -> bool:
        """Whether the turn is of this talk, and not of one that was forgotten."""
        return turn > self._forgotten_turn

    def let_old_go(self) -> None:
        """Keep the words of the newest turns alone."""
        for turn in sorted(self._said)[:-_KEPT_TURNS]:
            del self._said[turn]

    def forget(self, last_turn: int, earlier: Sequence[tuple[str, str]]) -> None:
        """Forget all up to `last_turn`; of `earlier` remember what was said, and heard of the reply to it."""
        self._forgotten_turn = last_turn
        self.memories = Memories()
        for said, heard in earlier:
            self.memories.close(0, said, heard)
