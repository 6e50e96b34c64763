"""What lies between a terminal and its core: it can be cut, or let nothing through any more."""

from __future__ import annotations

import asyncio
import threading
from urllib.parse import urlsplit

from tests.link.behind_proxy import Proxy


class Between:
    """A proxy on a thread of its own, for links to the core that there is at the time."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._proxy = Proxy(0)
        self._port = 0
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="between", daemon=True)
        self._thread.start()
        assert self._begun.wait(5)

    def through(self, url: str) -> str:
        """Where to link to, in place of the core's own `url`."""
        port = urlsplit(url).port
        assert port is not None
        self._proxy.port = port
        return url.replace(f":{port}/", f":{self._port}/")

    def cut(self) -> None:
        """Close the links there are."""
        self._loop.call_soon_threadsafe(self._proxy.cut)

    def freeze(self) -> None:
        """Let nothing through the links there are, without a word."""
        self._loop.call_soon_threadsafe(self._proxy.freeze)

    def close(self) -> None:
        """End it."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _run(self) -> None:
        server = self._loop.run_until_complete(asyncio.start_server(self._proxy.client, "127.0.0.1", 0))
        self._port = server.sockets[0].getsockname()[1]
        self._begun.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
