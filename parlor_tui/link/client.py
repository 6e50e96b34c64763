"""The terminal's end of the link: events in through a callback, requests out through a bounded outbox."""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import threading
from collections.abc import Callable

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from parlor_tui.events import CoreEvent
from parlor_tui.link import client_events as say
from parlor_tui.link import server_events, wire

_log = logging.getLogger(__name__)
_OUTBOX_MESSAGES = 4096
"""Two minutes of speech: when it is full the core has not read for that long, and the link is given up."""
_OPEN_S = 5.0


class LinkError(Exception):
    """The core cannot be reached. The message is one line."""


class Link:
    """One connection to a core. `on_event` and `on_closed` are called on the link's own thread, `on_closed` once."""

    def __init__(
        self, url: str, token: str, on_event: Callable[[CoreEvent], None], on_closed: Callable[[str], None]
    ) -> None:
        self._on_event = on_event
        self._on_closed = on_closed
        self._outbox: queue.Queue[say.ClientEvent | None] = queue.Queue(_OUTBOX_MESSAGES)
        self._open = contextlib.ExitStack()
        try:
            self._connection: ClientConnection = self._open.enter_context(
                connect(
                    url,
                    additional_headers={"Authorization": f"Bearer {token}"},
                    max_size=wire.MAX_MESSAGE_BYTES,
                    compression=None,
                    open_timeout=_OPEN_S,
                    close_timeout=0.5,
                    proxy=None,
                )
            )
        except (OSError, TimeoutError, WebSocketException) as error:
            raise LinkError(f"no link to the core: {error}") from error
        self._reader = threading.Thread(target=self._read, name="link-in", daemon=True)
        self._writer = threading.Thread(target=self._write, name="link-out", daemon=True)

    def start(self) -> None:
        """Begin to carry events."""
        self._reader.start()
        self._writer.start()

    def send(self, event: say.ClientEvent) -> None:
        """Queue a request; never blocks. On a link that is closed it goes nowhere."""
        try:
            self._outbox.put_nowait(event)
        except queue.Full:
            _log.warning("the core has not read for too long: link given up")
            self.close()

    def close(self) -> None:
        """Close the link; bounded, and again does no harm."""
        with contextlib.suppress(queue.Full):
            self._outbox.put_nowait(None)
        threading.Thread(target=self._close, name="link-close", daemon=True).start()

    def _close(self) -> None:
        with contextlib.suppress(OSError, WebSocketException):
            self._open.close()

    def _read(self) -> None:
        reason = "the link was closed"
        try:
            for message in self._connection:
                try:
                    event = server_events.decode(wire.parse(message))
                except wire.ProtocolError as error:
                    _log.warning("from the core: %s", error)
                    continue
                if event is not None:
                    self._on_event(event)
        except (OSError, WebSocketException) as error:
            reason = f"the link broke: {error}"
        finally:  # whatever ended it: whoever waits for the end of the link must hear of it
            with contextlib.suppress(queue.Full):
                self._outbox.put_nowait(None)
            self._on_closed(reason)

    def _write(self) -> None:
        with contextlib.suppress(OSError, WebSocketException):
            while (event := self._outbox.get()) is not None:
                self._connection.send(json.dumps(say.encode(event)))
