"""The core process: one inference core behind a WebSocket on loopback, one session for each client."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import http
import json
import logging
import os
import secrets
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from parlor_tui.core.governing import Governing, governing
from parlor_tui.core.governor import PACE, Pace
from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.loading import Loader, loader
from parlor_tui.core.offering import Offering, offering
from parlor_tui.core.profiles import Profile, choose
from parlor_tui.core.spare_memory import watch_spare_memory
from parlor_tui.core.watching import Watching
from parlor_tui.events import CoreNotice
from parlor_tui.link import last_words, wire
from parlor_tui.link.figures import Figures
from parlor_tui.link.http import Pages, is_allowed
from parlor_tui.link.parent import follow_parent
from parlor_tui.link.served_client import ServedClient
from parlor_tui.settings import Settings

_log = logging.getLogger(__name__)
_HOST = "127.0.0.1"
_OUTBOX_MESSAGES = 4096
_STOP_S = 1.0
_NICE = 5


class CoreServer:
    """Serves `core`, and what it has to offer, to clients that know `token`."""

    def __init__(
        self,
        core: InferenceCore,
        settings: Settings,
        token: str,
        offering: Offering | None = None,
        watching: Watching | None = None,
        governing: Governing | None = None,
    ) -> None:
        self._core = core
        self._settings = settings
        self._token = token
        self._offering = offering
        self._watching = watching
        self._governing = governing
        self._figures = Figures(core, settings, watching)
        metrics_open = settings.core.metrics_open
        self._pages = Pages(token, metrics_open, self._figures.health, self._figures.page)
        self._elsewhere = ""

    async def listen(self, port: int, *, else_any: bool = False) -> Server:
        """Begin to serve on loopback; port 0 takes a free one, and so does one that is taken, if `else_any`.

        That is told to each client. Raises OSError if the port is taken.
        """
        try:
            return await self._listen(port)
        except OSError as error:
            if not (else_any and port):
                raise
            why = os.strerror(error.errno) if error.errno else str(error)
            listening = await self._listen(0)
            other = listening.sockets[0].getsockname()[1]
            self._elsewhere = f"the core listens on port {other}: core.port = {port} cannot be had ({why})"
            _log.warning("%s", self._elsewhere)
            return listening

    async def _listen(self, port: int) -> Server:
        return await serve(
            self._client,
            _HOST,
            port,
            process_request=self._admit,
            max_size=wire.CLOSING_BYTES,
            compression=None,
            close_timeout=_STOP_S / 2,  # a client that has stopped reading does not hold up the end
        )

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        page = self._pages.answer(connection, request)
        if page is not None or is_allowed(request, self._token):
            return page
        return connection.respond(http.HTTPStatus.UNAUTHORIZED, "a valid token is needed\n")

    async def _client(self, connection: ServerConnection) -> None:
        outbox: asyncio.Queue[str] = asyncio.Queue(_OUTBOX_MESSAGES)
        client = ServedClient(self._core, self._settings, outbox, connection, self._offering, self._figures)
        writer = asyncio.create_task(_write(connection, outbox))
        if self._elsewhere:
            client.emit(CoreNotice(self._elsewhere))
        unwatch = [self._figures.follow(outbox), self._core.watch(client.emit)]
        if self._offering is not None:
            unwatch.append(self._offering.watch(client.emit))
        if self._watching is not None:
            unwatch.append(self._watching.watch(client.emit))
        if self._governing is not None:
            unwatch.append(self._governing.watch(client.emit))
        try:
            while True:
                client.receive(await connection.recv(decode=False))
                await asyncio.sleep(0)  # many may have come in one piece: others have their turn, its answers go out
        except ConnectionClosed:
            pass
        finally:
            for end in unwatch:
                end()
            writer.cancel()
            await client.session.close()


async def _write(connection: ServerConnection, outbox: asyncio.Queue[str]) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await connection.send(await outbox.get())


def run_core(
    settings: Settings,
    port: int | None,
    token_file: Path | None,
    *,
    simulated: tuple[Profile, Loader] | None = None,
    watch: Callable[[float], Watching] = Watching,
    pace: Pace = PACE,
) -> int:
    """Run the core until its parent closes stdin, or (with a token file) until SIGINT or SIGTERM. The exit code.

    As a child: the first line of stdin is `{"token": "..."}`, the first line of stdout `{"port": N}`; all else that is
    printed goes to stderr.
    `port` None is that of the settings, for a child any other one if it is taken; 0 is any, and a child's figures take
    the token there. `simulated` are models that stand in for those of the settings.
    `watch` makes what looks after the machine, given how much of the memory may be in use; `pace` is the governor's.
    """
    form = "%(asctime)s core %(levelname)s %(name)s %(message)s"
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format=form)
    logging.getLogger("websockets").setLevel(logging.WARNING)
    answers = _private_stdout()
    last_words.give_when_asked()
    if token_file is None:
        _make_way()
        first = sys.stdin.readline()
        try:
            token = str(json.loads(first)["token"])
        except (ValueError, KeyError, TypeError):
            answers.write("parlor-tui core: no token on stdin; to share a core, give --token-file FILE\n")
            answers.flush()
            return 2
    else:
        token = _shared_token(token_file)
    if port == 0 and token_file is None:
        settings = settings.with_values({"core.metrics_open": False}, "a core that nobody is to find")
    watch_spare_memory(_end_without_memory)
    profile = choose(settings) if simulated is None else simulated[0]
    load = loader(profile, settings) if simulated is None else simulated[1]
    core = InferenceCore(profile, load, settings.core.max_requests, _end_wedged)

    def announce(bound_port: int) -> None:
        line = json.dumps({"port": bound_port})
        if token_file is not None:
            line = f"serving ws://{_HOST}:{bound_port}/v1/realtime (token in {token_file}); Ctrl+C stops it"
        answers.write(line + "\n")
        answers.flush()

    offered = offering(settings, profile) if simulated is None else None
    watching = watch(settings.core.memory_percent)
    # What a model is simulated to take heats no machine.
    governs = governing(settings.core, core, watching, pace) if simulated is None else None
    server = CoreServer(core, settings, token, offered, watching, governs)
    bound = settings.core.port if port is None else port
    asyncio.run(_serve(core, offered, watching, server, bound, announce, follow_stdin=token_file is None))
    # Native calls that are still under way cannot be interrupted, and their threads would hold the exit up.
    sys.stderr.flush()
    os._exit(0)


def _make_way() -> None:
    """Give the terminal's own threads, which must not miss a sound, the first right to the processor."""
    if hasattr(os, "nice"):  # Windows gives threads of sound a right of their own
        os.nice(_NICE)


