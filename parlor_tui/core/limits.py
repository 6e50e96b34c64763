"""When a reply has been long enough. Pure."""

from __future__ import annotations

import re

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

    def take(self, piece: str) -> tuple[str, bool]:
        """Count `piece`, one or a few tokens; what of it belongs to the reply, and whether more may follow.

        The end of a sentence may lie within a piece: engines hold a mark back until they know what comes after it.
        """
        taken = ""
        for part in _PARTS.findall(piece):
            if self.tokens >= self._soft_tokens and self._complete_before(part):
                return taken, False
            self._text += part
            taken += part
        self.tokens += 1
        return taken, True

    def _complete_before(self, part: str) -> bool:
        following = part.lstrip()
        if self._text.rstrip()[-1:] in tuple("。！？") or "\n" in part:
            return True
        apart = part[:1].isspace() or self._text[-1:].isspace()
        return bool(apart and following and is_sentence_end(self._text.rstrip(), following))


_PARTS = re.compile(r"\s*[^\s。！？]*[。！？]*|\s+")
"""A piece in parts between which a sentence may end."""
