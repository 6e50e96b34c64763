"""A core whose link can be cut: runs `COMMAND` (a core) behind a proxy. `python behind_proxy.py CONTROL COMMAND...`

What is added to the file CONTROL is done to the connections there are: `cut` closes them, `freeze` lets nothing
through any more, as where a network goes away without a word.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from pathlib import Path


class Proxy:
    def __init__(self, port: int) -> None:
        self.port = port
        self._frozen = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_core, to_core = await asyncio.open_connection("127.0.0.1", self.port)
        frozen = self._frozen
        self._writers |= {writer, to_core}
        await asyncio.gather(self._pump(reader, to_core, frozen), self._pump(from_core, writer, frozen))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, frozen: asyncio.Event) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if not frozen.is_set():
                    writer.write(data)
                    await writer.drain()
        if not frozen.is_set():
            writer.close()

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def freeze(self) -> None:
        self._frozen.set()
        self._frozen = asyncio.Event()


async def run(control: Path, core: subprocess.Popen[bytes]) -> None:
    assert core.stdout is not None
    proxy, done = Proxy(json.loads(core.stdout.readline())["port"]), 0
    server = await asyncio.start_server(proxy.client, "127.0.0.1", 0)
    sys.stdout.write(json.dumps({"port": server.sockets[0].getsockname()[1]}) + "\n")
    sys.stdout.flush()
    gone = asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
    while not gone.done():
        wishes = read(control)
        for wish in wishes[done:]:
            proxy.cut() if wish == "cut" else proxy.freeze()
        done = len(wishes)
        await asyncio.sleep(0.02)


def read(control: Path) -> list[str]:
    return control.read_text().split() if control.exists() else []


def main() -> None:
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as core:
        assert core.stdin is not None
        core.stdin.write(sys.stdin.buffer.readline())
        core.stdin.flush()
        asyncio.run(run(Path(sys.argv[1]), core))
        core.stdin.close()
        core.wait(5)


if __name__ == "__main__":
    main()
