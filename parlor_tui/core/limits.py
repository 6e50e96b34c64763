"""When a reply has been long enough. Pure."""

from __future__ import annotations

from parlor_tui.speech.sentences import is_sentence_end

HARD_FACTOR = 4
"""A reply that never ends a sentence is cut at this many times its soft limit."""


class ReplyLimit:
    """A soft limit in tokens, after which the sentence is finished, and no more."""

    def __init__(self, soft_tokens: int) -> None:
        self._soft_tokens = soft_tokens
        self._text = ""
        self.tokens = 0

    @property
    def hard_tokens(self) -> int:
        """The most tokens the engine is asked for."""
        return self._soft_tokens * HARD_FACTOR

    def takes(self, piece: str) -> bool:
        """Count one token; False if the reply was complete before it and `piece` must be left out."""
        if self.tokens >= self._soft_tokens:
            following = piece.lstrip()
            apart = piece[:1].isspace() or self._text[-1:].isspace()
            if self._text.rstrip()[-1:] in "。！？" or "\n" in piece or (not following and not piece):
                return False
            if apart and following and is_sentence_end(self._text.rstrip(), following):
                return False
        self.tokens += 1
        self._text += piece
        return True
