"""Esc, told apart from what terminals send with it.

A terminal sends Esc as the one byte with which it begins arrow keys, function keys and Alt too. What follows within
milliseconds belongs to it, so that Esc and a quick letter arrive as Alt and that letter. Nobody uses Alt here: it is
taken for both keys, so that a reply stops and the letter is typed.
"""

from __future__ import annotations

import codecs
import os
import selectors
from collections.abc import Iterable

from textual import constants
from textual._time import get_time  # the parser's clock
from textual._xterm_parser import XTermParser  # its events reach only a driver that makes the parser itself
from textual.driver import Driver
from textual.events import Key
from textual.message import Message

ESC = "\x1b"
ESC_WAIT_S = constants.ESCAPE_DELAY if "ESCDELAY" in os.environ else 0.025
"""What follows an Esc within this time is part of its key: terminals send such keys at once, fingers do not.

Over a line so slow that it tears them apart one sets ESCDELAY, in ms, as for other programs.
"""
_IDLE_S = 0.1
"""The reader looks so often whether the program is leaving."""
MOVES = {"alt+b": "ctrl+left", "alt+f": "ctrl+right"}
"""What iTerm and Terminal on macOS send for Option and an arrow."""


def both_keys(event: Key, sounding: bool) -> list[Key]:
    """`event`, or the two keys that it stands for.

    `sounding`: a reply can be stopped, which is more likely meant than a word's move or a new line.
    """
    if not event.key.startswith("alt+") or event.character is None:
        return [event]
    if not sounding and event.key in MOVES:
        return [Key(MOVES[event.key], None)]
    if event.character == "\r":
        return [Key("escape", ESC), Key("enter", "\r")] if sounding else [event]
    return [Key("escape", ESC), Key(event.character, event.character)]


class EscapeParser(XTermParser):
    """Knows Esc after `ESC_WAIT_S`, and says of keys that textual takes for others that an Esc stood before them."""

    def feed(self, data: str) -> Iterable[Message]:
        """What `data` completes."""
        yield from super().feed(data)
        if self._timeout_time is not None:
            self._timeout_time = get_time() + ESC_WAIT_S

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """The keys of `sequence`; `alt`: an Esc came right before it."""
        if len(sequence) == 2 and sequence[0] == ESC and sequence[1].isascii() and sequence[1].isalnum():
            if any(True for _ in super()._sequence_to_key_events(sequence)):  # else more of it may follow
                yield Key(f"alt+{sequence[1]}", sequence[1])
            return
        for key in super()._sequence_to_key_events(sequence, alt):
            if not alt or key.key.startswith("alt+") or key.key == "escape":
                yield key
            elif key.key == "enter":
                yield Key("alt+enter", "\r")
            else:
                yield Key("escape", ESC)
                yield key


def quick_driver(default: type[Driver]) -> type[Driver]:
    """A driver that knows Esc sooner than textual's own for Linux and macOS; for other terminals `default` itself."""
    try:
        from textual.drivers.linux_driver import LinuxDriver
    except ImportError:  # there is none on Windows
        return default
    if default is not LinuxDriver:
        return default

    class QuickDriver(LinuxDriver):
        """Reads keys, and looks in time whether an Esc stands alone."""

        def run_input_thread(self) -> None:
            """Read until the driver is told to leave."""
            parser = EscapeParser(self._debug)
            decode = codecs.getincrementaldecoder("utf-8")("replace").decode
            with selectors.SelectSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                wait_s = _IDLE_S
                while not self.exit_event.is_set():
                    ready = selector.select(wait_s)
                    self._process(parser.tick())
                    if not ready:
                        wait_s = _IDLE_S
                        continue
                    read = os.read(self.fileno, 4096)
                    if not read:
                        self.exit_event.wait(_IDLE_S)  # nobody is there to press a key any more
                    elif text := decode(read):
                        self._process(parser.feed(text))
                    wait_s = ESC_WAIT_S

        def _process(self, messages: Iterable[Message]) -> None:
            for message in messages:
                self.process_message(message)

    return QuickDriver
