"""`parlor-tui --plain`: the talk as lines, for screen readers, pipes and simple terminals.

Nothing is drawn, coloured or taken back. What is typed is a turn; see `plain_words` for the commands.
"""

from __future__ import annotations

import codecs
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from parlor_tui.assistant import Assistant
from parlor_tui.assistant.demo.demo import Demo
from parlor_tui.commands.headless import converse
from parlor_tui.commands.plain_lines import PlainLines, Said
from parlor_tui.commands.plain_words import TypedLines
from parlor_tui.events import Event, InputOver, now_s
from parlor_tui.settings import Settings

_READ_BYTES = 65536
_LONGEST_LINE_CHARS = 100_000
"""What has no end is cut here; a turn that is too long is refused by the assistant, in words."""


def run(settings: Settings, config: Path | None, demo: Demo | None = None) -> int:
    """Talk until /quit or Ctrl-C, or until all that came through a pipe is answered; the exit code."""
    return converse(settings, config, PlainLines().of, _begin_to_read, demo)


def _begin_to_read(assistant: Assistant, tell: Callable[[Event], None], leave: Callable[[], None]) -> None:
    """Read what is typed in a thread of its own; the end of the input is told as `InputOver`."""

    def read() -> None:
        typed = TypedLines(assistant, leave)
        for line in input_lines(0, sys.stdin.encoding if sys.stdin is not None else "utf-8"):
            if answer := typed.take(line):
                tell(Said(at_s=now_s(), lines=tuple(answer)))
        tell(InputOver(at_s=now_s()))

    threading.Thread(target=read, name="typed-lines", daemon=True).start()


def input_lines(fd: int, encoding: str) -> Iterator[str]:
    """Each line that can be read from `fd`, as soon as it is whole; what cannot be decoded is replaced.

    It reads the descriptor itself: a thread that waits in `sys.stdin` holds a lock that the interpreter's end needs.
    """
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    waiting = ""
    while True:
        try:
            raw = os.read(fd, _READ_BYTES)
        except OSError:  # a terminal that is gone
            raw = b""
        *lines, waiting = (waiting + decoder.decode(raw, final=not raw)).replace("\r\n", "\n").split("\n")
        if len(waiting) > _LONGEST_LINE_CHARS:
            lines, waiting = [*lines, waiting], ""
        yield from lines
        if not raw:
            break
    if waiting:
        yield waiting
