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

from parlor_tui.counts import Count, count
from parlor_tui.events import CoreEvent, now_s
from parlor_tui.link import client_events as say
from parlor_tui.link import server_events, wire
from parlor_tui.link.pulse import PING_EVERY_S

_log = logging.getLogger(__name__)
_OUTBOX_MESSAGES = 4096
"""Two minutes of speech: when it is full the core has not read for that long, and the link is given up."""
OPEN_S = 5.0


class LinkError(Exception):
    """The core cannot be reached. The message is one line."""


class Link:
    """One connection to a core. `on_event` and `on_closed` are called on the link's own thread, `on_closed` once.

    Raises LinkError if there is none within `open_s`. Once it is closed here, nothing more is told of the core.
    """

    def __init__(
        self,
        url: str,
        token: str,
        on_event: Callable[[CoreEvent], None],
        on_closed: Callable[[str], None],
        *,
        open_s: float = OPEN_S,
    ) -> None:
        self._on_event = on_event
        self._on_closed = on_closed
        self._outbox: queue.Queue[say.ClientEvent | None] = queue.Queue(_OUTBOX_MESSAGES)
        self._open = contextlib.ExitStack()
        self._given_up = threading.Event()
        self._ping: threading.Event | None = None
        self._heard_s = now_s()
        self._taking = False
        try:
            self._connection: ClientConnection = self._open.enter_context(
                connect(
                    url,
                    additional_headers={"Authorization": f"Bearer {token}"},
                    max_size=wire.MAX_MESSAGE_BYTES,
                    compression=None,
                    open_timeout=open_s,
                    close_timeout=0.5,
                    ping_interval=None,  # it is asked for signs of life far more often here
                    proxy=None,
                )
            )
        except (OSError, TimeoutError, WebSocketException) as error:
            raise LinkError(f"no link to the core: {in_one_line(error)}") from error
        self._reader = threading.Thread(target=self._read, name="link-in", daemon=True)
        self._writer = threading.Thread(target=self._write, name="link-out", daemon=True)

    def start(self) -> None:
        """Begin to carry events."""
        self._reader.start()
        self._writer.start()

    def heard_s(self, at_s: float) -> float:
        """When the core gave its last sign of life, by `now_s`, as far as is known at `at_s`.

        While the last one is still being taken, here, nobody can tell that the core is silent.
        """
        if self._taking or (self._ping is not None and self._ping.is_set()):
            self._heard_s = at_s
        return self._heard_s

    def send(self, event: say.ClientEvent) -> None:
        """Queue a request; never blocks. On a link that is closed it goes nowhere."""
        if self._given_up.is_set():
            return
        try:
            self._outbox.put_nowait(event)
        except queue.Full:
            count(Count.LINK_OUTBOX_FULL)
            _log.warning("the core has not read for too long: link given up")
            self.close()

    def close(self) -> None:
        """Close the link; bounded, and again does no harm."""
        self._given_up.set()
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
                self._take(message)
        except (OSError, WebSocketException) as error:
            reason = f"the link broke: {in_one_line(error)}"
        finally:  # whatever ended it: whoever waits for the end of the link must hear of it
            with contextlib.suppress(queue.Full):
                self._outbox.put_nowait(None)
            self._on_closed(reason)

    def _take(self, message: str | bytes) -> None:
        self._taking = True
        try:
            event = server_events.decode(wire.parse(message))
            if event is not None and not self._given_up.is_set():
                self._on_event(event)
        except wire.ProtocolError as error:
            _log.warning("from the core: %s", error)
        finally:
            self._heard_s = now_s()
            self._taking = False

    def _write(self) -> None:
        try:
            self._send_what_comes()
        except (OSError, WebSocketException):
            pass  # the reader tells
        except Exception:  # noqa: BLE001 - the edge of the thread: the link would seem to live, and carry nothing
            _log.exception("link-out")
            self.close()

    def _send_what_comes(self) -> None:
        ping_due_s = now_s()
        while True:
            try:
                event = self._outbox.get(timeout=max(0.0, ping_due_s - now_s()))
            except queue.Empty:
                pass
            else:
                if event is None:
                    return
                self._connection.send(json.dumps(say.encode(event)))
            if now_s() >= ping_due_s:
                ping_due_s = now_s() + PING_EVERY_S
                self._ask_for_life()

    def _ask_for_life(self) -> None:
        """Ping, unless the last one is not answered yet."""
        if self._ping is None or self._ping.is_set():
            self.heard_s(now_s())
            self._ping = self._connection.ping()


def in_one_line(error: BaseException) -> str:
    """What went wrong with a connection, for a person."""
    return " ".join(str(error).split()) or type(error).__name__