def _end_wedged(stuck_s: float) -> None:
    """A native call that hangs cannot be ended but with its process; whoever supervises it starts another."""
    _log.error("the model has not come back from a call for %.1f s: this process ends", stuck_s)
    faulthandler.dump_traceback()  # into the log: where it hangs
    sys.stderr.flush()
    os._exit(wire.WEDGED_EXIT)


def _end_without_memory() -> None:
    """What else there is to do would take memory."""
    os.write(2, b"the system gives this process no more memory: it ends\n")
    os._exit(wire.NO_MEMORY_EXIT)


async def _serve(
    core: InferenceCore,
    offered: Offering | None,
    watching: Watching,
    server: CoreServer,
    port: int,
    announce: Callable[[int], None],
    *,
    follow_stdin: bool,
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows has no handlers on the loop; Ctrl+C raises there
            loop.add_signal_handler(number, stop.set)
    if follow_stdin:

        def parent_gone() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it ends already
                loop.call_soon_threadsafe(stop.set)

        follow_parent(parent_gone)
    listening = await server.listen(port, else_any=follow_stdin)
    core.start()
    watching.start()
    if offered is not None:
        offered.start()
    announce(listening.sockets[0].getsockname()[1])
    await stop.wait()
    if offered is not None:
        offered.close()
    watching.close()
    core.close()
    listening.close()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(listening.wait_closed(), _STOP_S)


def _private_stdout() -> IO[str]:
    """Our own way to stdout; whatever else writes to it, native libraries included, goes to stderr."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def _shared_token(path: Path) -> str:
    """The token in `path`, which is made, for this user alone, if it is not there."""
    try:
        token = path.read_text("utf-8").strip()
    except FileNotFoundError:
        token = secrets.token_urlsafe(32)
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(token + "\n")
    if not token:
        raise OSError(f"{path}: the token file is empty")
    return token
